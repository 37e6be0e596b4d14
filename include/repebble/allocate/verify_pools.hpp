#ifndef REPEBBLE_ALLOCATE_VERIFY_POOLS_HPP
#define REPEBBLE_ALLOCATE_VERIFY_POOLS_HPP

// The checker of plans for pools: what lies in a pool is checked by `verify_offsets`, and stays and copies one by one.
// Tests and programs use it; it shares no code with `assign_pools`.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/pool_plan.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// Result of a check.
struct pool_verdict {
    std::int64_t traffic = 0;             ///< of the plan, by the options
    std::optional<offset_fault> fault{};  ///< nullopt: the plan is valid

    /// Whether the plan is valid.
    [[nodiscard]] explicit operator bool() const noexcept { return !fault; }
    /// The fault in one sentence; empty where there is none.
    [[nodiscard]] auto message() const -> std::string { return fault ? fault->message : std::string(); }
    friend auto operator==(pool_verdict const&, pool_verdict const&) -> bool = default;
};

/// Checks a plan for pools: each buffer lies in the pool that it must lie in, aliases with their buffers; what lies in
/// a pool does not overlap and ends within the capacity, at the height that the plan says. The stays of a buffer follow
/// one another through its lifetime, and of two that do both are live in one step: that of their copy, which some
/// access names. The copies of the plan are these. Returns the traffic and, if the plan is invalid, a fault.
/// O((n + stays) log n).  Throws bad_buffer if a buffer is invalid, bad_weight if the traffic does not fit in 64 bits.
/// Requires: options as of `assign_pools`; as many pools, offsets and stays, where there are any, as buffers.
[[nodiscard]] auto verify_pools(std::span<buffer const> buffers, std::span<bytes const> capacities,
                                pool_plan const& plan, pool_options const& options = {}) -> pool_verdict;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/verify_pools.ipp>
#endif

#endif
