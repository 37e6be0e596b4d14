#ifndef REPEBBLE_ALLOCATE_ASSIGN_POOLS_HPP
#define REPEBBLE_ALLOCATE_ASSIGN_POOLS_HPP

// Offsets in several memory pools with capacities. Buffers are distributed greedily by live bytes (first fit over the
// pools, four orders), then `assign_offsets` places each pool's buffers.
// Invariant: a returned plan respects every capacity and every required pool.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// The pool and the offset of each buffer.
struct pool_plan {
    std::vector<std::size_t> pool_of{};  ///< of each buffer
    std::vector<bytes> offsets{};        ///< of each buffer, in its pool
    std::vector<bytes> heights{};        ///< of each pool
    friend auto operator==(pool_plan const&, pool_plan const&) -> bool = default;
};

namespace detail {

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
                 std::span<std::optional<std::size_t> const> required)
        : buffers_(buffers), capacities_(capacities), shapes_(shapes_of(buffers)), required_(shapes_.shapes.size()) {
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
        find_spans();
    }

    /// Puts the shapes, by descending key, each into the first pool that has enough free bytes; nullopt if one fits
    /// nowhere.
    template <class Key>
    auto try_order(Key key, offset_options const& options) -> std::optional<pool_plan> {
        std::vector<std::size_t> order(shapes_.shapes.size());
        for (std::size_t s = 0; s < order.size(); ++s) order[s] = s;
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) > key(b); });
        std::vector<pool_load> loads(capacities_.size(), pool_load(times_.size()));
        std::vector<std::size_t> pool_of(shapes_.shapes.size());
        for (auto const s : order) {
            auto const [first, last] = spans_[s];
            auto const size = shapes_.shapes[s].size;
            auto p = required_[s].value_or(0);
            while (p < loads.size() && !loads[p].fits(first, last, size, capacities_[p])) {
                if (required_[s]) return std::nullopt;
                ++p;
            }
            if (p == loads.size()) return std::nullopt;
            loads[p].add(first, last, size);
            pool_of[s] = p;
        }
        return offsets_in(pool_of, options);
    }

    [[nodiscard]] auto size(std::size_t s) const { return shapes_.shapes[s].size; }
    [[nodiscard]] auto length(std::size_t s) const { return spans_[s].second - spans_[s].first; }

  private:
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

    [[nodiscard]] auto offsets_in(std::vector<std::size_t> const& pool_of, offset_options options) const
        -> std::optional<pool_plan> {
        pool_plan plan{std::vector<std::size_t>(buffers_.size()), std::vector<bytes>(buffers_.size()), {}};
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
            if (found.height > capacities_[p]) return std::nullopt;
            plan.heights.push_back(found.height);
            for (std::size_t k = 0; k < members.size(); ++k) {
                plan.pool_of[numbers[k]] = p;
                plan.offsets[numbers[k]] = found.offsets[k];
            }
        }
        return plan;
    }

    std::span<buffer const> buffers_;
    std::span<bytes const> capacities_;
    buffer_shapes shapes_;
    std::vector<std::optional<std::size_t>> required_;          // per shape
    std::vector<std::int64_t> times_{};                         // begins and ends of pieces
    std::vector<std::pair<std::size_t, std::size_t>> spans_{};  // per shape
};

struct assign_pools_fn {
    [[nodiscard]] auto operator()(std::span<buffer const> buffers, std::span<bytes const> capacities,
                                  std::span<std::optional<std::size_t> const> required = {},
                                  offset_options const& options = {}) const -> std::optional<pool_plan> {
        REPEBBLE_ASSERT(required.empty() || required.size() == buffers.size());
        pool_planner planner(buffers, capacities, required);
        if (buffers.empty()) return pool_plan{{}, {}, std::vector<bytes>(capacities.size(), 0)};
        if (capacities.empty()) return std::nullopt;
        auto const size = [&](std::size_t s) { return static_cast<double>(planner.size(s)); };
        auto const length = [&](std::size_t s) { return static_cast<double>(planner.length(s)); };
        if (auto plan = planner.try_order(size, options)) return plan;
        if (auto plan = planner.try_order([&](std::size_t s) { return size(s) * length(s); }, options)) return plan;
        if (auto plan = planner.try_order(length, options)) return plan;
        return planner.try_order([&](std::size_t s) { return -length(s); }, options);
    }
};

}  // namespace detail

/// Offsets for buffers in several pools of memory with capacities, earlier pools preferred. `required`, if given, names
/// for each buffer the pool in which it must lie, or none; aliases share a pool, and with more than one pool a pinned
/// buffer must name one. A heuristic: nullopt means that it found no plan, not that none exists.
/// O(n · times) for the loads, and the offsets.  Throws bad_buffer if a buffer or a pool is invalid, and everything
/// that assign_offsets throws.  Requires: as many required pools as buffers, or none.
inline constexpr detail::assign_pools_fn assign_pools{};

}  // namespace repebble::inline v0

#endif
