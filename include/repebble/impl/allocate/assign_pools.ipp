#ifndef REPEBBLE_IMPL_ALLOCATE_ASSIGN_POOLS_IPP
#define REPEBBLE_IMPL_ALLOCATE_ASSIGN_POOLS_IPP

#include <repebble/allocate/assign_pools.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/allocate/live_bytes.hpp>
#include <repebble/detail/paced_stop.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

/// The live bytes of a pool, for each interval between consecutive begins and ends of buffers.
class pool_load {
  public:
    explicit pool_load(std::size_t spans) : live_(spans, 0) {}
    [[nodiscard]] auto fits(std::size_t first, std::size_t last, bytes size, bytes capacity) const -> bool {
        return size <= capacity &&
               std::all_of(at(first), at(last), [&](bytes live) { return live <= capacity - size; });
    }
    void add(std::size_t first, std::size_t last, bytes size) {
        for (auto t = first; t < last; ++t) live_[t] += size;
    }

  private:
    [[nodiscard]] auto at(std::size_t t) const -> std::vector<bytes>::const_iterator {
        return live_.begin() + static_cast<std::ptrdiff_t>(t);
    }
    std::vector<bytes> live_;
};

/// Distributes shapes over the pools and places them.
class pool_planner {
  public:
    /// Refers to all of them.
    pool_planner(std::span<buffer const> buffers, std::span<bytes const> capacities,
                 std::span<std::optional<std::size_t> const> required, std::span<double const> priorities,
                 limit_test& limit)
        : buffers_(buffers),
          capacities_(capacities),
          over_(limit),
          shapes_(shapes_of(buffers)),
          required_(shapes_.shapes.size()),
          priority_(shapes_.shapes.size(), -std::numeric_limits<double>::infinity()) {
        for (std::size_t p = 0; p < capacities.size(); ++p)
            if (capacities[p] < 0)
                detail::raise(bad_buffer("pool " + std::to_string(p) +
                                         ": its capacity is negative: " + std::to_string(capacities[p])));
        for (std::size_t i = 0; i < required.size(); ++i) {
            if (!required[i]) continue;
            auto& root = required_[shapes_.shape_of[i]];
            auto const named = "buffer " + std::to_string(i) + ": pool " + std::to_string(*required[i]);
            if (*required[i] >= capacities.size())
                detail::raise(bad_buffer(named + " is required, which does not exist"));
            if (root && *root != *required[i])
                detail::raise(
                    bad_buffer(named + " is required, and its alias must be in pool " + std::to_string(*root)));
            root = required[i];
        }
        for (std::size_t i = 0; i < buffers.size(); ++i)
            if (buffers[i].pinned && !required_[shapes_.shape_of[i]] && capacities.size() > 1)
                detail::raise(bad_buffer("buffer " + std::to_string(i) + " is pinned, and no pool is required for it"));
        for (std::size_t i = 0; i < priorities.size(); ++i) {
            if (std::isnan(priorities[i]))
                detail::raise(bad_buffer("buffer " + std::to_string(i) + ": its priority is not a number"));
            auto& priority = priority_[shapes_.shape_of[i]];
            priority = std::max(priority, priorities[i]);
        }
        find_spans();
    }

    /// Puts the shapes, those with a required pool first, then by descending priority and key, each into the first pool
    /// that has enough free bytes; nullopt if one fits nowhere, or it is over. While a pool's offsets do not fit, more
    /// and more of the last shapes beside those above its capacity move on to later pools.
    template <class Key>
    auto try_order(bool by_priority, Key key, offset_options const& options) -> std::optional<pool_plan> {
        std::vector<std::size_t> order(shapes_.shapes.size());
        for (std::size_t s = 0; s < order.size(); ++s) order[s] = s;
        std::ranges::stable_sort(order, [&](auto a, auto b) { return precedes(a, b, by_priority, key); });
        std::vector<std::size_t> first_pool(order.size());
        for (std::size_t s = 0; s < order.size(); ++s) first_pool[s] = required_[s].value_or(0);
        for (std::size_t moves = 1;; moves *= 2) {
            auto const pool_of = distribute(order, first_pool);
            if (!pool_of) return std::nullopt;
            auto plan = offsets_in(*pool_of, options).plan;
            auto const full = plan.heights.size() - 1;
            if (plan.heights[full] <= capacities_[full]) return plan;
            if (over_.now() || !move_on(plan, full, order, moves, first_pool)) return std::nullopt;
        }
    }

    /// Whether live bytes alone show that there is no plan: of all pools together, or of a shape that fits into none.
    [[nodiscard]] auto is_impossible() const -> bool {
        for (std::size_t s = 0; s < spans_.size(); ++s) {
            auto const fits = [&](std::size_t p) { return may_lie_in(s, p) && size(s) <= capacities_[p]; };
            bool found = false;
            for (std::size_t p = 0; p < capacities_.size(); ++p) found = found || fits(p);
            if (!found) return true;
        }
        bytes capacity = 0;  // capped at what there may be
        for (auto const c : capacities_) capacity += std::min(c, std::numeric_limits<bytes>::max() - capacity);
        return find_live_bytes(buffers_).most > capacity;
    }
    [[nodiscard]] auto size(std::size_t s) const -> bytes { return shapes_.shapes[s].size; }
    [[nodiscard]] auto length(std::size_t s) const -> std::size_t { return spans_[s].second - spans_[s].first; }

    [[nodiscard]] auto area(std::size_t s) const -> double {
        return static_cast<double>(size(s)) * static_cast<double>(length(s));
    }

    [[nodiscard]] auto shape_count() const -> std::size_t { return spans_.size(); }
    [[nodiscard]] auto time_count() const -> std::size_t { return times_.size(); }
    [[nodiscard]] auto capacities() const -> std::span<bytes const> { return capacities_; }
    [[nodiscard]] auto may_lie_in(std::size_t s, std::size_t p) const -> bool { return required_[s].value_or(p) == p; }
    /// Adds the bytes of a shape, or takes them away, at the times at which it needs them.
    void add_pieces(std::vector<bytes>& live, std::size_t s, bytes sign) const {
        for (auto const& piece : shapes_.pieces[s])
            for (auto t = at(piece.lifetime.lower); t < at(piece.lifetime.upper); ++t)
                live[t] += sign * (piece.bytes.upper - piece.bytes.lower);
    }
    /// The order of placement: shapes with a required pool, then by descending priority, if asked, and key.
    template <class Key>
    [[nodiscard]] auto precedes(std::size_t a, std::size_t b, bool by_priority, Key const& key) const -> bool {
        if (required_[a].has_value() != required_[b].has_value()) return required_[a].has_value();
        if (by_priority && (priority_[a] < priority_[b] || priority_[b] < priority_[a]))
            return priority_[b] < priority_[a];
        return key(a) > key(b);
    }

    /// Offsets in the pools up to the first whose buffers do not fit, and whether that is proven.
    struct placed {
        pool_plan plan{};
        bool is_proven = false;
    };
    [[nodiscard]] auto offsets_in(std::vector<std::size_t> const& pool_of, offset_options options) const -> placed {
        constexpr auto none = std::numeric_limits<std::size_t>::max();
        pool_plan plan{std::vector<std::size_t>(buffers_.size(), none), std::vector<bytes>(buffers_.size()), {}};
        for (std::size_t p = 0; p < capacities_.size(); ++p) {
            std::vector<buffer> members;
            std::vector<std::size_t> numbers, at(buffers_.size());
            for (std::size_t i = 0; i < buffers_.size(); ++i) {
                if (pool_of[shapes_.shape_of[i]] != p) continue;
                at[i] = members.size();
                members.push_back(buffers_[i]);
                numbers.push_back(i);
            }
            for (auto& b : members)
                if (b.alias_of) b.alias_of = at[*b.alias_of];
            options.capacity = capacities_[p];
            auto const found = assign_offsets(members, options);
            plan.heights.push_back(found.height);
            for (std::size_t k = 0; k < members.size(); ++k) {
                plan.pool_of[numbers[k]] = p;
                plan.offsets[numbers[k]] = found.offsets[k];
            }
            if (found.height > capacities_[p]) return {std::move(plan), found.proof == offset_proof::none_exists};
        }
        return {std::move(plan)};
    }

  private:
    /// The pool of each shape by live bytes, or nullopt.
    [[nodiscard]] auto distribute(std::vector<std::size_t> const& order, std::vector<std::size_t> const& first_pool)
        -> std::optional<std::vector<std::size_t>> {
        std::vector<pool_load> loads(capacities_.size(), pool_load(times_.size()));
        std::vector<std::size_t> pool_of(order.size());
        for (auto const s : order) {
            auto const [first, last] = spans_[s];
            if (over_.after(last - first)) return std::nullopt;
            auto p = first_pool[s];
            while (p < loads.size() && !loads[p].fits(first, last, size(s), capacities_[p])) {
                if (required_[s]) return std::nullopt;
                ++p;
            }
            if (p == loads.size()) return std::nullopt;
            loads[p].add(first, last, size(s));
            pool_of[s] = p;
        }
        return pool_of;
    }
    /// Lets up to `moves` shapes, the last of the order, begin at the pool after a full one; false if there are none,
    /// or it is over.
    [[nodiscard]] auto move_on(pool_plan const& plan, std::size_t full, std::vector<std::size_t> const& order,
                               std::size_t moves, std::vector<std::size_t>& first_pool) -> bool {
        std::vector<std::uint8_t> in_full(order.size(), 0);
        std::vector<std::size_t> above;
        for (std::size_t i = 0; i < buffers_.size(); ++i) {
            if (plan.pool_of[i] != full) continue;
            in_full[shapes_.shape_of[i]] = 1;
            if (plan.offsets[i] > capacities_[full] - buffers_[i].size) above.push_back(shapes_.shape_of[i]);
        }
        auto const is_beside = [&](std::size_t s) {
            return std::any_of(above.begin(), above.end(), [&](std::size_t a) {
                return spans_[s].first < spans_[a].second && spans_[a].first < spans_[s].second;
            });
        };
        std::size_t moved = 0;
        for (auto at = order.size(); at-- > 0 && moved < moves;) {
            auto const s = order[at];
            if (over_.after(above.size())) return false;
            if (in_full[s] == 0 || required_[s] || !is_beside(s)) continue;
            first_pool[s] = full + 1;
            ++moved;
        }
        return moved > 0;
    }

    /// The number of a begin or end of a piece.
    [[nodiscard]] auto at(std::int64_t time) const -> std::size_t {
        return static_cast<std::size_t>(std::ranges::lower_bound(times_, time) - times_.begin());
    }
    void find_spans() {
        for (std::size_t s = 0; s < shapes_.pieces.size(); ++s)
            for (auto const& p : shapes_.pieces[s])
                times_.push_back(p.lifetime.lower), times_.push_back(p.lifetime.upper);
        std::sort(times_.begin(), times_.end());
        times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
        spans_.resize(shapes_.pieces.size());
        for (std::size_t s = 0; s < spans_.size(); ++s) {
            auto const pieces = shapes_.pieces[s];
            if (pieces.empty()) continue;
            auto end = pieces.front().lifetime.upper;
            for (auto const& p : pieces) end = std::max(end, p.lifetime.upper);
            spans_[s] = {at(pieces.front().lifetime.lower), at(end)};
        }
    }

    std::span<buffer const> buffers_;
    std::span<bytes const> capacities_;
    paced_stop<limit_test> over_;
    buffer_shapes shapes_;
    std::vector<std::optional<std::size_t>> required_;          // per shape
    std::vector<double> priority_;                              // per shape: the greatest of its buffers
    std::vector<std::int64_t> times_{};                         // begins and ends of pieces
    std::vector<std::pair<std::size_t, std::size_t>> spans_{};  // per shape
};

/// Tries all distributions of at most 64 shapes over the pools, the earlier pools first. What does not fit into a pool
/// together is not tried again, nor are the empty twins of a pool.
class pool_enumeration {
  public:
    /// Refers to all of them.
    pool_enumeration(pool_planner const& planner, offset_options const& options, limit_test& limit)
        : planner_(planner),
          options_(options),
          limit_(limit),
          capacities_(planner.capacities()),
          order_(planner.shape_count()),
          pool_of_(order_.size()),
          live_(capacities_.size(), std::vector<bytes>(planner.time_count(), 0)),
          inside_(capacities_.size(), 0),
          too_many_(capacities_.size()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        auto const area = [&](std::size_t s) { return planner.area(s); };
        std::ranges::stable_sort(order_, [&](auto a, auto b) { return planner.precedes(a, b, true, area); });
        for (auto const c : capacities_)
            twin_.push_back(static_cast<std::size_t>(std::ranges::find(capacities_, c) - capacities_.begin()));
        for (std::size_t s = 0; s < order_.size(); ++s)
            for (std::size_t p = 0; p < capacities_.size(); ++p) free_ = free_ && planner.may_lie_in(s, p);
    }

    [[nodiscard]] auto run() && -> pool_result {
        if (order_.size() > most_shapes) return {};
        static_cast<void>(place_from(0));
        if (result_.plan || ended_) result_.none_exists = false;
        return std::move(result_);
    }

  private:
    using set = std::uint64_t;
    static constexpr std::size_t most_shapes = 64, most_steps = 100'000, most_leaves = 1000;

    /// Places the shapes from number k of the order on; whether the search is over.
    auto place_from(std::size_t k) -> bool {
        if (++steps_ > most_steps || leaves_ == most_leaves || limit_()) return ended_ = true;
        if (k == order_.size()) return find_offsets();
        for (std::size_t p = 0; p < capacities_.size(); ++p)
            if (is_worth_trying(order_[k], p) && place(k, p)) return true;
        return false;
    }
    auto place(std::size_t k, std::size_t p) -> bool {
        auto const s = order_[k];
        planner_.add_pieces(live_[p], s, 1);
        inside_[p] |= set{1} << s;
        pool_of_[s] = p;
        bool const fits = std::ranges::none_of(live_[p], [&](bytes live) { return live > capacities_[p]; });
        bool const over = fits && place_from(k + 1);
        inside_[p] &= ~(set{1} << s);
        planner_.add_pieces(live_[p], s, -1);
        return over;
    }
    auto find_offsets() -> bool {
        ++leaves_;
        auto [plan, is_proven] = planner_.offsets_in(pool_of_, options_);
        auto const last = plan.heights.size() - 1;
        if (plan.heights[last] <= capacities_[last]) {
            result_.plan = std::move(plan);
            return true;
        }
        too_many_[twin_[last]].push_back(inside_[last]);
        result_.none_exists = result_.none_exists && is_proven;
        return false;
    }
    [[nodiscard]] auto is_worth_trying(std::size_t s, std::size_t p) const -> bool {
        auto const with = inside_[p] | set{1} << s;
        if (!planner_.may_lie_in(s, p)) return false;
        if (std::ranges::any_of(too_many_[twin_[p]], [&](set many) { return (many & ~with) == 0; })) return false;
        for (std::size_t q = 0; q < p; ++q)
            if (free_ && inside_[p] == 0 && inside_[q] == 0 && twin_[q] == twin_[p]) return false;
        return true;
    }

    pool_planner const& planner_;
    offset_options const& options_;
    limit_test& limit_;
    std::span<bytes const> capacities_;
    std::vector<std::size_t> order_, twin_{}, pool_of_;
    std::vector<std::vector<bytes>> live_;    // by pool and time
    std::vector<set> inside_;                 // by pool: its shapes
    std::vector<std::vector<set>> too_many_;  // by pool, of it and its twins: shapes that do not fit together
    bool free_ = true;                        // no pool is required
    std::size_t steps_ = 0, leaves_ = 0;
    bool ended_ = false;
    pool_result result_{.none_exists = true};
};

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto assign_pools(std::span<buffer const> buffers, std::span<bytes const> capacities,
                                  pool_options const& options) -> pool_result {
    auto [required, priorities, offsets] = options;
    REPEBBLE_ASSERT(required.empty() || required.size() == buffers.size());
    REPEBBLE_ASSERT(priorities.empty() || priorities.size() == buffers.size());
    detail::limit_test limit(options.offsets.limits);
    offsets.limits.seconds.reset();
    offsets.limits.stop = [&] { return limit(); };
    detail::pool_planner planner(buffers, capacities, required, priorities, limit);
    if (buffers.empty()) return {.plan = pool_plan{{}, {}, std::vector<bytes>(capacities.size(), 0)}};
    if (capacities.empty() || planner.is_impossible()) return {.none_exists = true};
    auto const size = [&](std::size_t s) { return static_cast<double>(planner.size(s)); };
    auto const length = [&](std::size_t s) { return static_cast<double>(planner.length(s)); };
    auto const area = [&](std::size_t s) { return planner.area(s); };
    auto const brevity = [&](std::size_t s) { return -length(s); };
    for (bool const by_priority : {true, false}) {
        if (by_priority && priorities.empty()) continue;
        if (auto plan = planner.try_order(by_priority, size, offsets)) return {.plan = std::move(plan)};
        if (auto plan = planner.try_order(by_priority, area, offsets)) return {.plan = std::move(plan)};
        if (auto plan = planner.try_order(by_priority, length, offsets)) return {.plan = std::move(plan)};
        if (auto plan = planner.try_order(by_priority, brevity, offsets)) return {.plan = std::move(plan)};
    }
    return detail::pool_enumeration(planner, offsets, limit).run();
}

}  // namespace repebble::inline v0

#endif
