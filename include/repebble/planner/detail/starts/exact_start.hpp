#ifndef REPEBBLE_PLANNER_DETAIL_STARTS_EXACT_START_HPP
#define REPEBBLE_PLANNER_DETAIL_STARTS_EXACT_START_HPP

// Small dataflows are solved by `optimal_search` (best-first), as far as states and time allow: an optimum, a proof
// that none fits, or a lower bound. A search that was stopped goes on where it was.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/orders/find_optimal_pebbling.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// The operations that a schedule computes, in its order.
[[nodiscard]] auto computations_of(schedule<> const& made) -> std::vector<operation_index>;

/// The exact search within one budget.
class exact_start {
  public:
    struct answer {
        bool infeasible = false;       ///< no schedule is within the budget
        bool optimal = false;          ///< what was found takes the least time
        std::int64_t lower_bound = 0;  ///< above everything once
        std::optional<schedule<>> found{};
    };

    /// `m`: the model of the dataflow. Refers to both.
    exact_start(dataflow const& flow, planning_model const& m, bytes budget)
        : flow_(flow), m_(m), budget_(budget), is_open_(is_small(m)) {}

    /// Whether it may find something: the dataflow is small, and the search is not at its end.
    [[nodiscard]] auto is_open() const noexcept -> bool { return is_open_; }

    /// Goes on for a sequence that takes less time than `known`, or for any, until so many states are in memory in all,
    /// or stop().  O(states · operations).
    [[nodiscard]] auto search(std::optional<std::int64_t> known, std::size_t states, stop_test stop) -> answer;

  private:
    [[nodiscard]] static auto is_small(planning_model const& m) -> bool {
        return std::max(m.operation_count(), m.value_count()) <= m.effort.most_exact_operations;
    }

    dataflow const& flow_;
    planning_model const& m_;
    bytes budget_;
    bool is_open_, knew_ = false;
    std::optional<std::int64_t> told_;  // the time of what was found before
    std::optional<optimal_search> search_;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/starts/exact_start.ipp>
#endif

#endif
