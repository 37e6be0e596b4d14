#ifndef REPEBBLE_PLANNER_DETAIL_STARTS_WINDOWS_START_HPP
#define REPEBBLE_PLANNER_DETAIL_STARTS_WINDOWS_START_HPP

// The start by the choices in disjoint windows: the model's order, in which each value that a window does not keep is
// discarded after its last use before the cut, and recomputed on demand behind it. Between the cuts it needs more than
// at them; so the windows choose within less until it fits.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/bounds/one_cut/disjoint_windows.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// The sequence of the choices, values resident from a recomputation to their last use; nothing where it has more than
/// `limit` steps.  O(n + m + limit).
[[nodiscard]] auto sequence_of_windows(planning_model const& m, std::vector<std::uint32_t> const& dropped,
                                       std::size_t limit) -> std::optional<std::vector<operation_index>>;

/// What windows brought: a bound, 0 where there are none, and a sequence within the budget where one was found.
struct windows_start {
    std::int64_t bound = 0;
    std::optional<std::vector<operation_index>> sequence{};
};

/// Bounds by `relaxed`, which has the order of m, and tries the choices within less and less. Nothing where the order has
/// fewer than two windows.  O(attempts · windows · (n + m + a few maximum flows)).
[[nodiscard]] auto start_by_windows(planning_model const& m, planning_model const& relaxed, bytes budget,
                                    std::size_t limit, stop_test stop) -> windows_start;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/starts/windows_start.ipp>
#endif

#endif
