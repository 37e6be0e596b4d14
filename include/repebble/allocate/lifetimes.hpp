#ifndef REPEBBLE_ALLOCATE_LIFETIMES_HPP
#define REPEBBLE_ALLOCATE_LIFETIMES_HPP

// Liveness analysis of a schedule: replays it once and records, by an observer of the pebble game, when every storage
// and workspace begins and ends in the device pool and every copy in the host pool. `plan_arena` and the planners of
// offsets and blocks take its result.
// Invariant: the greatest live bytes of the device buffers are the peak of the replay.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/clock.hpp>
#include <repebble/pebbling/replay.hpp>
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

/// Observer of a replay that records the lifetimes in both pools.
class lifetime_recorder {
  public:
    lifetime_recorder(schedule<> const& plan, bytes device_alignment, bytes host_alignment)
        : plan_(plan), device_{.alignment = device_alignment}, host_{.alignment = host_alignment} {
        for (auto const alignment : {device_alignment, host_alignment})
            if (alignment < 1)
                detail::raise(bad_buffer("an alignment must be at least 1, not " + std::to_string(alignment)));
    }

    void allocate(std::size_t step, instance i, pool where, bytes size, storage_pool::id storage) {
        auto& in = where == pool::host ? host_ : device_;
        auto const key = key_of(i, where, storage);
        if (key >= in.buffer_of.size()) in.buffer_of.resize(key + 1);
        in.buffer_of[key] = in.found.buffers.size();
        in.add(step, plan_.steps.size(), size, {.storage = i});
    }
    /// A discard ends a storage before its step; a computation ends it after its step, as the storage that it replaces
    /// lies beside the new one until then.
    void release(std::size_t step, instance i, pool where, storage_pool::id storage) {
        auto& in = where == pool::host ? host_ : device_;
        auto const buffer = in.buffer_of[key_of(i, where, storage)];
        auto const end = step + (plan_.steps[step].what == action::compute ? 1U : 0U);
        in.found.buffers[buffer].lifetime.upper = static_cast<std::int64_t>(end);
        in.ends.emplace_back(step, buffer);
    }
    void workspace(std::size_t step, operation_index v, std::uint32_t repetition, bytes size) {
        device_.add(step, step + 1, size,
                    {.what = buffer_use::kind::workspace, .operation = v, .repetition = repetition});
    }
    [[nodiscard]] auto finish(bytes peak) && -> replayed_lifetimes {
        auto const steps = plan_.steps.size();
        return {std::move(device_.found), std::move(host_.found), {steps, device_.ends}, {steps, host_.ends}, peak};
    }

  private:
    struct pool_record {
        void add(std::size_t begin, std::size_t end, bytes size, buffer_use use) {
            found.buffers.push_back({.lifetime = {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)},
                                     .size = size,
                                     .alignment = alignment});
            found.uses.push_back(use);
        }

        bytes alignment = 1;
        std::vector<std::size_t> buffer_of{};  // of each storage
        schedule_lifetimes found{};
        std::vector<std::pair<std::size_t, std::size_t>> ends{};  // a step, and a buffer
    };

    /// The key of a storage. In the host pool each storage holds one value, and each value lies in one storage.
    [[nodiscard]] static auto key_of(instance i, pool where, storage_pool::id storage) -> std::size_t {
        return where == pool::device ? storage : i.value;
    }

    schedule<> const& plan_;
    pool_record device_, host_;
};

/// Lifetimes in both pools.  Throws illegal_schedule if the schedule breaks a rule, bad_buffer if an alignment is below
/// 1.
template <quantity Time>
[[nodiscard]] auto replay_lifetimes(dataflow<Time> const& flow, schedule<> const& plan, bytes device_alignment,
                                    bytes host_alignment) -> replayed_lifetimes {
    lifetime_recorder recorder(plan, device_alignment, host_alignment);
    auto const peak = replay(flow, plan, {}, serial_clock<Time>{}, recorder).peak;
    return std::move(recorder).finish(peak);
}

struct lifetimes_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, schedule<> const& plan, bytes alignment = 1,
                                  pool where = pool::device) const -> schedule_lifetimes {
        auto all = replay_lifetimes(flow, plan, alignment, alignment);
        return where == pool::host ? std::move(all.host) : std::move(all.device);
    }
};

}  // namespace detail

/// Returns the buffers of a schedule in a pool, each with the steps during which it is allocated. In the device pool
/// there is one buffer for each storage, however many views, in-place computations and mutations share it, and one for
/// each run with a workspace; a result's lasts to the end; their greatest live bytes are the peak of `replay`. In the
/// host pool there is one buffer for each copy. O(steps · values per step). Throws illegal_schedule if the schedule
/// breaks a rule, bad_buffer if the alignment is below 1.
inline constexpr detail::lifetimes_fn lifetimes{};

}  // namespace repebble::inline v0

#endif
