#ifndef REPEBBLE_ALLOCATE_LIFETIMES_HPP
#define REPEBBLE_ALLOCATE_LIFETIMES_HPP

// Liveness analysis of a schedule: replays it once and records, by an observer of the pebble game, when every storage
// and workspace begins and ends in the device pool and every copy in the host pool. `make_arena` and the planners of
// offsets and blocks take its result.
// Invariant: the greatest live bytes of the device buffers are the peak of the replay.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/storage_pool.hpp>

namespace repebble::inline v0 {

/// The part of a schedule that a buffer serves: a storage of values, or the workspace of one run of an operation.
struct buffer_use {
    /// The two kinds of buffers.
    enum class kind : std::uint8_t { storage, workspace };
    kind what = kind::storage;      ///< whether it is a storage or a workspace
    instance storage{};             ///< of a storage: the instance with which it begins
    operation_index operation = 0;  ///< of a workspace: the operation that needs it
    std::uint32_t repetition = 0;   ///< of a workspace: the run of that operation, from 0
    friend constexpr auto operator==(buffer_use const&, buffer_use const&) -> bool = default;
};

/// The buffers of a schedule in one pool, in the order in which they begin.
struct schedule_lifetimes {
    std::vector<buffer> buffers{};   ///< time is counted in steps of the schedule
    std::vector<buffer_use> uses{};  ///< of each buffer
    friend auto operator==(schedule_lifetimes const&, schedule_lifetimes const&) -> bool = default;
};

namespace detail {

/// Result of one replay: the buffers of both pools, the buffers that end with each step, and the peak.
struct replayed_lifetimes {
    schedule_lifetimes device{}, host{};
    jagged_array<std::size_t> ends{};       ///< for every step: the buffers in the device pool that end with it
    jagged_array<std::size_t> host_ends{};  ///< for every step: those in the host pool
    bytes peak = 0;                         ///< of the device pool
};

/// Lifetimes in both pools.  Throws illegal_schedule if the schedule breaks a rule, bad_buffer if an alignment is below
/// 1.
[[nodiscard]] auto replay_lifetimes(dataflow const& flow, schedule<> const& plan, bytes device_alignment,
                                    bytes host_alignment) -> replayed_lifetimes;

}  // namespace detail

/// Returns the buffers of a schedule in a pool, each with the steps during which it is allocated. In the device pool
/// there is one buffer for each storage, however many views, in-place computations and mutations share it, and one for
/// each run with a workspace; a result's lasts to the end; their greatest live bytes are the peak of `replay`. In the
/// host pool there is one buffer for each copy. O(steps · values per step). Throws illegal_schedule if the schedule
/// breaks a rule, bad_buffer if the alignment is below 1.
[[nodiscard]] inline auto find_lifetimes(dataflow const& flow, schedule<> const& plan, bytes alignment = 1,
                                         pool where = pool::device) -> schedule_lifetimes {
    auto all = detail::replay_lifetimes(flow, plan, alignment, alignment);
    return where == pool::host ? std::move(all.host) : std::move(all.device);
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/lifetimes.ipp>
#endif

#endif
