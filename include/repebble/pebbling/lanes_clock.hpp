#ifndef REPEBBLE_PEBBLING_LANES_CLOCK_HPP
#define REPEBBLE_PEBBLING_LANES_CLOCK_HPP

// The clock of a device that copies while it computes: three lanes, each in the order of the schedule, and memory that
// is free only when the work on it has ended. The list of steps is the memory, the lanes are the time; the README of
// this folder has the model and the proof that no moment has more bytes than the list.

#include <algorithm>
#include <array>
#include <cstddef>

#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/replay_clock.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// Computations, copies out and copies in run beside one another, each lane in the order of the schedule; over a half
/// duplex link all copies share one lane. Pass it to `verify_schedule` or `replay`.
class lanes_clock {
  public:
    /// Copies take their time on this link.  Throws bad_weight where the link is none (`check_link`).
    constexpr explicit lanes_clock(host_link const& via) : via_(via) { detail::check_link(via); }

    /// Runs on a lane for so long, from `ready` and the end of the lane's earlier work on; returns the end.
    constexpr auto run(lane l, std::int64_t ready, std::int64_t duration) -> std::int64_t {
        auto& end = ends_[static_cast<std::size_t>(via_.half_duplex && l == lane::prefetch ? lane::offload : l)];
        end = checked_add(std::max(end, ready), duration, "times of all steps");
        return end;
    }
    /// Memory of the pool that was let go is free from `when` on.
    constexpr void release(pool where, std::int64_t when) {
        auto& free = free_[static_cast<std::size_t>(where)];
        free = std::max(free, when);
    }
    /// From when on all memory of the pool that was let go so far is free.
    [[nodiscard]] constexpr auto available(pool where) const -> std::int64_t {
        return free_[static_cast<std::size_t>(where)];
    }
    /// Time of a copy of so many bytes.
    [[nodiscard]] constexpr auto transfer_time(bytes size) const -> std::int64_t { return via_.copy_time(size); }
    /// End of the last work on any lane.
    [[nodiscard]] constexpr auto elapsed() const -> std::int64_t { return std::ranges::max(ends_); }

  private:
    host_link via_;
    std::array<std::int64_t, 3> ends_{};
    std::array<std::int64_t, 2> free_{};
};

}  // namespace repebble::inline v0

#endif
