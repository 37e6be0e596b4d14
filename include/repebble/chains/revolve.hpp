#ifndef REPEBBLE_CHAINS_REVOLVE_HPP
#define REPEBBLE_CHAINS_REVOLVE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <repebble/chains/binomial_bounds.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// One action of the reversal of a chain. State i is what step i begins with; there are N steps, 0 … N - 1.
struct revolve_action {
    enum class kind : std::uint8_t {
        snapshot,  ///< state `begin`, which is in hand, is copied into slot `slot`
        advance,   ///< steps `begin` … `end` - 1 run forward; state `end` is in hand
        restore,   ///< state `begin` comes from slot `slot`
        reverse,   ///< step `begin`, whose state is in hand, runs with all that its gradient needs, and then backward
    };
    kind what = kind::snapshot;
    std::uint32_t slot = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  ///< of an advance; of the others begin

    friend constexpr auto operator==(revolve_action const&, revolve_action const&) -> bool = default;
};

/// Whether the state before the first step takes a snapshot.
enum class initial_state : std::uint8_t {
    counted,  ///< it is copied into slot 0, one of those that are given
    free,     ///< it can be had again at no cost, as slot 0, beside those that are given
};

/// The actions that reverse a chain, in their order: a range that makes them as they are asked for, from a stack with a
/// frame per snapshot that is taken at the time. An input range: one walk.
class revolve_schedule {
  public:
    class iterator {
      public:
        using value_type = revolve_action;
        using difference_type = std::ptrdiff_t;

        constexpr iterator() = default;
        constexpr explicit iterator(revolve_schedule& of) : of_(&of) {}
        [[nodiscard]] constexpr auto operator*() const noexcept -> revolve_action const& { return of_->now_; }
        constexpr auto operator++() -> iterator& {
            of_->go_on();
            return *this;
        }
        constexpr void operator++(int) { of_->go_on(); }
        [[nodiscard]] constexpr auto operator==(std::default_sentinel_t) const noexcept -> bool {
            return of_->stack_.empty();
        }

      private:
        revolve_schedule* of_ = nullptr;
    };

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
            go_on();
        }
    }

    [[nodiscard]] constexpr auto begin() -> iterator { return iterator(*this); }
    [[nodiscard]] constexpr auto end() const noexcept -> std::default_sentinel_t { return {}; }

  private:
    using kind = revolve_action::kind;

    /// A state in a slot: that of its number. It and the slots above must do for the steps up to where the frame ends.
    struct frame {
        std::uint64_t state = 0;
        std::uint64_t repetitions =
            0;                    ///< r: so that with the slots β(s, r) steps can be reversed, no fewer than there are
        std::uint64_t fewer = 0;  ///< β(s, r - 1), which is less than there are
    };

    constexpr void go_on() {
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

    /// Divisions take longer than all else: where few binomials are of use, they are looked up.
    constexpr void make_table(std::uint64_t repetitions) {
        constexpr std::uint64_t most = 1U << 16U;
        if (slots_ >= most || repetitions >= most || (slots_ + 1) * (repetitions + 1) > most) return;
        width_ = static_cast<std::size_t>(repetitions) + 1;
        table_.assign((static_cast<std::size_t>(slots_) + 1) * width_, 1);
        for (std::size_t at = width_; at < table_.size(); ++at)
            if (at % width_ != 0) table_[at] = binomial_bounds::capped_sum(table_[at - width_], table_[at - 1]);
    }
    /// How many steps to advance from the state on top.
    [[nodiscard]] constexpr auto split() -> std::uint64_t {
        auto& top = stack_.back();
        auto const steps = end_ - top.state;
        auto const s = slots_ - stack_.size() + 1;
        if (s == 1) return steps - 1;
        if (width_ > 0) {
            auto const* const row = table_.data() + static_cast<std::size_t>(s) * width_;  // β(s, ·)
            auto r = static_cast<std::size_t>(top.repetitions);
            while (row[r - 1] >= steps) --r;
            top.repetitions = r;
            if (r == 1) return 1;
            auto const right = (row - width_)[r - 1], beyond = (row - 2 * width_)[r - 1];
            if (steps <= row[r - 1] + beyond) return row[r - 2];
            return std::min(steps - right - beyond, row[r - 1]);
        }
        while (top.fewer >= steps) {
            top.fewer = binomial_bounds::with_fewer_repetitions(top.fewer, s, top.repetitions - 1);
            --top.repetitions;
        }
        return binomial_bounds::split(steps, s, top.repetitions, top.fewer);
    }
    constexpr void push(std::uint64_t state) {
        auto const& below = stack_.back();
        auto const s = slots_ - stack_.size() + 1;
        auto const fewer =
            width_ > 0 ? 0 : binomial_bounds::with_fewer_snapshots(below.fewer, s, below.repetitions - 1);
        stack_.push_back({state, below.repetitions, fewer});
    }

    std::vector<frame> stack_{};
    std::uint64_t end_ = 0;  ///< what is not reversed yet ends here
    std::uint64_t slots_ = 0;
    revolve_action now_{};
    std::vector<std::uint64_t> table_{};  ///< β(s, r), by s; r < width_
    std::size_t width_ = 0;               ///< 0: there is none
};

namespace detail {

struct revolve_fn {
    [[nodiscard]] constexpr auto operator()(std::uint64_t steps, std::uint32_t snapshots,
                                            initial_state first = initial_state::counted) const -> revolve_schedule {
        return {steps, snapshots, first};
    }
};

}  // namespace detail

/// Binomial checkpointing of a chain of equal steps (REVOLVE): its reversal with a number of snapshots, so that the
/// least number of steps runs forward beside those that run to be reversed (`binomial_bounds::least_advances`), and few
/// snapshots are taken. The actions come one by one, in constant amortised time, from O(snapshots) memory, for any
/// length up to 2^64 - 1.
///
///     for (auto const& a : repebble::revolve(steps, snapshots)) …
///
/// A. Griewank, A. Walther: Algorithm 799: Revolve (2000).  Requires: snapshots >= 1, or the initial state is free.
inline constexpr detail::revolve_fn revolve{};

}  // namespace repebble::inline v0

#endif
