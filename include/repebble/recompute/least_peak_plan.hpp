#ifndef REPEBBLE_RECOMPUTE_LEAST_PEAK_PLAN_HPP
#define REPEBBLE_RECOMPUTE_LEAST_PEAK_PLAN_HPP

// The plan of inference on small devices: every operation once, in the order of least peak. B. H. Ahn et al.: Ordering
// chaos: memory-aware scheduling of irregularly wired neural networks for edge devices (Serenity, 2020).

#include <cstdint>
#include <utility>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/orders/find_least_peak_order.hpp>
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
    [[nodiscard]] auto operator()(dataflow const& flow, order_options const& options = {}) const -> ordered_plan<> {
        auto const found = find_least_peak_order(flow, options);
        ordered_plan<> plan;
        plan.schedule = make_schedule(flow, found);
        plan.cost = replay(flow, plan.schedule);
        plan.lower_bound = found.lower_bound;
        return plan;
    }
    [[nodiscard]] auto operator()(training_graph const& training, order_options const& options = {}) const
        -> ordered_plan<> {
        return (*this)(training.flow, options);
    }
};
}  // namespace detail

/// Plan without recomputation of a dataflow or a training graph, in the order that `find_least_peak_order` finds. Where
/// its peak exceeds a budget, the automatic planner recomputes. Takes and throws what that takes and throws.
inline constexpr detail::least_peak_plan_fn least_peak_plan{};

}  // namespace repebble::inline v0

#endif
