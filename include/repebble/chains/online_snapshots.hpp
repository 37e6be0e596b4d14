#ifndef REPEBBLE_CHAINS_ONLINE_SNAPSHOTS_HPP
#define REPEBBLE_CHAINS_ONLINE_SNAPSHOTS_HPP

// Checkpointing of a chain of equal steps whose length is unknown while it runs: minimal repetition dynamic
// checkpointing (Q. Wang, P. Moin, G. Iaccarino 2009). Gaps between snapshots are reversed by REVOLVE (revolve.hpp).
// Invariant: at any time the kept snapshots allow a reversal in which no step runs more often than in the optimal
// reversal of one step more, had the length been known.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/chains/detail/action_iterator.hpp>
#include <repebble/chains/revolve.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// A state of a chain, and the slot that stores it.
struct snapshot {
    std::uint64_t state = 0;  ///< state i is the one that step i begins with
    std::uint32_t slot = 0;   ///< from 0

    friend constexpr auto operator==(snapshot const&, snapshot const&) -> bool = default;
};

/// The actions that reverse a chain from a set of snapshots, last gap first; `revolve` reverses each gap with all slots
/// that are free by then. A lazy, single-pass input range. O(slots) memory.
class online_reversal {
  public:
    /// A single-pass iterator over the actions.
    using iterator = detail::action_iterator<online_reversal, revolve_action>;

    /// `snapshots`: by ascending state, the first of state 0; the other slots below `slots` are free.
    constexpr online_reversal(std::vector<snapshot> snapshots, std::uint64_t steps, std::uint32_t slots)
        : snapshots_(std::move(snapshots)), end_(steps) {
        std::vector<char> taken(slots, 0);  // vector<bool> is no constant expression with all compilers
        for (auto const& s : snapshots_) taken[s.slot] = 1;
        for (auto slot = slots; slot-- > 0;)
            if (taken[slot] == 0) free_.push_back(slot);
        begin_gap();
    }

    [[nodiscard]] constexpr auto begin() -> iterator { return iterator(*this); }
    [[nodiscard]] constexpr auto end() const noexcept -> std::default_sentinel_t { return {}; }

  private:
    friend iterator;
    [[nodiscard]] constexpr auto current() const noexcept -> revolve_action const& { return now_; }
    [[nodiscard]] constexpr auto is_over() const noexcept -> bool { return over_; }
    /// Begins the last gap that is not reversed yet, at its snapshot.
    constexpr void begin_gap() {
        over_ = snapshots_.empty();
        if (over_) return;
        from_ = snapshots_.back();
        snapshots_.pop_back();
        slots_.assign(1, from_.slot);
        slots_.insert(slots_.end(), free_.begin(), free_.end());
        gap_ = {end_ - from_.state, static_cast<std::uint32_t>(slots_.size()), initial_state::counted};
        end_ = from_.state;
        free_.push_back(from_.slot);
        // In place of the first action of `revolve`, which takes a snapshot: this one is stored already.
        now_ = {revolve_action::kind::restore, from_.slot, from_.state, from_.state};
    }
    constexpr void advance() {
        auto at = gap_.begin();
        ++at;
        if (at == gap_.end()) {
            begin_gap();
            return;
        }
        now_ = *at;
        now_.slot = slots_[now_.slot];
        now_.begin += from_.state;
        now_.end += from_.state;
    }

    std::vector<snapshot> snapshots_;
    std::vector<std::uint32_t> free_{}, slots_{};
    std::uint64_t end_;
    snapshot from_{};
    revolve_schedule gap_{0, 1, initial_state::counted};  // no std::optional: with nvcc it is no literal type
    revolve_action now_{};
    bool over_ = false;
};

/// Decides, step by step, which states of a chain of unknown length to store as snapshots.
///
///     online_snapshots online(slots);
///     while (!converged()) {
///         if (auto slot = online.before_step()) copy the current state into *slot;
///         step();
///     }
///     for (auto const& a : online.reversal()) …
///
/// A forward step takes constant amortised time, the reversal O(slots) more for each snapshot; O(slots) memory.
class online_snapshots {
  public:
    /// Requires: slots >= 1.
    constexpr explicit online_snapshots(std::uint32_t slots) : slots_(slots) { REPEBBLE_ASSERT(slots >= 1); }

    /// Call before each step. Returns the slot into which the current state is to be copied, overwriting it, or nothing
    /// where the state is not to be stored.
    constexpr auto before_step() -> std::optional<std::uint32_t> {
        auto const state = steps_++;
        auto const used = kept_.size() + spare_.size();
        std::uint32_t slot = 0;
        if (used < slots_) {
            slot = static_cast<std::uint32_t>(used);
        } else if (!spare_.empty()) {
            slot = spare_.back().at.slot;
            spare_.pop_back();
        } else {  // the current state is discarded, and the next one gets a higher level
            ++level_;
            auto const lower =
                std::find_if(kept_.begin(), kept_.end(), [&](auto const& s) { return s.level < level_; });
            spare_.assign(lower, kept_.end());
            kept_.erase(lower, kept_.end());
            return std::nullopt;
        }
        kept_.push_back({{state, slot}, std::exchange(level_, 0)});
        return slot;
    }

    /// The number of steps so far.
    [[nodiscard]] constexpr auto steps() const noexcept -> std::uint64_t { return steps_; }
    /// The stored states, ascending. O(slots log slots).
    [[nodiscard]] constexpr auto snapshots() const -> std::vector<snapshot> {
        std::vector<snapshot> all;
        for (auto const& s : kept_) all.push_back(s.at);
        for (auto const& s : spare_) all.push_back(s.at);
        std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.state < b.state; });
        return all;
    }
    /// The actions that reverse the steps so far.
    [[nodiscard]] constexpr auto reversal() const -> online_reversal {
        auto const used = std::min<std::uint64_t>(slots_, steps_);  // more are of no use
        return {snapshots(), steps_, static_cast<std::uint32_t>(used)};
    }

  private:
    struct levelled {
        snapshot at;
        std::uint64_t level = 0;
    };

    std::uint32_t slots_;
    std::uint64_t steps_ = 0;
    std::uint64_t level_ = std::numeric_limits<std::uint64_t>::max();  ///< of the current state; the first one stays
    std::vector<levelled> kept_{};                                     ///< by state; levels do not ascend
    std::vector<levelled> spare_{};  ///< by state; before a state of a higher level, so that they may be overwritten
};

}  // namespace repebble::inline v0

#endif
