#ifndef REPEBBLE_PLANNER_FIND_MEMORY_FLOOR_HPP
#define REPEBBLE_PLANNER_FIND_MEMORY_FLOOR_HPP

// The memory that every schedule of a problem needs.

#include <repebble/graph/training/problem.hpp>
#include <repebble/planner/automatic_plan.hpp>

namespace repebble::inline v0 {

/// A lower bound on the peak of every schedule, and the operation that needs it: no budget below has a plan, the budget
/// itself need not have one (`find_least_budget`).  O((n + m) log n).  Throws as `plan`.
[[nodiscard]] auto find_memory_floor(problem const& p) -> memory_floor<>;
/// The same in terms of the names of the problem.
template <class Vertex>
[[nodiscard]] auto find_memory_floor(named_problem<Vertex> const& p) -> memory_floor<Vertex> {
    problem const& unnamed = p;
    return detail::in_names(find_memory_floor(unnamed), p);
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/find_memory_floor.ipp>
#endif

#endif
