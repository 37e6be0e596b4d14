#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_COST_SPLIT_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_COST_SPLIT_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>

namespace repebble::inline v0::detail {

/// Of the intervals between two cuts of a chain: what runs there at all costs, what is kept at the first one costs,
/// and what is kept at the second one brings in.
struct cost_block {
    std::size_t first = 0, second = 0;
    std::vector<std::int64_t> runs{};       ///< of every operation
    std::vector<std::int64_t> kept{};       ///< of every value
    std::vector<std::int64_t> delivered{};  ///< of every value
};

/// How the costs of a chain are divided among relaxations that know different things: one knows for each cut what
/// runs after it at all (`multi_cut_relaxation`), and one for each two cuts knows what runs between them at all
/// (`interval_relaxation`). For every operation and every interval in which it may run again, what is paid for it after
/// the cuts before and in the blocks around the interval is no more than what it costs; what a value costs at a
/// cut adds up to the multiplier of its bytes. So the sum of what the relaxations say is a bound: one by Lagrangian
/// decomposition (Guignard and Kim 1987).
struct cost_split {
    std::vector<std::vector<std::int64_t>> runs{};  ///< of every cut and operation
    std::vector<std::vector<std::int64_t>>
        checkpoints{};  ///< of every cut and value: beyond the multiplier of its bytes
    std::vector<cost_block> blocks{};
};

/// What is paid after each cut for what runs there, where decisions tell what runs certainly: that is paid for in
/// its own interval, so that what comes later is paid for once more.  O(cuts · n).
[[nodiscard]] inline auto paid_after(propagation const& decided, cost_split const& split)
    -> std::vector<std::vector<std::int64_t>> {
    auto all = split.runs;
    for (operation_index p = 0; p < decided.model().operation_count(); ++p) {
        std::int64_t before = 0;  // since it ran certainly
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (before > 0 && decided.certain_runs(i)[p]) {
                all[i][p] += before;
                before = 0;
            }
            before += all[i][p];
        }
    }
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
