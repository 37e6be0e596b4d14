#ifndef CHAINS_PLAYED_LEVELS_HPP
#define CHAINS_PLAYED_LEVELS_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <repebble/chains/storage_level.hpp>

namespace support {

/// Plays the actions that reverse a chain with slots on several levels, judges whether each is legal, and adds up what
/// they cost. It knows no plan: it keeps the state of each slot and the current state.
class played_levels {
  public:
    played_levels(std::uint64_t steps, std::vector<repebble::storage_level> levels, repebble::step_costs step = {})
        : taken(levels.size()), restored(levels.size()), levels_(std::move(levels)), step_(step), next_(steps) {}

    bool legal = true;
    std::int64_t cost = 0;
    std::uint64_t advanced = 0, actions = 0;
    std::vector<std::uint64_t> taken, restored;  ///< by level

    void play(repebble::level_action const& a) {
        using kind = repebble::revolve_action::kind;
        ++actions;
        bool const at_slot = a.what == kind::snapshot || a.what == kind::restore;
        if (at_slot && (a.level >= levels_.size() || a.slot >= levels_[a.level].slots)) {
            legal = false;
            return;
        }
        switch (a.what) {
            case kind::snapshot:
                legal = legal && current_ == a.begin;
                slots_[{a.level, a.slot}] = a.begin;
                cost += levels_[a.level].write;
                ++taken[a.level];
                break;
            case kind::advance:
                legal = legal && current_ == a.begin && a.begin < a.end && a.end < next_;
                cost += static_cast<std::int64_t>(a.end - a.begin) * step_.advance;
                advanced += a.end - a.begin;
                current_ = a.end;
                break;
            case kind::restore: {
                auto const at = slots_.find({a.level, a.slot});
                legal = legal && at != slots_.end() && at->second == a.begin;
                cost += levels_[a.level].read;
                ++restored[a.level];
                current_ = a.begin;
                break;
            }
            case kind::reverse:
                legal = legal && current_ == a.begin && a.begin + 1 == next_;
                cost += step_.reverse;
                next_ = a.begin;
                current_ = std::numeric_limits<std::uint64_t>::max();
                break;
        }
    }
    template <class Actions>
    [[nodiscard]] auto plays(Actions&& all) -> bool {
        for (auto const& a : all) play(a);
        return legal && next_ == 0;
    }

  private:
    std::vector<repebble::storage_level> levels_;
    repebble::step_costs step_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> slots_;  ///< the state that each stores
    std::uint64_t current_ = 0;
    std::uint64_t next_;  ///< steps from here on are reversed
};

}  // namespace support

#endif
