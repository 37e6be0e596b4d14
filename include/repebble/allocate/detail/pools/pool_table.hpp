#ifndef REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_TABLE_HPP
#define REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_TABLE_HPP

// What the planners of pools know: of each shape its pieces in compressed time, the routes that it may take through the
// pools and what each costs; of a distribution, a route of each shape, its offsets. pool_prices, greedy_pools and
// pool_search use it. The first routes are the pools: the shape lies there all its life. Where buffers may be copied
// further ones follow (pool_routes.hpp).
// Invariant: a shape may lie in a pool only if it fits there alone.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/detail/pools/pool_routes.hpp>
#include <repebble/allocate/detail/pools/pool_sections.hpp>
#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/allocate/fit_offsets.hpp>
#include <repebble/allocate/pool_plan.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

class pool_table {
  public:
    /// The live bytes of a pool in each section.
    using load = std::vector<bytes>;
    /// The route of each shape.
    using distribution = std::vector<std::size_t>;

    /// Refers to all of them. Without traffic nothing costs anything; without costs all pools but the first cost 1.
    /// Throws as assign_pools.
    pool_table(std::span<buffer const> buffers, std::span<bytes const> capacities, pool_options const& options)
        : buffers_(buffers),
          capacities_(capacities),
          shapes_(shapes_of(buffers)),
          sections_(shapes_, checked(options.accesses)),
          required_(shapes_.shapes.size()),
          priority_(shapes_.shapes.size(), -std::numeric_limits<double>::infinity()),
          traffic_(shapes_.shapes.size(), 0),
          costs_(options.costs.begin(), options.costs.end()),
          routes_(shapes_.shapes.size()) {
        for (std::size_t p = 0; p < capacities.size(); ++p) {
            if (capacities[p] < 0) raise_bad_pool(p, "capacity", capacities[p]);
            if (options.costs.empty()) costs_.push_back(p == 0 ? 0 : 1);
            if (costs_[p] < 0) raise_bad_pool(p, "cost", costs_[p]);
        }
        require_pools(options.required);
        read_priorities(options.priorities);
        read_traffic(options.traffic);
        read_accesses(options.accesses);
    }

    [[nodiscard]] auto capacities() const -> std::span<bytes const> { return capacities_; }
    [[nodiscard]] auto costs() const -> std::span<std::int64_t const> { return costs_; }
    [[nodiscard]] auto shape_count() const -> std::size_t { return traffic_.size(); }
    [[nodiscard]] auto section_count() const -> std::size_t { return sections_.load().size(); }
    [[nodiscard]] auto size(std::size_t s) const -> bytes { return shapes_.shapes[s].size; }
    [[nodiscard]] auto traffic(std::size_t s) const -> std::int64_t { return traffic_[s]; }
    [[nodiscard]] auto is_required(std::size_t s) const -> bool { return required_[s].has_value(); }
    [[nodiscard]] auto priority(std::size_t s) const -> double { return priority_[s]; }
    [[nodiscard]] auto shape_of(std::size_t buffer) const -> std::size_t { return shapes_.shape_of[buffer]; }
    /// How many routes are listed for a shape, and whether for each all are that it may take.
    [[nodiscard]] auto route_count(std::size_t s) const -> std::size_t {
        return capacities_.size() + routes_.listed(s);
    }
    [[nodiscard]] auto lists_all_routes() const -> bool { return routes_.are_complete(); }
    [[nodiscard]] auto has_copies() const -> bool { return !sections_.copies().empty(); }
    [[nodiscard]] auto cost(std::size_t s, std::size_t r) const -> std::int64_t {
        return r < costs_.size() ? traffic_[s] * costs_[r] : routes_.cost(s, r - costs_.size());
    }
    [[nodiscard]] auto cost(distribution const& route_of) const -> std::int64_t {
        std::int64_t sum = 0;
        for (std::size_t s = 0; s < route_of.size(); ++s) sum += cost(s, route_of[s]);
        return sum;
    }
    /// Whether a shape may take a route as far as it alone goes.
    [[nodiscard]] auto may_take(std::size_t s, std::size_t r) const -> bool {
        auto const& shape = shapes_.shapes[s];
        return r >= capacities_.size() || (required_[s].value_or(r) == r && shape.size <= capacities_[r] &&
                                           shape.pinned.value_or(0) <= capacities_[r] - shape.size);
    }
    /// The pool after those of a route.
    [[nodiscard]] auto pool_after(std::size_t s, std::size_t r) const -> std::size_t {
        std::size_t last = 0;
        for_each_pool(s, r, [&](std::size_t p) { last = std::max(last, p); });
        return last + 1;
    }
    /// The route of a shape that is listed first of those that go on alike from a section on.
    [[nodiscard]] auto route_from(std::size_t s, std::size_t r, std::size_t section) const -> std::size_t {
        return r < capacities_.size() ? r : routes_.same_from(s, r - costs_.size(), section);
    }
    /// Calls f(pool) for the pools of a route.
    template <class F>
    void for_each_pool(std::size_t s, std::size_t r, F const& f) const {
        if (r < capacities_.size()) return f(r);
        for (auto const& stay : routes_.stays(s, r - costs_.size())) f(stay.pool);
    }

    /// Whether live bytes alone show that there is no plan: of all pools together, or of a shape that fits into none.
    [[nodiscard]] auto is_impossible() const -> bool {
        for (std::size_t s = 0; s < shape_count(); ++s) {
            bool found = false;
            for (std::size_t p = 0; p < capacities_.size(); ++p) found = found || may_take(s, p);
            if (!found) return true;
        }
        bytes capacity = 0;  // capped at what there may be
        for (auto const c : capacities_) capacity += std::min(c, std::numeric_limits<bytes>::max() - capacity);
        return std::ranges::any_of(sections_.load(), [&](bytes live) { return live > capacity; });
    }

    /// Calls f(first section, last section, bytes) for the pieces of a shape.
    template <class F>
    void for_each_piece(std::size_t s, F const& f) const {
        for (std::size_t k = 0; k < shapes_.pieces[s].size(); ++k) {
            auto const& [lifetime, part] = shapes_.pieces[s][k];
            auto const [first, last] = sections_.of(shapes_.pieces.start(s) + k);
            f(first, last, part.upper - part.lower);
        }
    }
    /// Calls f(pool, first section, last section, bytes) for the pieces of a shape on a route.
    template <class F>
    void for_each_piece(std::size_t s, std::size_t r, F const& f) const {
        if (r < capacities_.size())
            return for_each_piece(s, [&](auto first, auto last, bytes part) { f(r, first, last, part); });
        for (auto const& stay : routes_.stays(s, r - costs_.size())) f(stay.pool, stay.first, stay.last, size(s));
    }
    /// The route of least cost and rents, which rent(pool, section) says; nothing: it may not be copied. O(its sections
    /// · pools²).
    template <class Rent>
    [[nodiscard]] auto find_route(std::size_t s, Rent const& rent) const -> std::optional<pool_routes::priced_route> {
        return routes_.find_least(s, rent);
    }
    /// Lists a route, unless there are too many.
    void list_route(std::size_t s, pool_route const& stays) { routes_.list(s, stays); }
    /// The first section of a shape, and the one after its last.
    [[nodiscard]] auto span_of(std::size_t s) const -> std::pair<std::size_t, std::size_t> {
        std::pair<std::size_t, std::size_t> span{section_count(), 0};
        for_each_piece(s, [&](auto first, auto last, bytes) {
            span = {std::min(span.first, first), std::max(span.second, last)};
        });
        return span;
    }
    /// The sections in which a shape is live, and bytes times sections.
    [[nodiscard]] auto length(std::size_t s) const -> double {
        double sum = 0;
        for_each_piece(s, [&](auto first, auto last, bytes) { sum += static_cast<double>(last - first); });
        return sum;
    }
    [[nodiscard]] auto area(std::size_t s) const -> double { return static_cast<double>(size(s)) * length(s); }

    [[nodiscard]] auto fits(std::vector<load> const& live, std::size_t s, std::size_t r) const -> bool {
        bool all = may_take(s, r);
        for_each_piece(s, r, [&](auto p, auto first, auto last, bytes part) {
            for (auto t = first; all && t < last; ++t) all = live[p][t] <= capacities_[p] - part;
        });
        return all;
    }
    /// Adds the bytes of a shape on a route, or takes them away.
    void add(std::vector<load>& live, std::size_t s, std::size_t r, bytes sign) const {
        for_each_piece(s, r, [&](auto p, auto first, auto last, bytes part) {
            for (auto t = first; t < last; ++t) live[p][t] += sign * part;
        });
    }

    /// Offsets in one pool of what of a distribution lies there, of the shapes of which is_in(shape) is true.
    struct placed_pool {
        offset_plan plan{};
        std::vector<std::pair<std::size_t, pool_stay>> stays{};  // by number of their buffers
    };
    template <class IsIn>
    [[nodiscard]] auto offsets_in(std::size_t p, distribution const& route_of, IsIn const& is_in,
                                  offset_options options) const -> placed_pool {
        placed_pool found;
        std::vector<buffer> members;
        std::vector<std::size_t> at(buffers_.size());
        for (std::size_t i = 0; i < buffers_.size(); ++i) {
            auto const s = shape_of(i);
            if (!is_in(s)) continue;
            at[i] = members.size();
            auto const take = [&](buffer member) {
                found.stays.push_back({i, {.pool = p, .lifetime = member.lifetime}});
                members.push_back(std::move(member));
            };
            if (route_of[s] == p) take(buffers_[i]);
            if (route_of[s] < capacities_.size()) continue;
            for (auto const& stay : routes_.stays(s, route_of[s] - costs_.size()))
                if (stay.pool == p)
                    take({.lifetime = sections_.time_of(stay.first, stay.last),
                          .size = buffers_[i].size,
                          .alignment = buffers_[i].alignment});
        }
        for (auto& b : members)
            if (b.alias_of) b.alias_of = at[*b.alias_of];
        options.capacity = capacities_[p];
        found.plan = assign_offsets(members, options);
        for (std::size_t k = 0; k < members.size(); ++k) found.stays[k].second.offset = found.plan.offsets[k];
        return found;
    }

    /// Offsets in the pools up to the first whose buffers do not fit, and whether that is proven.
    struct placed {
        std::vector<std::vector<pool_stay>> stays{};  // of each buffer, those of a pool after those of the one before
        std::vector<bytes> heights{};
        bool fits = true;
        bool is_proven = false;
    };
    [[nodiscard]] auto offsets_in(distribution const& route_of, offset_options const& options) const -> placed {
        placed all{.stays = std::vector<std::vector<pool_stay>>(buffers_.size())};
        for (std::size_t p = 0; p < capacities_.size() && all.fits; ++p) {
            auto const [plan, stays] = offsets_in(
                p, route_of, [](std::size_t) { return true; }, options);
            for (auto const& [i, stay] : stays) all.stays[i].push_back(stay);
            all.heights.push_back(plan.height);
            all.fits = plan.height <= capacities_[p];
            all.is_proven = plan.proof == offset_proof::none_exists;
        }
        return all;
    }
    /// The plan of offsets that fit.
    [[nodiscard]] auto plan_of(placed found) const -> pool_plan {
        pool_plan plan{.heights = std::move(found.heights)};
        for (auto& stays : found.stays) {
            std::ranges::sort(stays, {},
                              [](pool_stay const& s) { return std::pair(s.lifetime.lower, s.lifetime.upper); });
            plan.pool_of.push_back(stays.front().pool);
            plan.offsets.push_back(stays.front().offset);
        }
        if (!has_copies()) return plan;
        for (std::size_t i = 0; i < found.stays.size(); ++i)
            for (std::size_t k = 1; k < found.stays[i].size(); ++k)
                plan.copies.push_back({found.stays[i][k].lifetime.lower, i, k - 1});
        std::ranges::stable_sort(plan.copies, {}, &pool_copy::time);
        plan.stays = std::move(found.stays);
        return plan;
    }

  private:
    [[noreturn]] static void raise_bad_pool(std::size_t p, std::string const& what, std::int64_t value) {
        detail::raise(
            bad_buffer("pool " + std::to_string(p) + ": its " + what + " is negative: " + std::to_string(value)));
    }
    void require_pools(std::span<std::optional<std::size_t> const> required) {
        for (std::size_t i = 0; i < required.size(); ++i) {
            if (!required[i]) continue;
            auto& root = required_[shapes_.shape_of[i]];
            auto const named = "buffer " + std::to_string(i) + ": pool " + std::to_string(*required[i]);
            if (*required[i] >= capacities_.size())
                detail::raise(bad_buffer(named + " is required, which does not exist"));
            if (root && *root != *required[i])
                detail::raise(
                    bad_buffer(named + " is required, and its alias must be in pool " + std::to_string(*root)));
            root = required[i];
        }
        for (std::size_t i = 0; i < buffers_.size(); ++i)
            if (buffers_[i].pinned && !required_[shapes_.shape_of[i]] && capacities_.size() > 1)
                detail::raise(bad_buffer("buffer " + std::to_string(i) + " is pinned, and no pool is required for it"));
        for (std::size_t p = 0; p < capacities_.size(); ++p)
            require_pins_apart(buffers_, [&](std::size_t i) { return required_[shape_of(i)].value_or(p) == p; });
    }
    void read_priorities(std::span<double const> priorities) {
        for (std::size_t i = 0; i < priorities.size(); ++i) {
            if (std::isnan(priorities[i]))
                detail::raise(bad_buffer("buffer " + std::to_string(i) + ": its priority is not a number"));
            auto& priority = priority_[shapes_.shape_of[i]];
            priority = std::max(priority, priorities[i]);
        }
    }
    /// Adds up the traffic of shapes, and checks that no sum of costs overflows.
    void read_traffic(std::span<std::int64_t const> traffic) {
        std::int64_t all = 0;
        for (std::size_t i = 0; i < traffic.size(); ++i) {
            if (traffic[i] < 0)
                detail::raise(bad_buffer("buffer " + std::to_string(i) +
                                         ": its traffic is negative: " + std::to_string(traffic[i])));
            all = checked_add(all, traffic[i], "traffic");
            traffic_[shapes_.shape_of[i]] += traffic[i];
        }
        for (auto const cost : costs_) static_cast<void>(checked_multiply(all, cost, "traffic"));
    }

    /// Throws bad_buffer where an access is not in the lifetime of its buffer, or moves fewer than no bytes.
    [[nodiscard]] auto checked(std::span<std::vector<pool_access> const> accesses) const
        -> std::span<std::vector<pool_access> const> {
        for (std::size_t i = 0; i < accesses.size(); ++i)
            for (auto const& [time, moved] : accesses[i]) {
                auto const named = "buffer " + std::to_string(i) + ": its access at time " + std::to_string(time);
                auto const& lifetime = buffers_[i].lifetime;
                if (time < lifetime.lower || time >= lifetime.upper)
                    detail::raise(bad_buffer(named + " is not in its lifetime"));
                if (moved < 0) detail::raise(bad_buffer(named + " has a negative traffic: " + std::to_string(moved)));
            }
        return accesses;
    }
    /// Adds up the traffic of accesses, and lets shapes be copied: single buffers that nothing ties to a pool.
    void read_accesses(std::span<std::vector<pool_access> const> accesses) {
        if (accesses.empty()) return;
        std::vector<std::size_t> members(shape_count(), 0);
        for (std::size_t i = 0; i < accesses.size(); ++i) {
            ++members[shape_of(i)];
            for (auto const& a : accesses[i])
                traffic_[shape_of(i)] = checked_add(traffic_[shape_of(i)], a.traffic, "traffic");
        }
        std::int64_t all = 0;  // where each shape is copied in each section
        for (std::size_t s = 0; s < shape_count(); ++s) {
            auto const [first, last] = span_of(s);
            auto const copied =
                checked_multiply(size(s), first < last ? 2 * static_cast<std::int64_t>(last - first) : 0, "traffic");
            all = checked_add(all, checked_add(traffic_[s], copied, "traffic"), "traffic");
        }
        for (auto const cost : costs_) static_cast<void>(checked_multiply(all, cost, "traffic"));
        routes_.allow(costs_, sections_.copies());
        for (std::size_t i = 0; i < accesses.size(); ++i) {
            auto const s = shape_of(i);
            bool const is_tied = members[s] > 1 || required_[s] || buffers_[i].pinned || !buffers_[i].gaps.empty();
            if (!is_tied && !shapes_.pieces[s].empty()) routes_.add(s, traveller_of(i, accesses[i]));
        }
    }
    [[nodiscard]] auto traveller_of(std::size_t i, std::vector<pool_access> const& accesses) const
        -> pool_routes::traveller {
        auto const [first, last] = span_of(shape_of(i));
        pool_routes::traveller made{buffers_[i].size, first, last, std::vector<std::int64_t>(last - first, 0), {}};
        for (auto const& a : accesses) made.moved[sections_.section_of(a.time) - first] += a.traffic;
        for (auto const capacity : capacities_) made.may_lie_in.push_back(made.size <= capacity ? 1 : 0);
        return made;
    }

    std::span<buffer const> buffers_;
    std::span<bytes const> capacities_;
    buffer_shapes shapes_;
    pool_sections sections_;
    std::vector<std::optional<std::size_t>> required_;  // per shape
    std::vector<double> priority_;                      // per shape: the greatest of its buffers
    std::vector<std::int64_t> traffic_;                 // per shape: that of all its buffers
    std::vector<std::int64_t> costs_;                   // per pool: of a byte moved
    pool_routes routes_;
};

}  // namespace repebble::inline v0::detail

#endif
