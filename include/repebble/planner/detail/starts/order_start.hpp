#ifndef REPEBBLE_PLANNER_DETAIL_STARTS_ORDER_START_HPP
#define REPEBBLE_PLANNER_DETAIL_STARTS_ORDER_START_HPP

// Where plans of forward graphs begin: every operation once in the order of least peak, or greedy eviction along that
// order where its peak exceeds the budget. Built training graphs have none: their order is fixed but for details. Above
// some thousand operations only forests have another order than the given one: a search would take the time of plans.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/least_peak_order.hpp>
#include <repebble/pebbling/liu_order.hpp>
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
    /// The model in that order, the given one where none is found. The first call searches, at most so many seconds
    /// where there is a limit.
    [[nodiscard]] auto model(std::optional<double> seconds) -> planning_model const& {
        if (!ordered_) {
            ordered_ = m_;
            if (auto order = find(seconds); !order.empty()) {
                if (m_.end) order.push_back(*m_.end);
                ordered_->order = std::move(order);
            }
        }
        return *ordered_;
    }

  private:
    /// An order, or an empty one.
    [[nodiscard]] auto find(std::optional<double> seconds) const -> std::vector<operation_index> {
        constexpr std::size_t most_operations = 5000;  // that are searched
        auto const n = flow_.operation_count();
        if (n > most_operations) {
            auto found = liu_order(flow_);
            return found ? std::move(found->order) : std::vector<operation_index>{};
        }
        auto const most_states = std::min<std::size_t>(100'000, 50'000'000 / (1 + n));  // about a second's work
        return least_peak_order(flow_, {.time_limit = seconds, .most_states = most_states}, hears_).order;
    }

    dataflow<> const& flow_;
    planning_model const& m_;
    listener const& hears_;
    std::optional<planning_model> ordered_{};  // for all budgets
};

}  // namespace repebble::inline v0::detail

#endif
