#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_BRANCHING_DECISIONS_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_BRANCHING_DECISIONS_HPP

// The decisions of branch and bound over a chain of cuts: checkpoints that are kept or excluded, and recomputations
// that run or do not run in an interval. `propagation` derives consequences, `multi_cut_search` branches.

#include <cstddef>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>

namespace repebble::inline v0::detail {

/// A value that may be kept at one cut of a chain.
struct checkpoint_decision {
    std::size_t cut = 0;
    value_index value = 0;
};

/// The value is kept at the cut, or is excluded.
struct branching_decision {
    std::size_t cut = 0;
    value_index value = 0;
    bool kept = true;
};

/// An operation that may be recomputed in an interval of a chain (`propagation`).
struct interval_run {
    std::size_t interval = 0;
    operation_index operation = 0;
};

/// The operation runs in the interval, or does not.  Requires: it has run before the interval in every schedule.
struct run_decision {
    std::size_t interval = 0;
    operation_index operation = 0;
    bool runs = true;
};

struct branching_decisions {
    std::vector<branching_decision> checkpoints{};
    std::vector<run_decision> runs{};
    [[nodiscard]] auto size() const noexcept -> std::size_t { return checkpoints.size() + runs.size(); }
    [[nodiscard]] auto empty() const noexcept -> bool { return size() == 0; }
};

}  // namespace repebble::inline v0::detail

#endif
