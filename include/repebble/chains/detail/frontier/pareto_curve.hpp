#ifndef REPEBBLE_CHAINS_DETAIL_FRONTIER_PARETO_CURVE_HPP
#define REPEBBLE_CHAINS_DETAIL_FRONTIER_PARETO_CURVE_HPP

// Vocabulary of the exact dynamic program: the Pareto curve of overhead by memory of a subchain, its summary in cells,
// and a split, the sum of two such curves. Used by all of frontier/.
// Invariant: as of all curves, budgets ascend and times, here overheads, descend strictly.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/chains/budget_and_time.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// The least overhead of a subchain for all budgets.
using chain_curve = std::vector<budget_and_time>;

/// A lower bound on a curve, by cells of memory of equal width: cell `first` + k has a bound of `least[k]`, cells from
/// `end()` on one of `after`, in units of the grid. No plan fits in the cells before `first`.
struct cell_row {
    std::vector<std::int32_t> least{};
    std::uint32_t first = 0;
    std::int32_t after = 0;

    [[nodiscard]] auto end() const -> std::uint32_t { return first + static_cast<std::uint32_t>(least.size()); }
};

/// A curve and its cells; short chains have no cells.
struct pareto_curve {
    chain_curve points{};
    cell_row cells{};
};

/// A split of a subchain into two shorter ones. Within m >= `least` bytes its overhead is that of `first` within
/// m - `kept` bytes, plus that of `second` within m bytes, plus `added`.
struct chain_split {
    pareto_curve const* first = nullptr;
    bytes kept = 0;
    pareto_curve const* second = nullptr;  ///< null: no overhead
    std::int64_t added{};
    bytes least = 0;
};

}  // namespace repebble::inline v0::detail

#endif
