#ifndef REPEBBLE_RECOMPUTE_LEAST_PEAK_PLAN_HPP
#define REPEBBLE_RECOMPUTE_LEAST_PEAK_PLAN_HPP

// The plan of inference on small devices: every operation once, in the order of least peak. B. H. Ahn et al.: Ordering
// chaos: memory-aware scheduling of irregularly wired neural networks for edge devices (Serenity, 2020).

#include <cstdint>
#include <utility>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/no_progress.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/orders/least_peak_order.hpp>
#include <repebble/pebbling/detail/schedule_in_order.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

/// A plan without recomputation, and the bound on its peak.
template <class Vertex = operation_index>
struct ordered_plan : recompute_plan<Vertex> {
    bytes lower_bound = 0;  ///< no order has a lower peak

    friend auto operator==(ordered_plan const&, ordered_plan const&) -> bool = default;
};

namespace detail {
struct least_peak_plan_fn {
    template <class Observer = no_progress>
    [[nodiscard]] auto operator()(dataflow const& flow, order_options const& options = {},
                                  Observer&& observer = {}) const -> ordered_plan<> {
        auto const found = least_peak_order(flow, options, observer);
        ordered_plan<> plan;
        plan.schedule = schedule_in_order(flow, found.order);
        plan.cost = replay(flow, plan.schedule);
        plan.lower_bound = found.lower_bound;
        return plan;
    }
    template <class Observer = no_progress>
    [[nodiscard]] auto operator()(training_graph const& training, order_options const& options = {},
                                  Observer&& observer = {}) const -> ordered_plan<> {
        return (*this)(training.flow, options, observer);
    }
};
}  // namespace detail

/// Plan without recomputation of a dataflow or a training graph, in the order that `least_peak_order` finds. Where its
/// peak exceeds a budget, the automatic planner recomputes. Takes and throws what that takes and throws.
inline constexpr detail::least_peak_plan_fn least_peak_plan{};

}  // namespace repebble::inline v0

#endif
