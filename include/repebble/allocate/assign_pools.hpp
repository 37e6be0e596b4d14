#ifndef REPEBBLE_ALLOCATE_ASSIGN_POOLS_HPP
#define REPEBBLE_ALLOCATE_ASSIGN_POOLS_HPP

// Offsets in several memory pools with capacities, of least traffic where the caller names any. Greedy orders fill the
// pools, and `assign_offsets` places each pool's buffers; prices of live bytes bound the traffic from below; branch and
// bound over the distributions finds the least, or that there is no plan (detail/pools). Where the caller says the
// accesses, buffers may be copied from pool to pool, too.
// Invariant: a returned plan respects every capacity and every required pool.

#include <span>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/pool_plan.hpp>

namespace repebble::inline v0 {

/// Offsets for buffers in several pools of memory with capacities, earlier pools preferred. `required`, if given, names
/// for each buffer the pool in which it must lie, or none; aliases share a pool, and with more than one pool a pinned
/// buffer must name one.
///
/// With `traffic`, the plan has the least traffic that was found: bytes moved of each buffer times the cost of its
/// pool, by default the bytes moved in all pools but the first. `traffic_bound` is proven. Where the two are equal no
/// plan has less traffic: so it is for some ten buffers always, and for hundreds where few live at once.
///
/// With `accesses` instead, the steps that touch each buffer and the bytes that each moves, a buffer may also lie in
/// the fast memory around its accesses and in a slower one between them. A copy is made when all accesses of its step
/// are, in a step that some access names; the buffer lies in both pools then. It costs its bytes in both pools. The
/// plan says the stays of each buffer and the copies; it has no more traffic than the one without copies that is found
/// in half the time. `traffic_bound` is of plans with copies, and the claims above hold where buffers have few routes,
/// 256 at most: of two pools those that live for up to eight steps of accesses. Others are copied right after their
/// accesses and right before, and where the bound would. `verify_pools` judges all.
///
/// Without either it returns the first plan of greedy orders: buffers with a required pool come first, of the others
/// the larger ones are put into the earlier pools; with `priorities`, if given one for each buffer, those of greater
/// priority, and the larger of equal ones. Aliases have the greatest of their priorities. If no plan by priority is
/// found, one without regard to it is returned. Where four orders have no plan, the distributions over the pools of at
/// most 2000 buffers are searched, within 300,000 steps and 1000 distributions that get offsets: this finds a plan, or
/// proves that there is none. Of any number that is proven where the live bytes exceed those of all pools, or a buffer
/// those of each pool in which it may lie.
///
/// O(n · times) for the loads, and the offsets, up to log n times for each greedy order and at most a thousand times
/// for the distributions; O(n · pools) some hundred times for the bound, with copies O(steps of all lives · pools²).
/// Throws bad_buffer if a buffer or a pool is invalid, a traffic or a cost negative, a priority not a number or an
/// access not in the lifetime, bad_weight if the traffic times the greatest cost does not fit in 64 bits, and
/// everything that assign_offsets throws.  Requires: as many required pools, priorities, traffics and accesses as
/// buffers, or none; traffics or accesses, not both; as many costs as pools, or none.
[[nodiscard]] auto assign_pools(std::span<buffer const> buffers, std::span<bytes const> capacities,
                                pool_options const& options = {}) -> pool_result;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/assign_pools.ipp>
#endif

#endif
