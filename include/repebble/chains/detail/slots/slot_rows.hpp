#ifndef REPEBBLE_CHAINS_DETAIL_SLOTS_SLOT_ROWS_HPP
#define REPEBBLE_CHAINS_DETAIL_SLOTS_SLOT_ROWS_HPP

// Rows of overheads by memory slot, one for each distinct subchain, and the arena that stores them. Used by all of
// slots/. Invariant: a block of slots can be read from any slot, since rows are padded by a block at either end.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <repebble/chains/detail/min_plus.hpp>
#include <repebble/chains/slot_costs.hpp>

namespace repebble::inline v0::detail {

/// The overheads of a subchain by number of slots, those of its input included. No plan fits before `start`, a multiple
/// of the block; from `end` on the overhead is 0. Stored with one block before and one after these slots.
template <class Lane>
struct slot_row {
    Lane const* before = nullptr;  ///< the block before `start`
    slot_count start = 0;
    slot_count end = 0;  ///< the first stored slot from which on the overhead is 0

    /// The block of overheads from `slot` on.
    [[nodiscard]] auto block(slot_count slot) const -> Lane const* {
        constexpr auto pad = static_cast<slot_count>(slot_block);
        return before + std::clamp(slot - start + pad, 0, end - start + pad);
    }
    [[nodiscard]] auto at(slot_count slot) const -> Lane { return *block(slot); }
};

/// Arenas for rows, one for each thread, so that threads do not share pages.
template <class Lane>
class slot_store {
  public:
    explicit slot_store(std::size_t threads) : pages_(threads) {}

    /// Copies a row, both pads included. Readers stay within the copy; the memory behind it may belong to a row that
    /// is being written.
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
    static constexpr std::size_t slack = 2 * slot_block;  // prefetches may go beyond the last row
    struct pages {
        std::vector<std::unique_ptr<Lane[]>> all{};
        Lane* next = nullptr;
        std::size_t left = 0;
    };
    std::vector<pages> pages_;
};

}  // namespace repebble::inline v0::detail

#endif
