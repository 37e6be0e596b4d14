#ifndef REPEBBLE_RECOMPUTE_KEEP_ALL_HPP
#define REPEBBLE_RECOMPUTE_KEEP_ALL_HPP

// The baseline of every strategy: no recomputation. Each operation runs once and each value stays resident until its
// last reader, as frameworks do by default; budgets and overheads are measured against this plan.

#include <repebble/graph/training/training_graph.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

namespace detail {
struct keep_all_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow) const -> recompute_plan<Time> {
        recompute_plan<Time> plan;
        plan.schedule = liveness(flow);
        plan.cost = replay(flow, plan.schedule);
        return plan;
    }
    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training) const -> recompute_plan<Time> {
        return (*this)(training.flow);
    }
};
}  // namespace detail

/// Plan without recomputation, of a dataflow or a training graph: every operation once, in index order, every value until
/// its last use. In a built training graph that is the forward pass, then the backward pass in reverse. Its peak,
/// `keep_all(flow).cost.peak`, is that of which budgets in per cent are shares. O((n + m) log n).
inline constexpr detail::keep_all_fn keep_all{};

}  // namespace repebble::inline v0

#endif
