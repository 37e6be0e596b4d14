#ifndef REPEBBLE_PLANNER_DETAIL_BASELINES_SUMS_FIT_HPP
#define REPEBBLE_PLANNER_DETAIL_BASELINES_SUMS_FIT_HPP

// Whether the older strategies can count what the automatic planner need not: they refuse graphs whose sums overflow.

#include <repebble/graph/dataflow/dataflow.hpp>

namespace repebble::inline v0::detail {

/// Whether no sum of greedy_eviction, save_set, chain_plan and best_canonical overflows: of bytes, which a chain of
/// stages counts once for each operation at most, nor of times, which eviction adds up over 200,000 steps at most.
[[nodiscard]] inline auto sums_fit(dataflow const& flow) -> bool {
    constexpr double most = 0x1p62, most_steps = 0x1p18, formula_terms = 8;
    double sizes = 0, times = 0;
    for (value_index x = 0; x < flow.value_count(); ++x) sizes += static_cast<double>(flow.size(x));
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        sizes += static_cast<double>(flow.workspace(v));
        times += static_cast<double>(flow.time(v));
    }
    return sizes * (static_cast<double>(flow.operation_count()) + formula_terms) < most && times * most_steps < most;
}

}  // namespace repebble::inline v0::detail

#endif
