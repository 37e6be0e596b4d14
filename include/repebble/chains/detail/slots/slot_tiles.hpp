#ifndef REPEBBLE_CHAINS_DETAIL_SLOTS_SLOT_TILES_HPP
#define REPEBBLE_CHAINS_DETAIL_SLOTS_SLOT_TILES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/detail/equal_subchains.hpp>
#include <repebble/chains/detail/slots/slot_rows.hpp>
#include <repebble/chains/slot_costs.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// A square of parts (i, l) of a chain: those with i / side = row and l / side = column.
struct part_tile {
    static constexpr std::uint32_t side = 16;
    std::uint32_t row = 0, column = 0;

    /// In the order in which they are solved: first those near the diagonal.
    [[nodiscard]] auto place() const -> std::uint64_t { return std::uint64_t{column - row} << 32U | row; }
};

/// The rows of all parts of a chain, as far as they are solved. Equal parts have one, which the first tile with one of
/// them solves.
template <quantity Time, class Lane>
struct slot_tiles {
    chain_sums<Time> const& sums;
    slot_costs<Time> const& costs;
    slot_count last;  ///< of the slots
    equal_subchains parts{sums};
    std::uint32_t size = static_cast<std::uint32_t>(sums.size());
    Lane none = nothing_possible(sums);  ///< what is not possible costs so much, or more
    std::vector<Lane> forward{};         ///< time of the stages before
    std::vector<slot_row<Lane>> rows{std::vector<slot_row<Lane>>(parts.count())};
    std::vector<slot_count> full{std::vector<slot_count>(parts.count())};  ///< from where on all is saved
    std::vector<std::uint64_t> owner{};                                    ///< the place of the tile that solves it

    slot_tiles(chain_sums<Time> const& of, slot_costs<Time> const& in_slots, slot_count slots)
        : sums(of), costs(in_slots), last(slots) {
        for (std::uint32_t j = 0; j <= size; ++j) forward.push_back(static_cast<Lane>(sums.forward_time(0, j)));
        owner.assign(parts.count(), std::numeric_limits<std::uint64_t>::max());
        for (std::uint32_t i = 0; i < size; ++i)
            for (auto l = i; l < size; ++l) {
                auto& place = owner[parts.of(i, l)];
                place = std::min(place, part_tile{i / part_tile::side, l / part_tile::side}.place());
            }
    }

    [[nodiscard]] auto row(std::uint32_t i, std::uint32_t l) const -> slot_row<Lane> const& {
        return rows[parts.of(i, l)];
    }
    /// Solved when tiles nearer to the diagonal were.
    [[nodiscard]] auto is_known(part_tile const& t, std::uint32_t i, std::uint32_t l) const -> bool {
        return owner[parts.of(i, l)] >> 32U < t.column - t.row;
    }

  private:
    /// Two of them, and the time of all stages, can be added.
    [[nodiscard]] static auto nothing_possible(chain_sums<Time> const& sums) -> Lane {
        if constexpr (std::is_floating_point_v<Lane>) {
            return std::numeric_limits<Lane>::infinity();
        } else {
            return std::numeric_limits<Lane>::max() / 2 - static_cast<Lane>(sums.forward_time(0, sums.size())) / 2 - 1;
        }
    }
};

}  // namespace repebble::inline v0::detail

#endif
