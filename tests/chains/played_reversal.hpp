#ifndef CHAINS_PLAYED_REVERSAL_HPP
#define CHAINS_PLAYED_REVERSAL_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/chains/revolve.hpp>

namespace support {

/// Plays the actions that reverse a chain, and judges whether each is legal.
struct played_reversal {
    static constexpr auto nothing = std::numeric_limits<std::uint64_t>::max();

    std::vector<std::uint64_t> slots;  ///< the state that each stores
    std::uint64_t current = 0;         ///< the current state
    std::uint64_t next = 0;            ///< steps from here on are reversed
    bool legal = true;
    std::uint64_t advanced = 0, taken = 0;

    constexpr void play(repebble::revolve_action const& a) {
        using kind = repebble::revolve_action::kind;
        switch (a.what) {
            case kind::snapshot:
                legal = legal && current == a.begin;
                slots.at(a.slot) = current;
                ++taken;
                break;
            case kind::advance:
                legal = legal && current == a.begin && a.begin < a.end && a.end < next;
                advanced += a.end - a.begin;
                current = a.end;
                break;
            case kind::restore:
                legal = legal && slots.at(a.slot) == a.begin;
                current = a.begin;
                break;
            case kind::reverse:
                legal = legal && current == a.begin && a.begin + 1 == next;
                next = a.begin;
                current = nothing;
                break;
        }
    }
};

}  // namespace support

#endif
