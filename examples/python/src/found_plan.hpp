#ifndef REPEBBLE_PYTHON_FOUND_PLAN_HPP
#define REPEBBLE_PYTHON_FOUND_PLAN_HPP

// A plan in terms of a Python graph.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <repebble/planner/automatic_plan.hpp>
#include <repebble/recompute/recompute_plan.hpp>

#include "problem.hpp"

namespace repebble_python {

/// A plan, or the proof or failure that there is none.
struct found_plan {
    bool exists = false;
    std::vector<graph_step> steps{};
    std::int64_t peak = 0, time = 0, overhead = 0, lower_bound = 0, base_order_bound = 0;
    std::int64_t host_peak = 0, bytes_out = 0, bytes_in = 0;
    std::tuple<std::int64_t, std::int64_t, std::int64_t> stalls{};  ///< for data, for memory, at the end
    bool proven = false;
    double gap = 0;
    std::int64_t floor = 0;
    std::optional<std::int64_t> floor_operation{};
    std::string strategy{};

    void add(problem const& of, repebble::recompute_plan<> const& plan) {
        exists = true;
        steps = of.steps_of(plan.schedule);
        auto const& cost = plan.cost;
        peak = cost.peak;
        time = cost.time;
        overhead = cost.overhead;
        host_peak = cost.host_peak;
        bytes_out = cost.bytes_out;
        bytes_in = cost.bytes_in;
        stalls = {cost.stalls.for_data, cost.stalls.for_memory, cost.stalls.at_end};
    }
    void add(problem const& of, repebble::memory_floor<> const& least) {
        floor = least.size;
        if (least.size > 0 && of.is_operation(least.vertex)) floor_operation = least.vertex;
    }
    [[nodiscard]] static auto of(problem const& graph, repebble::automatic_plan<> const& found) -> found_plan {
        found_plan made{.lower_bound = found.lower_bound,
                        .base_order_bound = std::max(found.base_order_bound, found.lower_bound),
                        .proven = found.proven,
                        .gap = found.plan ? found.gap() : 0,
                        .strategy = found.strategy};
        made.add(graph, found.floor);
        if (found.plan) made.add(graph, *found.plan);
        return made;
    }
};

}  // namespace repebble_python

#endif
