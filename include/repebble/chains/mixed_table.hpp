#ifndef REPEBBLE_CHAINS_MIXED_TABLE_HPP
#define REPEBBLE_CHAINS_MIXED_TABLE_HPP

// Mixed checkpointing of a chain of equal steps: a slot stores a state, or (a part of) all that the reversal of a step
// needs, its tape (J. R. Maddison: Step-based checkpointing with high-level algorithmic differentiation, J. Comput.
// Sci. 82, 2024). The table is filled by detail/split_row.hpp; mixed_schedule reads the actions from it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <repebble/chains/detail/action_iterator.hpp>
#include <repebble/chains/detail/split_row.hpp>
#include <repebble/chains/detail/table_size.hpp>
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
    mixed_table(std::uint64_t steps, std::uint32_t slots, std::uint32_t tape_slots = 1)
        : steps_(steps), tape_slots_(tape_slots) {
        if (slots == 0) detail::raise(bad_weight("there are 0 slots, and a snapshot takes one"));
        if (tape_slots == 0) detail::raise(bad_weight("a tape takes 0 slots, and must take at least one"));
        if (steps > std::uint64_t{1} << 30U)
            detail::raise(bad_weight("a table of " + std::to_string(steps) + " steps is too large: 2^30 are allowed"));
        std::size_t const size = steps + 1;
        auto const each = slots < tape_slots ? 1 : tape_slots;  // slots of use for a step
        auto const most = std::max<std::uint64_t>(1, each * (std::max<std::uint64_t>(1, steps) - 1));
        slots_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(slots, most));
        detail::check_table_size(
            size, std::uint64_t{slots_} * (sizeof(std::int64_t) + sizeof(std::uint32_t)),
            "a table of " + std::to_string(steps) + " steps and " + std::to_string(slots_) + " slots");
        std::vector<std::int64_t> none(size, detail::no_reversal), otherwise(size);
        if (size > 1) none[1] = 0;
        for (std::uint32_t s = 1; s <= slots_; ++s) {
            row now{std::vector<std::int64_t>(size), std::vector<std::uint32_t>(size)};
            for (std::size_t n = 2; n < size; ++n) {
                otherwise[n] = s < tape_slots ? detail::no_reversal
                                              : (s == tape_slots ? none : rows_[s - tape_slots - 1].least)[n - 1];
                if (s > 1) continue;
                now.least[n] = std::min(otherwise[n], now.least[n - 1] + static_cast<std::int64_t>(n - 1));
                now.split[n] = now.least[n] < otherwise[n] ? static_cast<std::uint32_t>(n - 1) : 0;
            }
            if (s > 1) {
                std::vector<std::int64_t> unused(size);
                detail::fill({otherwise, rows_.back().least, 1, 0, 0, now.least, now.split, unused});
            }
            rows_.push_back(std::move(now));
        }
    }

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

    void advance() {
        switch (now_.what) {
            case kind::reverse:
            case kind::reverse_recorded:
                end_ = now_.begin;
                if (!stack_.empty() && stack_.back().state == end_) stack_.pop_back();
                if (!stack_.empty()) resume(stack_.back());
                return;
            case kind::advance:
                begin_at(now_.end, stack_.back().slots - 1);
                return;
            case kind::record:
                begin_at(now_.end, stack_.back().slots - of_->tape_slots());
                return;
            case kind::snapshot:
            case kind::restore:
                break;
        }
        auto const [state, slots, is_tape] = stack_.back();
        if (auto const split = split_of(state, slots); split > 0) {
            now_ = {kind::advance, 0, state, state + split};
        } else {  // the slot is of no more use
            stack_.pop_back();
            begin_at(state, slots);
        }
    }
    void resume(frame const& top) {
        now_ = {top.is_tape ? kind::reverse_recorded : kind::restore, slot_of(top), top.state, top.state};
    }
    /// The steps from the current state on are reversed with so many slots.
    void begin_at(std::uint64_t state, std::uint32_t slots) {
        if (end_ - state == 1) {
            now_ = {kind::reverse, 0, state, state};
            return;
        }
        bool const records = split_of(state, slots) == 0;
        stack_.push_back({state, slots, records});
        auto const slot = slot_of(stack_.back());
        now_ = records ? mixed_action{kind::record, slot, state, state + 1}
                       : mixed_action{kind::snapshot, slot, state, state};
    }
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

#endif
