#ifndef REPEBBLE_IMPL_PLANNER_STARTS_ORDER_START_IPP
#define REPEBBLE_IMPL_PLANNER_STARTS_ORDER_START_IPP

#include <repebble/planner/detail/starts/order_start.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/orders/find_least_peak_order.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto order_start::is_applicable() const -> bool {
    double all = 0;
    for (value_index x = 0; x < flow_.value_count(); ++x) all += static_cast<double>(flow_.size(x));
    for (operation_index v = 0; v < flow_.operation_count(); ++v) all += static_cast<double>(flow_.workspace(v));
    return all < 0x1p59;
}

REPEBBLE_INLINE auto order_start::model(std::optional<double> seconds) -> planning_model const& {
    if (!ordered_) {
        ordered_ = m_;
        if (auto order = find(seconds); !order.empty()) {
            if (m_.end) order.push_back(*m_.end);
            ordered_->order = std::move(order);
        }
    }
    return *ordered_;
}

REPEBBLE_INLINE auto order_start::find(std::optional<double> seconds) const -> std::vector<operation_index> {
    auto const& e = m_.effort;
    auto const n = flow_.operation_count();
    if (n > e.most_ordered_flow) {
        auto found = liu_order(flow_);
        return found ? std::move(found->order) : std::vector<operation_index>{};
    }
    auto const most_states = std::min(e.order_states, e.order_work / (1 + n));  // about a second's work
    repebble::limits const limits{
        .seconds = seconds, .work = most_states, .stop = [this] { return hears_.cancelled(); }};
    return find_least_peak_order(flow_, {.limits = limits}).order;
}

}  // namespace repebble::inline v0::detail

#endif
