#ifndef REPEBBLE_CHAINS_PERIODIC_DISK_REVOLVE_HPP
#define REPEBBLE_CHAINS_PERIODIC_DISK_REVOLVE_HPP

// Periodic Disk-Revolve: two levels of memory where each snapshot of the second is read once, for chains of any length
// (G. Aupy, J. Herrmann: Periodicity in optimal hierarchical checkpointing schemes for adjoint computations, 2017).
// No table: t snapshots on disk split the chain into t segments of x steps, each of which costs w + r + x + A(x) with
// REVOLVE's advances A, and a last one of A(y). A is convex, so the best lengths for a given t are those with all
// slopes at most ρ, and the cost is convex in t: all t segments together cost t φ(X / t), the perspective of a convex
// φ.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

#include <repebble/chains/binomial_bounds.hpp>
#include <repebble/chains/detail/action_iterator.hpp>
#include <repebble/chains/detail/offset_reversal.hpp>
#include <repebble/chains/storage_level.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// The plan and the actions of a reversal with periodic snapshots on disk; a lazy, single-pass input range of
/// level_action. Level 0 is the memory, whose slots cost nothing, level 1 the disk.
class periodic_disk_schedule {
  public:
    /// A single-pass iterator over the actions.
    using iterator = detail::action_iterator<periodic_disk_schedule, level_action>;

    /// So many steps, with slots in memory and a disk.
    periodic_disk_schedule(std::uint64_t steps, std::uint32_t slots, storage_level const& disk, step_costs const& step);

    /// The cost of all actions.
    [[nodiscard]] auto least_cost() const noexcept -> std::int64_t { return least_; }
    /// Snapshots on disk.
    [[nodiscard]] auto disk_snapshots() const noexcept -> std::uint64_t { return segments_; }
    /// Steps from one snapshot on disk to the next; of the first few one more. 0: there is no snapshot on disk.
    [[nodiscard]] auto period() const noexcept -> std::uint64_t { return period_; }

    [[nodiscard]] auto begin() -> iterator { return iterator(*this); }
    [[nodiscard]] auto end() const noexcept -> std::default_sentinel_t { return {}; }

  private:
    friend iterator;
    using kind = revolve_action::kind;
    __extension__ using wide = __int128;

    static constexpr auto most_steps_allowed = (std::uint64_t{1} << 61U) - 1;  // so that sums fit in 127 bits
    static constexpr auto too_much = wide{1} << 126U;

    [[noreturn]] void raise_too_long() const {
        detail::raise(bad_weight("the cost of " + std::to_string(steps_) + " steps does not fit in 64 bits"));
    }
    [[nodiscard]] auto current() const noexcept -> level_action const& { return now_; }
    [[nodiscard]] auto is_over() const noexcept -> bool { return steps_ == 0; }

    /// β(slots, r), at least 1.
    [[nodiscard]] auto most_steps(std::int64_t repetitions) const -> std::uint64_t {
        return binomial_bounds::most_steps(slots_, static_cast<std::uint64_t>(std::max<std::int64_t>(0, repetitions)));
    }
    /// The steps that t segments and the last one hold where no step costs more than ρ advances.
    [[nodiscard]] auto capacity(std::uint64_t t, std::int64_t rho) const -> wide {
        return wide{most_steps(rho)} + wide{t} * wide{most_steps(rho - 1)};
    }
    /// The least ρ >= 1 with which t segments and the last one hold all steps.
    [[nodiscard]] auto most_advances(std::uint64_t t) const -> std::int64_t;
    /// The least cost with t snapshots on disk; `too_much` where the advances do not fit in 63 bits: then the parts are
    /// too long, and t is too small.
    [[nodiscard]] auto cost(std::uint64_t t) const -> wide;
    /// Steps beyond those with fewer advances go to the segments, evenly, and the rest to the last one.
    void place_segments();
    /// The state before a segment; that of the last one is segments_.
    [[nodiscard]] auto state_of(std::uint64_t segment) const -> std::uint64_t {
        return segment * period_ + std::min(segment, longer_);
    }
    void begin_memory(std::uint64_t first, std::uint64_t end) {
        in_memory_.begin(first, end - first, slots_);
        now_ = in_memory_.current();
    }

    void advance();

    std::uint64_t steps_;  ///< those that are not reversed yet
    std::uint32_t slots_;
    storage_level disk_;
    step_costs step_;
    std::int64_t least_ = 0;
    std::uint64_t segments_ = 0, period_ = 0;
    std::uint64_t longer_ = 0;  ///< so many segments are of one step more
    std::uint64_t at_ = 0;      ///< the segment that is read or written next
    level_action now_{};
    detail::offset_reversal in_memory_{};
};

/// Periodic Disk-Revolve: reverses a chain of equal steps with slots in memory, at no cost, and snapshots on disk that
/// are written in the forward sweep and read once. Optimal among the schedules that read each snapshot on disk once,
/// with at most `disk.slots` of them in all: a slot is not used again after its snapshot was read. Those that read them
/// more often (`level_table`) may cost less. Aupy, Herrmann 2017.
///
/// Lazy: O(log² steps) at the begin, amortised constant time for each action, O(slots) memory.
/// Throws bad_weight where there is no slot in memory, a cost is negative, the sum of costs does not fit in 64 bits,
/// there are 2^61 steps or more, or a disk without limit would best hold 2^32 snapshots or more.
[[nodiscard]] inline auto periodic_disk_revolve(std::uint64_t steps, std::uint32_t slots, storage_level const& disk,
                                                step_costs const& step = {}) -> periodic_disk_schedule {
    return {steps, slots, disk, step};
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/chains/periodic_disk_revolve.ipp>
#endif

#endif
