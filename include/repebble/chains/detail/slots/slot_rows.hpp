#ifndef REPEBBLE_CHAINS_DETAIL_SLOTS_SLOT_ROWS_HPP
#define REPEBBLE_CHAINS_DETAIL_SLOTS_SLOT_ROWS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <repebble/chains/detail/min_plus.hpp>
#include <repebble/chains/slot_costs.hpp>

namespace repebble::inline v0::detail {

/// The overheads of a part of a chain, by how many slots there are, its input's included. Before `start`, a multiple of
/// the block, nothing is possible, and from `end` on all is saved; a block before and one after that are there, so that
/// a whole block can be read from any slot.
template <class Lane>
struct slot_row {
    Lane const* before = nullptr;  ///< the block before `start`
    slot_count start = 0;
    slot_count end = 0;  ///< beyond the last slot where not all can be saved

    /// What a block from `slot` on says.
    [[nodiscard]] auto block(slot_count slot) const -> Lane const* {
        constexpr auto pad = static_cast<slot_count>(slot_block);
        return before + std::clamp(slot - start + pad, 0, end - start + pad);
    }
    [[nodiscard]] auto at(slot_count slot) const -> Lane { return *block(slot); }
};

/// Where rows lie, one after the other, each thread's apart.
template <class Lane>
class slot_store {
  public:
    explicit slot_store(std::size_t threads) : pages_(threads) {}

    /// Copies a row, from the block before `start` to that from `end` on, all of it: nothing else is read then, and
    /// what lies behind may be another row that is being written.
    [[nodiscard]] auto keep(slot_row<Lane> const& row, std::size_t thread) -> slot_row<Lane> {
        auto const size = static_cast<std::size_t>(row.end - row.start) + 2 * slot_block;
        auto& own = pages_[thread];
        if (own.left < size + slack) {
            own.left = std::max<std::size_t>(std::size_t{1} << 18U, size + slack);
            own.all.push_back(std::make_unique<Lane[]>(own.left));
            own.next = own.all.back().get();
        }
        auto* const to = own.next;
        std::copy_n(row.before, size, to);
        own.next += size;
        own.left -= size;
        return {to, row.start, row.end};
    }

  private:
    static constexpr std::size_t slack = 2 * slot_block;  // what is fetched early may go beyond the last row
    struct pages {
        std::vector<std::unique_ptr<Lane[]>> all{};
        Lane* next = nullptr;
        std::size_t left = 0;
    };
    std::vector<pages> pages_;
};

}  // namespace repebble::inline v0::detail

#endif
