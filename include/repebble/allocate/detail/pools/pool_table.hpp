#ifndef REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_TABLE_HPP
#define REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_TABLE_HPP

// What the planners of pools know: of each shape its pieces in compressed time, the pools in which it may lie and the
// cost there; of a distribution of shapes over the pools its offsets. pool_prices, greedy_pools and pool_search use it.
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
#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/allocate/pool_plan.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

class pool_table {
  public:
    /// The live bytes of a pool in each section.
    using load = std::vector<bytes>;
    /// The pool of each shape.
    using distribution = std::vector<std::size_t>;

    /// Refers to all of them. Without traffic nothing costs anything; without costs all pools but the first cost 1.
    /// Throws as assign_pools.
    pool_table(std::span<buffer const> buffers, std::span<bytes const> capacities, pool_options const& options)
        : buffers_(buffers),
          capacities_(capacities),
          shapes_(shapes_of(buffers)),
          sweep_(shapes_),
          required_(shapes_.shapes.size()),
          priority_(shapes_.shapes.size(), -std::numeric_limits<double>::infinity()),
          traffic_(shapes_.shapes.size(), 0),
          costs_(options.costs.begin(), options.costs.end()) {
        for (std::size_t p = 0; p < capacities.size(); ++p) {
            if (capacities[p] < 0) raise_bad_pool(p, "capacity", capacities[p]);
            if (options.costs.empty()) costs_.push_back(p == 0 ? 0 : 1);
            if (costs_[p] < 0) raise_bad_pool(p, "cost", costs_[p]);
        }
        require_pools(options.required);
        read_priorities(options.priorities);
        read_traffic(options.traffic);
    }

    [[nodiscard]] auto capacities() const -> std::span<bytes const> { return capacities_; }
    [[nodiscard]] auto costs() const -> std::span<std::int64_t const> { return costs_; }
    [[nodiscard]] auto shape_count() const -> std::size_t { return traffic_.size(); }
    [[nodiscard]] auto section_count() const -> std::size_t { return sweep_.load.size(); }
    [[nodiscard]] auto size(std::size_t s) const -> bytes { return shapes_.shapes[s].size; }
    [[nodiscard]] auto traffic(std::size_t s) const -> std::int64_t { return traffic_[s]; }
    [[nodiscard]] auto is_required(std::size_t s) const -> bool { return required_[s].has_value(); }
    [[nodiscard]] auto priority(std::size_t s) const -> double { return priority_[s]; }
    [[nodiscard]] auto shape_of(std::size_t buffer) const -> std::size_t { return shapes_.shape_of[buffer]; }
    [[nodiscard]] auto cost(std::size_t s, std::size_t p) const -> std::int64_t { return traffic_[s] * costs_[p]; }
    [[nodiscard]] auto cost(distribution const& pool_of) const -> std::int64_t {
        std::int64_t sum = 0;
        for (std::size_t s = 0; s < pool_of.size(); ++s) sum += cost(s, pool_of[s]);
        return sum;
    }
    [[nodiscard]] auto may_lie_in(std::size_t s, std::size_t p) const -> bool {
        auto const& shape = shapes_.shapes[s];
        return required_[s].value_or(p) == p && shape.size <= capacities_[p] &&
               shape.pinned.value_or(0) <= capacities_[p] - shape.size;
    }
    /// Whether live bytes alone show that there is no plan: of all pools together, or of a shape that fits into none.
    [[nodiscard]] auto is_impossible() const -> bool {
        for (std::size_t s = 0; s < shape_count(); ++s) {
            bool found = false;
            for (std::size_t p = 0; p < capacities_.size(); ++p) found = found || may_lie_in(s, p);
            if (!found) return true;
        }
        bytes capacity = 0;  // capped at what there may be
        for (auto const c : capacities_) capacity += std::min(c, std::numeric_limits<bytes>::max() - capacity);
        return std::ranges::any_of(sweep_.load, [&](bytes live) { return live > capacity; });
    }

    /// Calls f(first section, last section, bytes) for the pieces of a shape.
    template <class F>
    void for_each_piece(std::size_t s, F const& f) const {
        for (std::size_t k = 0; k < shapes_.pieces[s].size(); ++k) {
            auto const slot = shapes_.pieces.start(s) + k;
            auto const& part = shapes_.pieces[s][k].bytes;
            f(std::size_t{sweep_.first[slot]}, std::size_t{sweep_.last[slot]}, part.upper - part.lower);
        }
    }
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

    [[nodiscard]] auto fits(load const& live, std::size_t s, std::size_t p) const -> bool {
        bool all = may_lie_in(s, p);
        for_each_piece(s, [&](auto first, auto last, bytes part) {
            for (auto t = first; all && t < last; ++t) all = live[t] <= capacities_[p] - part;
        });
        return all;
    }
    /// Adds the bytes of a shape, or takes them away.
    void add(load& live, std::size_t s, bytes sign) const {
        for_each_piece(s, [&](auto first, auto last, bytes part) {
            for (auto t = first; t < last; ++t) live[t] += sign * part;
        });
    }

    /// Offsets in one pool of the shapes of which is_in(shape) is true; numbers of their buffers.
    struct placed_pool {
        offset_plan plan{};
        std::vector<std::size_t> numbers{};
    };
    template <class IsIn>
    [[nodiscard]] auto offsets_in(std::size_t p, IsIn const& is_in, offset_options options) const -> placed_pool {
        placed_pool found;
        std::vector<buffer> members;
        std::vector<std::size_t> at(buffers_.size());
        for (std::size_t i = 0; i < buffers_.size(); ++i) {
            if (!is_in(shapes_.shape_of[i])) continue;
            at[i] = members.size();
            members.push_back(buffers_[i]);
            found.numbers.push_back(i);
        }
        for (auto& b : members)
            if (b.alias_of) b.alias_of = at[*b.alias_of];
        options.capacity = capacities_[p];
        found.plan = assign_offsets(members, options);
        return found;
    }

    /// Offsets in the pools up to the first whose buffers do not fit, and whether that is proven.
    struct placed {
        pool_plan plan{};
        bool fits = true;
        bool is_proven = false;
    };
    [[nodiscard]] auto offsets_in(distribution const& pool_of, offset_options const& options) const -> placed {
        placed all;
        all.plan = {std::vector<std::size_t>(buffers_.size(), capacities_.size()), load(buffers_.size(), 0), {}};
        for (std::size_t p = 0; p < capacities_.size() && all.fits; ++p) {
            auto const [plan, numbers] = offsets_in(
                p, [&](std::size_t s) { return pool_of[s] == p; }, options);
            all.plan.heights.push_back(plan.height);
            for (std::size_t k = 0; k < numbers.size(); ++k) {
                all.plan.pool_of[numbers[k]] = p;
                all.plan.offsets[numbers[k]] = plan.offsets[k];
            }
            all.fits = plan.height <= capacities_[p];
            all.is_proven = plan.proof == offset_proof::none_exists;
        }
        return all;
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

    std::span<buffer const> buffers_;
    std::span<bytes const> capacities_;
    buffer_shapes shapes_;
    section_sweep sweep_;
    std::vector<std::optional<std::size_t>> required_;  // per shape
    std::vector<double> priority_;                      // per shape: the greatest of its buffers
    std::vector<std::int64_t> traffic_;                 // per shape: that of all its buffers
    std::vector<std::int64_t> costs_;                   // per pool: of a byte moved
};

}  // namespace repebble::inline v0::detail

#endif
