#ifndef REPEBBLE_PLANNER_DETAIL_STARTS_ORDER_START_HPP
#define REPEBBLE_PLANNER_DETAIL_STARTS_ORDER_START_HPP

// Where plans of forward graphs begin: every operation once in the order of least peak, or greedy eviction along that
// order where its peak exceeds the budget. Built training graphs have none: their order is fixed but for details. Above
// some thousand operations only forests have another order than the given one: a search would take the time of plans.

#include <optional>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

class order_start {
  public:
    /// `flow`: with views contracted, of which `m` is the model. Refers to them.
    order_start(dataflow const& flow, planning_model const& m, listener const& hears)
        : flow_(flow), m_(m), hears_(hears) {}

    /// Whether no sum of bytes overflows.
    [[nodiscard]] auto is_applicable() const -> bool;
    /// The model in that order, the given one where none is found. The first call searches, at most so many seconds
    /// where there is a limit.
    [[nodiscard]] auto model(std::optional<double> seconds) -> planning_model const&;

  private:
    /// An order, or an empty one.
    [[nodiscard]] auto find(std::optional<double> seconds) const -> std::vector<operation_index>;

    dataflow const& flow_;
    planning_model const& m_;
    listener const& hears_;
    std::optional<planning_model> ordered_{};  // for all budgets
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/starts/order_start.ipp>
#endif

#endif
