#ifndef REPEBBLE_PLANNER_DETAIL_STARTS_ORDER_START_HPP
#define REPEBBLE_PLANNER_DETAIL_STARTS_ORDER_START_HPP

// Where plans of forward graphs begin: every operation once in the order of least peak, or greedy eviction along that
// order where its peak exceeds the budget. Built training graphs have none: their order is fixed but for details.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/least_peak_order.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

class order_start {
  public:
    /// `flow`: with views contracted, of which `m` is the model. Refers to them.
    order_start(dataflow<> const& flow, planning_model const& m, listener const& hears)
        : flow_(flow), m_(m), hears_(hears) {}

    /// Whether no sum of bytes overflows.
    [[nodiscard]] auto is_applicable() const -> bool {
        double all = 0;
        for (value_index x = 0; x < flow_.value_count(); ++x) all += static_cast<double>(flow_.size(x));
        for (operation_index v = 0; v < flow_.operation_count(); ++v) all += static_cast<double>(flow_.workspace(v));
        return all < 0x1p59;
    }
    /// The model in that order. The first call searches, at most so many seconds where there is a limit.
    [[nodiscard]] auto model(std::optional<double> seconds) -> planning_model const& {
        if (!ordered_) {
            // A second's work, or a few on graphs of tens of thousands of operations.
            auto const most_states = std::min<std::size_t>(100'000, 50'000'000 / (1 + m_.operation_count()));
            ordered_ = m_;
            ordered_->order =
                least_peak_order(flow_, {.time_limit = seconds, .most_states = most_states}, hears_).order;
            if (m_.end) ordered_->order.push_back(*m_.end);
        }
        return *ordered_;
    }

  private:
    dataflow<> const& flow_;
    planning_model const& m_;
    listener const& hears_;
    std::optional<planning_model> ordered_{};  // for all budgets
};

}  // namespace repebble::inline v0::detail

#endif
