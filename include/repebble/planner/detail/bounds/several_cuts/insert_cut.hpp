#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_INSERT_CUT_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_INSERT_CUT_HPP

// Insertion of a cut into a chain of cuts, which are totally ordered in every schedule.

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>

namespace repebble::inline v0::detail {

/// Returns the chain with one more cut at its place; nothing where the chain has it, or where it is neither before nor
/// after one of its cuts in every schedule.  O(cuts).
[[nodiscard]] inline auto insert_cut(std::vector<first_run_cut> chain, first_run_cut more)
    -> std::optional<std::vector<first_run_cut>> {
    auto const v = more.at();
    std::size_t before = 0;
    for (auto const& cut : chain) {
        if (cut.at() == v || (!cut.is_before(v) && !cut.is_after(v))) return std::nullopt;
        if (cut.is_after(v)) ++before;
    }
    chain.insert(chain.begin() + static_cast<std::ptrdiff_t>(before), std::move(more));
    return chain;
}

}  // namespace repebble::inline v0::detail

#endif
