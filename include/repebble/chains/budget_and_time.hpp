#ifndef REPEBBLE_CHAINS_BUDGET_AND_TIME_HPP
#define REPEBBLE_CHAINS_BUDGET_AND_TIME_HPP

// The Pareto curve of the chain solvers: least time by budget, of a whole chain for the caller, of each subchain within
// the dynamic programs. Used by chain_frontier.hpp and detail/frontier.
// Invariant of a curve: budgets ascend strictly, times descend strictly.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// A breakpoint of a trade-off curve: from `budget` bytes on, the least time is `time`.
struct budget_and_time {
    bytes budget = 0;  ///< from which on the time is reached
    std::int64_t time{};  ///< the least time within the budget

    friend auto operator==(budget_and_time const&, budget_and_time const&) -> bool = default;
};

namespace detail {

/// The time of the last breakpoint whose budget is at most the given one; nothing where there is none. O(log points).
[[nodiscard]] inline auto time_at(std::vector<budget_and_time> const& curve, bytes budget)
    -> std::optional<std::int64_t> {
    auto const after =
        std::partition_point(curve.begin(), curve.end(), [&](auto const& p) { return p.budget <= budget; });
    if (after == curve.begin()) return std::nullopt;
    return std::prev(after)->time;
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
