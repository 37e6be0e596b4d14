#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_SEPARATE_MIR_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_SEPARATE_MIR_HPP

// Separation of MIR inequalities over a chain of cuts, for `multi_cut_search`.

#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/planner/detail/bounds/several_cuts/capacity_rows.hpp>
#include <repebble/planner/detail/bounds/several_cuts/mir_inequality.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp>

namespace repebble::inline v0::detail {

/// Returns for each cut its most violated inequality at these fractions, if there is one.  Requires: no value is kept
/// by decision.
[[nodiscard]] inline auto separate_mir(capacity_rows const& capacities, multi_cut_relaxation const& chain,
                                       std::vector<double> const& kept_fraction) -> std::vector<mir_inequality> {
    std::vector<std::vector<kept_share>> parts(capacities.cut_count());
    for (std::size_t h = 0; h < chain.checkpoints().size(); ++h) {
        auto const [i, x] = chain.checkpoints()[h];
        parts[i].push_back({x, capacities.size(i, x), kept_fraction[h]});
    }
    std::vector<mir_inequality> rows;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        auto row = violated_mir(parts[i], capacities.capacity(i), i, capacities.decided().model().value_count());
        if (row) rows.push_back(std::move(*row));
    }
    return rows;
}

}  // namespace repebble::inline v0::detail

#endif
