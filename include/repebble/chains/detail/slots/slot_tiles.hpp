#ifndef REPEBBLE_CHAINS_DETAIL_SLOTS_SLOT_TILES_HPP
#define REPEBBLE_CHAINS_DETAIL_SLOTS_SLOT_TILES_HPP

// The shared state of the dynamic program in slots: subchains (i, l) grouped into square tiles, their rows, and the
// owner of each row. Used by slot_kernel.hpp and slot_table.hpp.
// Invariant: the row of a class of equal subchains is written only by its owner, the first tile that contains one.

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

/// A square of subchains (i, l): those with i / side = row and l / side = column.
struct subchain_tile {
    static constexpr std::uint32_t side = 16;
    std::uint32_t row = 0, column = 0;

    /// Key of the order in which tiles are solved, by distance from the diagonal.
    [[nodiscard]] auto place() const -> std::uint64_t { return std::uint64_t{column - row} << 32U | row; }
};

/// The rows of all subchains solved so far; equal subchains share a row.
template <class Lane>
struct slot_tiles {
    chain_sums const& sums;
    slot_costs const& costs;
    slot_count last;  ///< the number of slots of the budget
    equal_subchains subchains{sums};
    std::uint32_t size = static_cast<std::uint32_t>(sums.size());
    Lane none = nothing_possible(sums);  ///< overheads of at least so much mean that no plan fits
    std::vector<Lane> forward{};         ///< by stage: time to run all stages before it forward
    std::vector<slot_row<Lane>> rows{std::vector<slot_row<Lane>>(subchains.count())};
    std::vector<slot_count> full{
        std::vector<slot_count>(subchains.count())};  ///< the slots, beside the input, with no overhead
    std::vector<std::uint64_t> owner{};               ///< by subchain number: the place of its tile

    slot_tiles(chain_sums const& of, slot_costs const& in_slots, slot_count slots)
        : sums(of), costs(in_slots), last(slots) {
        for (std::uint32_t j = 0; j <= size; ++j) forward.push_back(static_cast<Lane>(sums.forward_time(0, j)));
        owner.assign(subchains.count(), std::numeric_limits<std::uint64_t>::max());
        for (std::uint32_t i = 0; i < size; ++i)
            for (auto l = i; l < size; ++l) {
                auto& place = owner[subchains.of(i, l)];
                place = std::min(place, subchain_tile{i / subchain_tile::side, l / subchain_tile::side}.place());
            }
    }

    [[nodiscard]] auto row(std::uint32_t i, std::uint32_t l) const -> slot_row<Lane> const& {
        return rows[subchains.of(i, l)];
    }
    /// Whether an earlier antidiagonal of tiles has solved a subchain equal to (i, l).
    [[nodiscard]] auto is_known(subchain_tile const& t, std::uint32_t i, std::uint32_t l) const -> bool {
        return owner[subchains.of(i, l)] >> 32U < t.column - t.row;
    }

  private:
    /// A value so small that two of them and the time of all stages can be added without overflow.
    [[nodiscard]] static auto nothing_possible(chain_sums const& sums) -> Lane {
        return std::numeric_limits<Lane>::max() / 2 - static_cast<Lane>(sums.forward_time(0, sums.size())) / 2 - 1;
    }
};

}  // namespace repebble::inline v0::detail

#endif
