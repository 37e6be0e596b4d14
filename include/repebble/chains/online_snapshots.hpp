#ifndef REPEBBLE_CHAINS_ONLINE_SNAPSHOTS_HPP
#define REPEBBLE_CHAINS_ONLINE_SNAPSHOTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/chains/revolve.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// A state of a chain that lies in a slot.
struct snapshot {
    std::uint64_t state = 0;
    std::uint32_t slot = 0;

    friend constexpr auto operator==(snapshot const&, snapshot const&) -> bool = default;
};

/// The actions that reverse a chain of which some states lie in slots: a lazy range, each part between two snapshots by
/// `revolve`, with all the slots that are free by then. An input range: one walk.
class online_reversal {
  public:
    class iterator {
      public:
        using value_type = revolve_action;
        using difference_type = std::ptrdiff_t;

        constexpr iterator() = default;
        constexpr explicit iterator(online_reversal& of) : of_(&of) {}
        [[nodiscard]] constexpr auto operator*() const noexcept -> revolve_action const& { return of_->now_; }
        constexpr auto operator++() -> iterator& {
            of_->go_on();
            return *this;
        }
        constexpr void operator++(int) { of_->go_on(); }
        [[nodiscard]] constexpr auto operator==(std::default_sentinel_t) const noexcept -> bool { return of_->over_; }

      private:
        online_reversal* of_ = nullptr;
    };

    /// `there`: by state, from state 0 on; the other slots below `slots` are free.
    constexpr online_reversal(std::vector<snapshot> there, std::uint64_t steps, std::uint32_t slots)
        : there_(std::move(there)), end_(steps) {
        std::vector<char> taken(slots, 0);  // vector<bool> is no constant expression with all compilers
        for (auto const& s : there_) taken[s.slot] = 1;
        for (auto slot = slots; slot-- > 0;)
            if (taken[slot] == 0) free_.push_back(slot);
        begin_part();
    }

    [[nodiscard]] constexpr auto begin() -> iterator { return iterator(*this); }
    [[nodiscard]] constexpr auto end() const noexcept -> std::default_sentinel_t { return {}; }

  private:
    /// The last part that is not reversed yet, from its snapshot.
    constexpr void begin_part() {
        over_ = there_.empty();
        if (over_) return;
        from_ = there_.back();
        there_.pop_back();
        slots_.assign(1, from_.slot);
        slots_.insert(slots_.end(), free_.begin(), free_.end());
        part_.emplace(end_ - from_.state, static_cast<std::uint32_t>(slots_.size()), initial_state::counted);
        end_ = from_.state;
        free_.push_back(from_.slot);
        // Instead of the part's first action, which takes the snapshot that is there.
        now_ = {revolve_action::kind::restore, from_.slot, from_.state, from_.state};
    }
    constexpr void go_on() {
        auto at = part_->begin();
        ++at;
        if (at == part_->end()) {
            begin_part();
            return;
        }
        now_ = *at;
        now_.slot = slots_[now_.slot];
        now_.begin += from_.state;
        now_.end += from_.state;
    }

    std::vector<snapshot> there_;
    std::vector<std::uint32_t> free_{}, slots_{};
    std::uint64_t end_;
    snapshot from_{};
    std::optional<revolve_schedule> part_{};
    revolve_action now_{};
    bool over_ = false;
};

/// Snapshots of a chain whose length is not known while it runs forward: at any time those that are there let it be
/// reversed with no step running more often than in the reversal of one step more, had the length been known. Minimal
/// repetition dynamic checkpointing: Q. Wang, P. Moin, G. Iaccarino (2009).
///
///     online_snapshots online(slots);
///     while (goes_on()) {
///         if (auto slot = online.before_step()) copy the state in hand into *slot;
///         step();
///     }
///     for (auto const& a : online.reversal()) …
///
/// A step takes constant amortised time, the way back O(slots) more for each snapshot; all of it O(slots) memory.
class online_snapshots {
  public:
    /// Requires: slots >= 1.
    constexpr explicit online_snapshots(std::uint32_t slots) : slots_(slots) { REPEBBLE_ASSERT(slots >= 1); }

    /// The next step is about to run from the state in hand. The slot into which that state is to be copied, over what
    /// lies there, if it is.
    constexpr auto before_step() -> std::optional<std::uint32_t> {
        auto const state = steps_++;
        auto const used = kept_.size() + spare_.size();
        std::uint32_t slot = 0;
        if (used < slots_) {
            slot = static_cast<std::uint32_t>(used);
        } else if (!spare_.empty()) {
            slot = spare_.back().at.slot;
            spare_.pop_back();
        } else {  // what is in hand goes instead, and the next state is worth more
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

    [[nodiscard]] constexpr auto steps() const noexcept -> std::uint64_t { return steps_; }
    /// What lies in slots, by state.
    [[nodiscard]] constexpr auto snapshots() const -> std::vector<snapshot> {
        std::vector<snapshot> all;
        for (auto const& s : kept_) all.push_back(s.at);
        for (auto const& s : spare_) all.push_back(s.at);
        std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.state < b.state; });
        return all;
    }
    /// The actions that reverse the steps so far.
    [[nodiscard]] constexpr auto reversal() const -> online_reversal { return {snapshots(), steps_, slots_}; }

  private:
    struct levelled {
        snapshot at;
        std::uint64_t level = 0;
    };

    std::uint32_t slots_;
    std::uint64_t steps_ = 0;
    std::uint64_t level_ = std::numeric_limits<std::uint64_t>::max();  ///< of the state in hand; the first stays
    std::vector<levelled> kept_{};   ///< by state; none is of a higher level than one before
    std::vector<levelled> spare_{};  ///< by state: before one of a higher level, so that they may go
};

}  // namespace repebble::inline v0

#endif
