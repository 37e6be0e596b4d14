#ifndef REPEBBLE_ALLOCATE_POOL_PLAN_HPP
#define REPEBBLE_ALLOCATE_POOL_PLAN_HPP

// Options and answers of `assign_pools`: where buffers lie in several pools of memory, the copies between these, and
// the traffic there. `verify_pools` checks a plan.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/allocate/buffer.hpp>

namespace repebble::inline v0 {

/// An access to a buffer, which may be in any pool then.
struct pool_access {
    std::int64_t time = 0;     ///< in the lifetime of the buffer: its step is [time, time + 1)
    std::int64_t traffic = 0;  ///< the bytes that are moved to and from it, at least 0
    friend auto operator==(pool_access const&, pool_access const&) -> bool = default;
};

/// Where a buffer lies for a part of its lifetime.
struct pool_stay {
    std::size_t pool = 0;  ///< its number
    bytes offset = 0;      ///< in the pool
    interval lifetime{};   ///< the step of the copy to the next stay is the last of this one and the first of that
    friend auto operator==(pool_stay const&, pool_stay const&) -> bool = default;
};

/// A copy of a buffer, made when all accesses of its step are.
struct pool_copy {
    std::int64_t time = 0;   ///< its step is [time, time + 1)
    std::size_t buffer = 0;  ///< its number
    std::size_t stay = 0;    ///< from this stay of the buffer to the next
    friend auto operator==(pool_copy const&, pool_copy const&) -> bool = default;
};

/// The pool and the offset of each buffer.
struct pool_plan {
    std::vector<std::size_t> pool_of{};           ///< of each buffer; of one that is copied, at its begin
    std::vector<bytes> offsets{};                 ///< of each buffer, in its pool; of one that is copied, at its begin
    std::vector<bytes> heights{};                 ///< of each pool
    std::vector<std::vector<pool_stay>> stays{};  ///< of each buffer, one after the other; none: no accesses were given
    std::vector<pool_copy> copies{};              ///< in the order of time
    friend auto operator==(pool_plan const&, pool_plan const&) -> bool = default;
};

/// The answer of `assign_pools`. Traffic is in units of bytes moved times the cost of a byte.
struct pool_result {
    std::optional<pool_plan> plan{};  ///< nothing: none was found
    bool none_exists = false;         ///< where there is no plan: that is proven
    std::int64_t traffic = 0;         ///< of the plan: of each buffer the bytes moved times the cost of its pool; of
                                      ///< each copy its bytes times the costs of both pools
    std::int64_t traffic_bound = 0;   ///< no plan has less; equal to `traffic`: the plan is of least traffic
    friend auto operator==(pool_result const&, pool_result const&) -> bool = default;
};

/// Options of `assign_pools`. Spans refer to what the caller keeps.
struct pool_options {
    std::span<std::optional<std::size_t> const> required{};  ///< of each buffer: the pool in which it must lie, or none
    std::span<double const> priorities{};     ///< of each buffer: those of greater priority get the earlier pools
    std::span<std::int64_t const> traffic{};  ///< of each buffer: the bytes that are moved to and from it, at least 0
    std::span<std::int64_t const> costs{};    ///< of each pool: of a byte moved; none: 0 in the first, 1 in the others
    /// Of each buffer, instead of its traffic. With them a buffer may be copied to other pools, in any step that an
    /// access of some buffer names, and lies in both pools then; except for those with required pools, pins, gaps or
    /// aliases.
    std::span<std::vector<pool_access> const> accesses{};
    /// Of the search for offsets in each pool, whose capacity is the pool's; seconds and `stop` are for all together.
    offset_options offsets{};
};

}  // namespace repebble::inline v0

#endif
