#ifndef REPEBBLE_IMPL_ALLOCATE_ASSIGN_POOLS_IPP
#define REPEBBLE_IMPL_ALLOCATE_ASSIGN_POOLS_IPP

#include <repebble/allocate/assign_pools.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/detail/separate_compilation.hpp>
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
    pool_planner(std::span<buffer const> buffers, std::span<bytes const> capacities,
                 std::span<std::optional<std::size_t> const> required, std::span<double const> priorities)
        : buffers_(buffers),
          capacities_(capacities),
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
    /// that has enough free bytes; nullopt if one fits nowhere. While a pool's offsets do not fit, more and more of the
    /// last shapes beside those above its capacity move on to later pools.
    template <class Key>
    auto try_order(bool by_priority, Key key, offset_options const& options) -> std::optional<pool_plan> {
        std::vector<std::size_t> order(shapes_.shapes.size());
        for (std::size_t s = 0; s < order.size(); ++s) order[s] = s;
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
            if (required_[a].has_value() != required_[b].has_value()) return required_[a].has_value();
            if (by_priority && (priority_[a] < priority_[b] || priority_[b] < priority_[a]))
                return priority_[b] < priority_[a];
            return key(a) > key(b);
        });
        std::vector<std::size_t> first_pool(order.size());
        for (std::size_t s = 0; s < order.size(); ++s) first_pool[s] = required_[s].value_or(0);
        for (std::size_t moves = 1;; moves *= 2) {
            auto const pool_of = distribute(order, first_pool);
            if (!pool_of) return std::nullopt;
            auto plan = offsets_in(*pool_of, options);
            auto const full = plan.heights.size() - 1;
            if (plan.heights[full] <= capacities_[full]) return plan;
            if (!move_on(plan, full, order, moves, first_pool)) return std::nullopt;
        }
    }

    [[nodiscard]] auto size(std::size_t s) const { return shapes_.shapes[s].size; }
    [[nodiscard]] auto length(std::size_t s) const { return spans_[s].second - spans_[s].first; }

  private:
    /// The pool of each shape by live bytes, or nullopt.
    [[nodiscard]] auto distribute(std::vector<std::size_t> const& order,
                                  std::vector<std::size_t> const& first_pool) const
        -> std::optional<std::vector<std::size_t>> {
        std::vector<pool_load> loads(capacities_.size(), pool_load(times_.size()));
        std::vector<std::size_t> pool_of(order.size());
        for (auto const s : order) {
            auto const [first, last] = spans_[s];
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
    /// Lets up to `moves` shapes, the last of the order, begin at the pool after a full one; false if there are none.
    [[nodiscard]] auto move_on(pool_plan const& plan, std::size_t full, std::vector<std::size_t> const& order,
                               std::size_t moves, std::vector<std::size_t>& first_pool) const -> bool {
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
            if (in_full[s] == 0 || required_[s] || !is_beside(s)) continue;
            first_pool[s] = full + 1;
            ++moved;
        }
        return moved > 0;
    }

    void find_spans() {
        for (std::size_t s = 0; s < shapes_.pieces.size(); ++s)
            for (auto const& p : shapes_.pieces[s])
                times_.push_back(p.lifetime.lower), times_.push_back(p.lifetime.upper);
        std::sort(times_.begin(), times_.end());
        times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
        auto const at = [&](std::int64_t time) {
            return static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), time) - times_.begin());
        };
        spans_.resize(shapes_.pieces.size());
        for (std::size_t s = 0; s < spans_.size(); ++s) {
            auto const pieces = shapes_.pieces[s];
            if (pieces.empty()) continue;
            auto end = pieces.front().lifetime.upper;
            for (auto const& p : pieces) end = std::max(end, p.lifetime.upper);
            spans_[s] = {at(pieces.front().lifetime.lower), at(end)};
        }
    }

    /// The offsets in the pools up to the first whose buffers do not fit.
    [[nodiscard]] auto offsets_in(std::vector<std::size_t> const& pool_of, offset_options options) const -> pool_plan {
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
            if (found.height > capacities_[p]) break;
        }
        return plan;
    }

    std::span<buffer const> buffers_;
    std::span<bytes const> capacities_;
    buffer_shapes shapes_;
    std::vector<std::optional<std::size_t>> required_;          // per shape
    std::vector<double> priority_;                              // per shape: the greatest of its buffers
    std::vector<std::int64_t> times_{};                         // begins and ends of pieces
    std::vector<std::pair<std::size_t, std::size_t>> spans_{};  // per shape
};

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto assign_pools(std::span<buffer const> buffers, std::span<bytes const> capacities,
                                  pool_options const& options) -> std::optional<pool_plan> {
    auto const [required, priorities, offsets] = options;
    REPEBBLE_ASSERT(required.empty() || required.size() == buffers.size());
    REPEBBLE_ASSERT(priorities.empty() || priorities.size() == buffers.size());
    detail::pool_planner planner(buffers, capacities, required, priorities);
    if (buffers.empty()) return pool_plan{{}, {}, std::vector<bytes>(capacities.size(), 0)};
    if (capacities.empty()) return std::nullopt;
    auto const size = [&](std::size_t s) { return static_cast<double>(planner.size(s)); };
    auto const length = [&](std::size_t s) { return static_cast<double>(planner.length(s)); };
    auto const area = [&](std::size_t s) { return size(s) * length(s); };
    auto const brevity = [&](std::size_t s) { return -length(s); };
    for (bool const by_priority : {true, false}) {
        if (by_priority && priorities.empty()) continue;
        if (auto plan = planner.try_order(by_priority, size, offsets)) return plan;
        if (auto plan = planner.try_order(by_priority, area, offsets)) return plan;
        if (auto plan = planner.try_order(by_priority, length, offsets)) return plan;
        if (auto plan = planner.try_order(by_priority, brevity, offsets)) return plan;
    }
    return std::nullopt;
}

}  // namespace repebble::inline v0

#endif
