#ifndef REPEBBLE_RECOMPUTE_KEEP_ALL_HPP
#define REPEBBLE_RECOMPUTE_KEEP_ALL_HPP

#include <repebble/graph/training/training_graph.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

namespace detail {
struct keep_all_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training) const -> recompute_plan<Time> {
        recompute_plan<Time> plan;
        plan.schedule = liveness(training.flow);
        plan.cost = replay(training.flow, plan.schedule);
        return plan;
    }
};
}  // namespace detail

/// Every operation once, in index order (forward first, then backward in reverse, where the graph was built), every
/// value kept until its last use: what frameworks do, and what budgets are measured against.  O((n + m) log n).
inline constexpr detail::keep_all_fn keep_all{};

}  // namespace repebble::inline v0

#endif
