#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_COST_SPLIT_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_COST_SPLIT_HPP

// Cost splitting between the relaxations of a chain of cuts, that is Lagrangian decomposition (Guignard and Kim 1987):
// `multi_cut_relaxation` sees the runs after each cut, `interval_relaxation` those between each two. The bound is the
// sum of theirs.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>

namespace repebble::inline v0::detail {

/// Costs of the intervals between two cuts: of runs there, of checkpoints at the first cut, and rewards for values
/// delivered to the second one.
struct cost_block {
    std::size_t first = 0, second = 0;
    std::vector<std::int64_t> runs{};       ///< of every operation
    std::vector<std::int64_t> kept{};       ///< of every value
    std::vector<std::int64_t> delivered{};  ///< of every value
};

/// A division of the costs. Invariants: for every operation and interval, the costs at earlier cuts and in blocks
/// around the interval sum to at most its time; the costs of a value at a cut sum to the multiplier of its bytes.
struct cost_split {
    std::vector<std::vector<std::int64_t>> runs{};  ///< by cut and operation
    std::vector<std::vector<std::int64_t>>
        checkpoints{};  ///< by cut and value: in addition to the multiplier of its bytes
    std::vector<cost_block> blocks{};
};

/// Returns the costs by cut and operation under decisions: a certain run is counted in its own interval, so later ones
/// are counted once more.  O(cuts · n).
[[nodiscard]] inline auto paid_after(propagation const& decided, cost_split const& split)
    -> std::vector<std::vector<std::int64_t>> {
    auto all = split.runs;
    for (operation_index p = 0; p < decided.model().operation_count(); ++p) {
        std::int64_t before = 0;  // since its last certain run
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
