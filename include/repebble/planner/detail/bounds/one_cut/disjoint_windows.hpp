#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_DISJOINT_WINDOWS_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_DISJOINT_WINDOWS_HPP

// One cut in each of many windows of the model's order: for graphs of many passes after one another, such as the
// microbatches of a pipeline, of which one cut sees few. The bound is the sum over the windows; the choices of all
// windows together are a start.
//
// Why the sum is a bound. The cut at an operation bounds the time of what runs again after its first run. Of this time
// the cut of a window counts only runs of the window's own operations, and of the bytes only those of the values that
// they make and of the inputs of the operation at the cut: all else is kept for nothing. That relaxes the problem of
// the cut. Windows share no operation, so no run is counted twice.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Operations from one position of the model's order up to another, before whose first run the window is cut.
struct cut_window {
    std::uint32_t begin = 0, end = 0;
    friend auto operator==(cut_window const&, cut_window const&) -> bool = default;
};

/// Windows one after the other. Each goes on until its own values, where nothing is recomputed, are that share of the
/// most bytes that are live in the whole order, and as far beyond, up to twice its length, as they grow. Its cut is at a
/// required operation.  O(n + m).
[[nodiscard]] auto windows_of_load(planning_model const& m, double share) -> std::vector<cut_window>;

/// The window of all values that are live where that share of the most bytes is live for the last time: what is left of
/// the order behind disjoint windows may need more than fits. Nothing where there is no required operation.  O(n + m).
[[nodiscard]] auto last_window_of_load(planning_model const& m, double share) -> std::optional<cut_window>;

/// The bound, and the choice that goes with it.
struct windows_choice {
    static constexpr auto never = std::numeric_limits<std::uint32_t>::max();

    std::int64_t bound = 0;                ///< no schedule within the budget has less overhead
    std::vector<std::uint32_t> dropped{};  ///< by value: the position of the cut across which it is not kept, or never
    bool is_whole = true;                  ///< each window has a choice within its capacity
};

/// Solves the relaxation of each window, or of those before stop() returns true.  O(windows · (n + m + a few maximum
/// flows in the window)).
[[nodiscard]] auto choose_in_windows(planning_model const& m, bytes budget, std::vector<cut_window> const& windows,
                                     stop_test stop) -> windows_choice;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/one_cut/disjoint_windows.ipp>
#endif

#endif
