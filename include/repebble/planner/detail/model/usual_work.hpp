#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_USUAL_WORK_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_USUAL_WORK_HPP

// How much work each technique of the planner gets for a model of so many operations: the formulas over the constants
// of `effort`. Used by the searches where the caller asks for nothing else.

#include <algorithm>
#include <cstddef>

#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// The value within both limits; where they contradict each other, the upper one holds.
template <class T>
[[nodiscard]] constexpr auto limited_to(T least, T value, T most) -> T {
    return std::min(std::max(least, value), most);
}

/// Whether operations get less work each.
[[nodiscard]] inline auto is_large(planning_model const& m) -> bool {
    return m.operation_count() > m.effort.large_flow;
}

/// Moves of the annealing where nothing else is asked for, since a move costs O(√n): some 2 seconds, and for a hard
/// budget of a small graph up to 7 with all bounds and arenas.
[[nodiscard]] inline auto usual_moves(planning_model const& m) -> std::size_t {
    auto const& e = m.effort;
    auto const most =
        limited_to(e.most_moves_large, e.moves_times_operations / (m.operation_count() + 1), e.most_moves);
    return limited_to(e.least_moves, e.moves_per_operation * m.operation_count(), most);
}

/// Maximum flows for bounds where nothing else is asked for: about a second.
[[nodiscard]] inline auto usual_flows(planning_model const& m) -> double {
    auto const& e = m.effort;
    auto const n = static_cast<double>(m.operation_count()) + e.flow_operations;
    return e.flows_times_operations / n * std::min(1.0, e.flow_linear_operations / n);
}

/// Cuts at which plans with copies are bounded.
[[nodiscard]] inline auto swap_cuts(planning_model const& m) -> std::size_t {
    auto const& e = m.effort;
    return limited_to(e.least_swap_cuts, e.swap_cuts_work / (m.operation_count() + 1), e.most_swap_cuts);
}

/// Cuts that are tried alone.
[[nodiscard]] inline auto cuts_tried(planning_model const& m) -> std::size_t {
    auto const& e = m.effort;
    return limited_to(e.least_tried_cuts, e.tried_cuts_work / (m.operation_count() + 1), e.most_tried_cuts);
}

/// Subproblems of the branch and bound on one cut, for a share of the usual work.
[[nodiscard]] inline auto one_cut_subproblems(planning_model const& m, double share) -> std::size_t {
    auto const& e = m.effort;
    auto const n = static_cast<double>(m.operation_count()) + e.subproblem_operations;
    return static_cast<std::size_t>(share * e.subproblem_work / n);
}

/// Rounds of forward repair. Very large graphs are hardly annealed, so that these starts matter most there.
[[nodiscard]] inline auto forward_repair_rounds(planning_model const& m) -> std::size_t {
    auto const& e = m.effort;
    auto const n = m.operation_count() + 1;
    return e.repair_work / n + (n > e.repair_large_part * e.large_flow
                                    ? std::min(e.more_repair_rounds_large, e.repair_work_large / n)
                                    : e.more_repair_rounds);
}

/// Where the exact search ends if there is a plan, as a share of the time limit: it mostly solves small graphs, but few
/// larger ones.
[[nodiscard]] inline auto exact_end(planning_model const& m) -> double {
    return m.operation_count() <= m.effort.exact_small_flow ? m.effort.exact_end_small : m.effort.exact_end_larger;
}

/// Whether annealing is soon done, but bounds are hard to raise: then bounds get a larger share of the time.
[[nodiscard]] inline auto is_hard_to_bound(planning_model const& m) -> bool {
    auto const& e = m.effort;
    auto const n = m.operation_count();
    return n > e.large_flow / e.hard_least_part && n <= e.large_flow / e.hard_most_part;
}

/// Moves of another attempt, which begins with a plan that nearly fits the budget.
[[nodiscard]] inline auto moves_of_another_attempt(planning_model const& m) -> std::size_t {
    auto const& e = m.effort;
    auto const usual = usual_moves(m);
    if (!is_large(m)) return usual / e.another_part;
    return std::max(usual / e.another_part_large,
                    std::min(usual, e.another_moves_per_operation * (m.operation_count() + 1)));
}

/// Whether so few moves in all are too few for a memetic search: then they are spent on cool walks.
[[nodiscard]] inline auto is_brief(planning_model const& m, double moves) -> bool {
    return moves < m.effort.brief_moves_per_operation * static_cast<double>(m.operation_count() + 1);
}

}  // namespace repebble::inline v0::detail

#endif
