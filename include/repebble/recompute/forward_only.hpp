#ifndef REPEBBLE_RECOMPUTE_FORWARD_ONLY_HPP
#define REPEBBLE_RECOMPUTE_FORWARD_ONLY_HPP

// The schedule of inference: no backward pass, hence no checkpoints. It shows the memory that training adds ("nearly
// O(1)" on a chain: T. Chen, B. Xu, C. Zhang, C. Guestrin: Training deep nets with sublinear memory cost, 2016, section
// 3).

#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

namespace detail {

struct forward_only_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& forward) const -> recompute_plan<Time> {
        std::vector<value_index> results;
        for (operation_index v = 0; v < forward.operation_count(); ++v)
            if (forward.is_sink(v)) results.insert(results.end(), forward.writes(v).begin(), forward.writes(v).end());
        recompute_plan<Time> plan;
        plan.schedule = liveness(forward, forward.order(), results);
        plan.cost = replay(forward, plan.schedule, {.resident_at_end = results});
        return plan;
    }
};

}  // namespace detail

/// Plan of inference: every operation of a forward dataflow once, in its order, every value until its last use, and the
/// outputs of sinks until the end. For a training graph, pass its `forward_part`. O(n + m).
inline constexpr detail::forward_only_fn forward_only{};

}  // namespace repebble::inline v0

#endif
