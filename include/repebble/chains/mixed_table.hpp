#ifndef REPEBBLE_CHAINS_MIXED_TABLE_HPP
#define REPEBBLE_CHAINS_MIXED_TABLE_HPP

// Mixed checkpointing of a chain of equal steps: a slot stores a state, or (a part of) all that the reversal of a step
// needs, its tape (J. R. Maddison: Step-based checkpointing with high-level algorithmic differentiation, J. Comput.
// Sci. 82, 2024). The table is filled by detail/split_row.hpp; mixed_schedule reads the actions from it.

#include <cstdint>
#include <iterator>
#include <vector>

#include <repebble/chains/detail/action_iterator.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// One action of a reversal with mixed snapshots. State i is the state before step i; one state at a time is the
/// current one.
struct mixed_action {
    /// The kinds of REVOLVE's actions, and two that store and use a tape.
    enum class kind : std::uint8_t {
        snapshot,  ///< the current state, `begin`, is copied into slot `slot`
        advance,   ///< steps `begin` … `end` - 1 run forward; state `end` is the current one
        restore,   ///< state `begin` is read from slot `slot`
        reverse,   ///< step `begin`, whose state is the current one, runs forward with its tape, and then backward
        record,    ///< step `begin` runs forward; its tape goes to slot `slot`, and state `end` is the current one
        reverse_recorded,  ///< step `begin` runs backward from the tape in slot `slot`
    };
    kind what = kind::snapshot;  ///< which of them it is
    std::uint32_t slot = 0;      ///< of a snapshot, a restore or a tape; a tape takes the slots from here on
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  ///< of an advance and a record; equal to `begin` for the others

    friend constexpr auto operator==(mixed_action const&, mixed_action const&) -> bool = default;
};

class mixed_schedule;

/// The least numbers of advances where slots store states or tapes.
class mixed_table {
  public:
    /// A state takes one slot, a tape `tape_slots`; the state before the first step takes one only where it is stored.
    /// Least among all reversals. O(steps · slots · kinks of a row) time, 12 · steps · slots bytes.
    /// Throws bad_weight where there is no slot, a tape takes none, there are more than 2^30 steps, or the slots that
    /// are of use take more than 8 GiB.
    mixed_table(std::uint64_t steps, std::uint32_t slots, std::uint32_t tape_slots = 1);

    /// The number of steps.
    [[nodiscard]] auto steps() const noexcept -> std::uint64_t { return steps_; }
    /// The slots in use: those given, or fewer where more are of no use.
    [[nodiscard]] auto slots() const noexcept -> std::uint32_t { return slots_; }
    /// Slots that a tape takes.
    [[nodiscard]] auto tape_slots() const noexcept -> std::uint32_t { return tape_slots_; }
    /// The least number of steps that run forward without a tape, to reverse so many steps. (Each step runs forward
    /// with its tape once, too.)  O(1).  Requires: steps <= steps().
    [[nodiscard]] auto least_advances(std::uint64_t steps) const -> std::int64_t {
        REPEBBLE_ASSERT(steps <= steps_);
        return rows_.back().least[steps];
    }
    /// The same for all steps of the table.
    [[nodiscard]] auto least_advances() const -> std::int64_t { return least_advances(steps_); }
    /// The actions of a reversal with the fewest advances: a lazy, single-pass input range. Keeps a reference to the
    /// table.
    [[nodiscard]] auto schedule() const& -> mixed_schedule;
    auto schedule() const&& -> mixed_schedule = delete;

  private:
    friend mixed_schedule;

    /// Advances and the place of the next snapshot, by steps; 0: the next step is recorded.
    struct row {
        std::vector<std::int64_t> least;
        std::vector<std::uint32_t> split;
    };

    std::uint64_t steps_;
    std::uint32_t slots_ = 0, tape_slots_;
    std::vector<row> rows_{};  ///< by slots, from one on
};

/// The actions of a reversal with the fewest advances, in order: a lazy, single-pass input range from a stack with a
/// frame for each stored state or tape.
class mixed_schedule {
  public:
    /// A single-pass iterator over the actions.
    using iterator = detail::action_iterator<mixed_schedule, mixed_action>;

    /// The actions that reverse all steps of a table, which must outlive them.
    explicit mixed_schedule(mixed_table const& of) : of_(&of), end_(of.steps()) {
        if (end_ > 0) begin_at(0, of.slots());
    }
    explicit mixed_schedule(mixed_table const&&) = delete;

    [[nodiscard]] auto begin() -> iterator { return iterator(*this); }
    [[nodiscard]] auto end() const noexcept -> std::default_sentinel_t { return {}; }

  private:
    friend iterator;
    using kind = mixed_action::kind;

    /// A stored state, or the tape of the step that begins with it, and the slots that were left for it and those
    /// above.
    struct frame {
        std::uint64_t state = 0;
        std::uint32_t slots = 0;
        bool is_tape = false;
    };

    [[nodiscard]] auto current() const noexcept -> mixed_action const& { return now_; }
    [[nodiscard]] auto is_over() const noexcept -> bool { return end_ == 0; }

    void advance();
    void resume(frame const& top) {
        now_ = {top.is_tape ? kind::reverse_recorded : kind::restore, slot_of(top), top.state, top.state};
    }
    /// The steps from the current state on are reversed with so many slots.
    void begin_at(std::uint64_t state, std::uint32_t slots);
    [[nodiscard]] auto split_of(std::uint64_t state, std::uint32_t slots) const -> std::uint32_t {
        return of_->rows_[slots - 1].split[end_ - state];
    }
    [[nodiscard]] auto slot_of(frame const& f) const -> std::uint32_t { return of_->slots() - f.slots; }

    mixed_table const* of_;
    std::vector<frame> stack_{};
    std::uint64_t end_;  ///< of the steps that are not reversed yet
    mixed_action now_{};
};

inline auto mixed_table::schedule() const& -> mixed_schedule { return mixed_schedule(*this); }

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/chains/mixed_table.ipp>
#endif

#endif
