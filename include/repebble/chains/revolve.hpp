#ifndef REPEBBLE_CHAINS_REVOLVE_HPP
#define REPEBBLE_CHAINS_REVOLVE_HPP

// Binomial checkpointing of a chain of equal steps: A. Griewank, A. Walther, Algorithm 799: Revolve (2000), as a lazy
// range of actions from a stack of snapshots. online_snapshots.hpp reverses its gaps with it.
// Invariant: the frame of a snapshot has β(s, r - 1) < steps <= β(s, r) for its steps, its slots s and repetitions r.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <repebble/chains/binomial_bounds.hpp>
#include <repebble/chains/detail/action_iterator.hpp>
#include <repebble/chains/detail/binomials.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// One action of the reversal of a chain of steps 0 … N - 1. State i is the state before step i; one state at a time
/// is the current one.
struct revolve_action {
    /// The four kinds of actions.
    enum class kind : std::uint8_t {
        snapshot,  ///< the current state, `begin`, is copied into slot `slot`
        advance,   ///< steps `begin` … `end` - 1 run forward; state `end` is the current one
        restore,   ///< state `begin` is read from slot `slot`
        reverse,   ///< step `begin`, whose state is the current one, runs forward with its tape, and then backward
    };
    kind what = kind::snapshot;  ///< which of them it is
    std::uint32_t slot = 0;      ///< of a snapshot or a restore
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  ///< of an advance; equal to `begin` for the others

    friend constexpr auto operator==(revolve_action const&, revolve_action const&) -> bool = default;
};

/// Whether the state before the first step takes one of the snapshots.
enum class initial_state : std::uint8_t {
    counted,  ///< it is copied into slot 0, one of the given snapshots
    free,     ///< it is slot 0, at no cost, beside the given snapshots
};

/// The actions that reverse a chain, in order: a lazy, single-pass input range from a stack with a frame for each
/// stored snapshot.
class revolve_schedule {
  public:
    /// A single-pass iterator over the actions.
    using iterator = detail::action_iterator<revolve_schedule, revolve_action>;

    /// The actions that reverse so many steps.
    constexpr revolve_schedule(std::uint64_t steps, std::uint32_t snapshots, initial_state first)
        : end_(steps), slots_(std::uint64_t{snapshots} + (first == initial_state::free ? 1 : 0)) {
        REPEBBLE_ASSERT(slots_ > 0);
        if (steps == 0) return;
        auto const repetitions = binomial_bounds::repetitions(steps, slots_);
        make_table(repetitions);
        auto const fewer = repetitions == 0 ? 0 : binomial_bounds::most_steps(slots_, repetitions - 1);
        stack_.push_back({0, repetitions, fewer});
        if (first == initial_state::counted) {
            now_ = {.what = revolve_action::kind::snapshot};
        } else {
            advance();
        }
    }

    [[nodiscard]] constexpr auto begin() -> iterator { return iterator(*this); }
    [[nodiscard]] constexpr auto end() const noexcept -> std::default_sentinel_t { return {}; }

  private:
    friend iterator;
    [[nodiscard]] constexpr auto current() const noexcept -> revolve_action const& { return now_; }
    [[nodiscard]] constexpr auto is_over() const noexcept -> bool { return stack_.empty(); }
    using kind = revolve_action::kind;

    /// A stored state; its slot is its place in the stack. With its own slot and those above, s in all, the steps from
    /// here to the next reversed one are reversed.
    struct frame {
        std::uint64_t state = 0;
        std::uint64_t repetitions = 0;  ///< r, with steps <= β(s, r)
        std::uint64_t fewer = 0;        ///< β(s, r - 1) < steps
    };

    constexpr void advance() {
        switch (now_.what) {
            case kind::reverse: {
                end_ = now_.begin;
                if (stack_.back().state == end_) stack_.pop_back();
                if (stack_.empty()) return;
                auto const state = stack_.back().state;
                now_ = {kind::restore, static_cast<std::uint32_t>(stack_.size() - 1), state, state};
                return;
            }
            case kind::advance:
                if (end_ - now_.end == 1) {
                    now_ = {kind::reverse, 0, now_.end, now_.end};
                } else {
                    push(now_.end);
                    now_ = {kind::snapshot, static_cast<std::uint32_t>(stack_.size() - 1), now_.end, now_.end};
                }
                return;
            case kind::snapshot:
            case kind::restore:
                break;
        }
        auto const state = stack_.back().state;
        if (end_ - state == 1) {
            now_ = {kind::reverse, 0, state, state};
        } else {
            now_ = {kind::advance, 0, state, state + split()};
        }
    }

    /// Tabulates the binomials where there are few: divisions would take most of the time.
    constexpr void make_table(std::uint64_t repetitions) {
        constexpr std::uint64_t most = 1U << 16U;
        if (slots_ >= most || repetitions >= most || (slots_ + 1) * (repetitions + 1) > most) return;
        width_ = repetitions + 1;
        table_.assign((slots_ + 1) * width_, 1);
        for (std::size_t at = width_; at < table_.size(); ++at)
            if (at % width_ != 0) table_[at] = detail::capped_sum(table_[at - width_], table_[at - 1]);
    }
    /// The number of steps to advance from the state on top of the stack.
    [[nodiscard]] constexpr auto split() -> std::uint64_t {
        auto& top = stack_.back();
        auto const steps = end_ - top.state;
        auto const s = slots_ - stack_.size() + 1;
        if (s == 1) return steps - 1;
        if (width_ > 0) {
            auto const* const row = table_.data() + s * width_;  // β(s, ·)
            auto r = top.repetitions;
            while (row[r - 1] >= steps) --r;
            top.repetitions = r;
            if (r == 1) return 1;
            auto const right = (row - width_)[r - 1], beyond = (row - 2 * width_)[r - 1];
            if (steps <= row[r - 1] + beyond) return row[r - 2];
            return std::min(steps - right - beyond, row[r - 1]);
        }
        while (top.fewer >= steps) {
            top.fewer = detail::with_fewer_repetitions(top.fewer, s, top.repetitions - 1);
            --top.repetitions;
        }
        return detail::next_snapshot(steps, s, top.repetitions, top.fewer);
    }
    constexpr void push(std::uint64_t state) {
        auto const& below = stack_.back();
        auto const s = slots_ - stack_.size() + 1;
        auto const fewer = width_ > 0 ? 0 : detail::with_fewer_snapshots(below.fewer, s, below.repetitions - 1);
        stack_.push_back({state, below.repetitions, fewer});
    }

    std::vector<frame> stack_{};
    std::uint64_t end_ = 0;  ///< of the steps that are not reversed yet
    std::uint64_t slots_ = 0;
    revolve_action now_{};
    std::vector<std::uint64_t> table_{};  ///< β(s, r), by s; r < width_
    std::size_t width_ = 0;               ///< 0: no table
};

/// Binomial checkpointing (REVOLVE): reverses a chain of equal steps with a number of snapshots. Optimal in the number
/// of advanced steps, which is `binomial_bounds::least_advances`; few snapshots are taken. Griewank, Walther 2000.
/// Lazy: constant amortised time for each action, O(snapshots) memory, any length up to 2^64 - 1.
///
///     for (auto const& a : repebble::revolve(steps, snapshots)) …
///
/// Requires: snapshots >= 1, or the initial state is free.
[[nodiscard]] constexpr auto revolve(std::uint64_t steps, std::uint32_t snapshots,
                                     initial_state first = initial_state::counted) -> revolve_schedule {
    return {steps, snapshots, first};
}

}  // namespace repebble::inline v0

#endif
