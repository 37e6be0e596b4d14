#ifndef REPEBBLE_CHAINS_STORAGE_LEVEL_HPP
#define REPEBBLE_CHAINS_STORAGE_LEVEL_HPP

// Levels of memory for the snapshots of a chain of equal steps (registers, RAM, disk, …), the costs of a step, and the
// actions of a reversal that names the level of each slot. Used by level_table.hpp and periodic_disk_revolve.hpp.

#include <cstdint>
#include <limits>
#include <string>

#include <repebble/chains/revolve.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// One level of memory. Costs are in any unit of time, the same for all levels and steps.
struct storage_level {
    /// As many as there are steps.
    static constexpr auto unlimited = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t slots = 1;  ///< states that it holds at a time
    std::int64_t write = 0;   ///< cost of a snapshot into one of its slots
    std::int64_t read = 0;    ///< cost of a restore from one of its slots

    friend constexpr auto operator==(storage_level const&, storage_level const&) -> bool = default;
};

/// Costs of a step, in the unit of the levels' costs.
struct step_costs {
    std::int64_t advance = 1;  ///< running forward without a tape
    std::int64_t reverse = 1;  ///< running forward with a tape, and backward

    friend constexpr auto operator==(step_costs const&, step_costs const&) -> bool = default;
};

/// An action of the reversal of a chain over several levels: that of REVOLVE, with the level of its slot.
struct level_action : revolve_action {
    std::uint32_t level = 0;  ///< of a snapshot or a restore: index of the level

    /// What it costs on these levels.  O(1).  Requires: its level is one of them.
    template <class Levels>
    [[nodiscard]] constexpr auto cost(Levels const& levels, step_costs const& step) const -> std::int64_t {
        switch (what) {
            case kind::snapshot:
                return levels[level].write;
            case kind::restore:
                return levels[level].read;
            case kind::advance:
                return static_cast<std::int64_t>(end - begin) * step.advance;
            case kind::reverse:
                break;
        }
        return step.reverse;
    }
    friend constexpr auto operator==(level_action const&, level_action const&) -> bool = default;
};

namespace detail {

/// Throws bad_weight where a cost is negative or below that of the level before, or where the lowest of these levels
/// has no slot.
template <class Levels>
constexpr void check_levels(Levels const& levels, step_costs const& step) {
    check_weight(step.advance, [] { return std::string("the cost of an advance"); });
    check_weight(step.reverse, [] { return std::string("the cost of a reversed step"); });
    std::size_t index = 0;
    storage_level before{};
    for (storage_level const& l : levels) {
        auto const check = [index](char const* what, std::int64_t cost, std::int64_t least) {
            auto const name = what + (" level " + std::to_string(index));
            check_weight(cost, [&] { return name; });
            if (cost < least)
                detail::raise(bad_weight(name + " is " + std::to_string(cost) + ", below that of the level before, " +
                                         std::to_string(least)));
        };
        check("the cost of a snapshot into", l.write, before.write);
        check("the cost of a restore from", l.read, before.read);
        if (index == 0 && l.slots == 0) detail::raise(bad_weight("level 0 has no slot"));
        before = l;
        ++index;
    }
    if (index == 0) detail::raise(bad_weight("there is no level of memory"));
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
