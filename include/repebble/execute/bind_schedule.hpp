#ifndef REPEBBLE_EXECUTE_BIND_SCHEDULE_HPP
#define REPEBBLE_EXECUTE_BIND_SCHEDULE_HPP

// From a schedule and its arenas to a bound schedule: judges the schedule, checks the arenas, and gives every step its
// addresses.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/buffer_walk.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/execute/bound_schedule.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

namespace detail {

/// The alignment of an arena: `find_lifetimes` gives all buffers the same.
[[nodiscard]] inline auto alignment_of(arena const& a) -> bytes {
    return a.lifetimes.buffers.empty() ? 1 : a.lifetimes.buffers.front().alignment;
}

/// Throws bad_arena unless the arena was planned for these lifetimes and lets no two live buffers overlap.
void require_arena_of(schedule_lifetimes const& lifetimes, arena const& a);

/// Walks a schedule and its buffers together, and records the addresses of each step.
class schedule_binder {
  public:
    /// Throws bad_arena unless the arenas are of the replay's lifetimes.
    schedule_binder(dataflow const& flow, schedule<> const& plan, replayed_lifetimes const& replayed,
                    arena const& device, arena const& host)
        : flow_(flow),
          plan_(plan),
          replayed_(replayed),
          device_(device),
          host_(host),
          walk_(flow),
          computations_(flow.value_count(), 0),
          host_copy_(flow.value_count(), 0) {
        require_arena_of(replayed.device, device);
        require_arena_of(replayed.host, host);
    }

    [[nodiscard]] auto bind() && -> bound_schedule;

  private:
    using walk = buffer_walk;

    void set_pool(std::size_t which, arena const& a) {
        out_.size_[which] = a.size;
        out_.alignment_[which] = alignment_of(a);
    }
    [[nodiscard]] static auto block_of(arena const& a, std::size_t buffer) -> block {
        return {a.offsets[buffer], a.lifetimes.buffers[buffer].size};
    }
    void place(value_index value);
    void place_in_host(value_index value) {
        auto const offset = host_.offsets[host_copy_[value]];
        out_.values_.push_back({{value, computations_[value] - 1}, value, {offset, flow_.size(value)}});
    }

    void compute(step<> const& s);
    void copy_or_discard(step<> const& s);

    dataflow const& flow_;
    schedule<> const& plan_;
    replayed_lifetimes const& replayed_;
    arena const& device_;
    arena const& host_;
    walk walk_;
    std::vector<std::uint32_t> computations_;  // per value
    std::vector<std::size_t> host_copy_;       // per value: buffer of its last copy in the host pool
    std::size_t copies_ = 0;
    bound_schedule out_{};
};

}  // namespace detail

/// Binds a schedule to memory: an address for every value, workspace and copy of its steps, from the arenas `device`
/// and `host`; a missing arena is planned by `make_arena`. The schedule keeps all results, and its steps of inputs are
/// bound like others.  O(steps · values per step), plus planning. Throws
/// illegal_schedule where the schedule breaks a rule of the pebble game, bad_arena where an arena was planned for
/// another schedule or lets two live buffers overlap.  Requires: options.where is the device pool.
[[nodiscard]] auto bind_schedule(dataflow const& flow, schedule<> const& plan, arena const& device, arena const& host)
    -> bound_schedule;
/// The same.
[[nodiscard]] auto bind_schedule(dataflow const& flow, schedule<> const& plan, arena const& device) -> bound_schedule;
/// The same.
[[nodiscard]] auto bind_schedule(dataflow const& flow, schedule<> const& plan, arena_options const& options = {})
    -> bound_schedule;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/execute/bind_schedule.ipp>
#endif

#endif
