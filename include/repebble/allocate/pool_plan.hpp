#ifndef REPEBBLE_ALLOCATE_POOL_PLAN_HPP
#define REPEBBLE_ALLOCATE_POOL_PLAN_HPP

// Options and answers of `assign_pools`: where buffers lie in several pools of memory, and the traffic there.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/allocate/buffer.hpp>

namespace repebble::inline v0 {

/// The pool and the offset of each buffer.
struct pool_plan {
    std::vector<std::size_t> pool_of{};  ///< of each buffer
    std::vector<bytes> offsets{};        ///< of each buffer, in its pool
    std::vector<bytes> heights{};        ///< of each pool
    friend auto operator==(pool_plan const&, pool_plan const&) -> bool = default;
};

/// The answer of `assign_pools`. Traffic is in units of bytes moved times the cost of a byte.
struct pool_result {
    std::optional<pool_plan> plan{};  ///< nothing: none was found
    bool none_exists = false;         ///< where there is no plan: that is proven
    std::int64_t traffic = 0;         ///< of the plan: of each buffer the bytes moved times the cost of its pool
    std::int64_t traffic_bound = 0;   ///< no plan has less; equal to `traffic`: the plan is of least traffic
    friend auto operator==(pool_result const&, pool_result const&) -> bool = default;
};

/// Options of `assign_pools`. Spans refer to what the caller keeps.
struct pool_options {
    std::span<std::optional<std::size_t> const> required{};  ///< of each buffer: the pool in which it must lie, or none
    std::span<double const> priorities{};     ///< of each buffer: those of greater priority get the earlier pools
    std::span<std::int64_t const> traffic{};  ///< of each buffer: the bytes that are moved to and from it, at least 0
    std::span<std::int64_t const> costs{};    ///< of each pool: of a byte moved; none: 0 in the first, 1 in the others
    /// Of the search for offsets in each pool, whose capacity is the pool's; seconds and `stop` are for all together.
    offset_options offsets{};
};

}  // namespace repebble::inline v0

#endif
