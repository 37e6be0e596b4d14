#ifndef REPEBBLE_ALLOCATE_ASSIGN_POOLS_HPP
#define REPEBBLE_ALLOCATE_ASSIGN_POOLS_HPP

// Offsets in several memory pools with capacities. Buffers are distributed greedily by live bytes (first fit over the
// pools, by priority and four orders), then `assign_offsets` places each pool's buffers; where these do not fit, the
// last in the order move to later pools. Where no order has a plan, all distributions of few buffers are tried.
// Invariant: a returned plan respects every capacity and every required pool.

#include <cstddef>
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

/// The answer of `assign_pools`.
struct pool_result {
    std::optional<pool_plan> plan{};  ///< nothing: none was found
    bool none_exists = false;         ///< where there is no plan: that is proven
    friend auto operator==(pool_result const&, pool_result const&) -> bool = default;
};

/// Options of `assign_pools`. Spans refer to what the caller keeps.
struct pool_options {
    std::span<std::optional<std::size_t> const> required{};  ///< of each buffer: the pool in which it must lie, or none
    std::span<double const> priorities{};  ///< of each buffer: those of greater priority get the earlier pools
    /// Of the search for offsets in each pool, whose capacity is the pool's; seconds and `stop` are for all together.
    offset_options offsets{};
};

/// Offsets for buffers in several pools of memory with capacities, earlier pools preferred. `required`, if given, names
/// for each buffer the pool in which it must lie, or none; aliases share a pool, and with more than one pool a pinned
/// buffer must name one. Buffers with a required pool come first; of the others the larger ones are put into the
/// earlier pools; with `priorities`, if given one for each buffer, those of greater priority, and the larger of equal
/// ones. Bytes moved per byte of size as priority, say, keep the traffic in a small fast pool that comes first. Aliases
/// have the greatest of their priorities. If no plan by priority is found, one without regard to it is returned.
/// Where four orders have no plan, all distributions over the pools are searched, of at most 64 buffers and within
/// 100,000 steps: this finds a plan, or proves that there is none. Of any number that is proven where the live bytes
/// exceed those of all pools, or a buffer those of each pool in which it may lie.
/// O(n · times) for the loads, and the offsets, up to log n times for each of four orders and at most a thousand times
/// for the distributions.  Throws bad_buffer if a
/// buffer or a pool is invalid or a priority is not a number, and everything that assign_offsets throws.  Requires: as
/// many required pools, and priorities, as buffers, or none.
[[nodiscard]] auto assign_pools(std::span<buffer const> buffers, std::span<bytes const> capacities,
                                pool_options const& options = {}) -> pool_result;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/assign_pools.ipp>
#endif

#endif
