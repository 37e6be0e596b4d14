#ifndef REPEBBLE_PYTHON_FOUND_PLAN_HPP
#define REPEBBLE_PYTHON_FOUND_PLAN_HPP

// A plan in terms of a Python graph.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/planner/automatic_plan.hpp>
#include <repebble/recompute/recompute_plan.hpp>

#include "problem.hpp"

namespace repebble_python {

using step_list = std::vector<std::pair<bool, std::int64_t>>;  // whether it computes, and what

/// A plan, or the proof or failure that there is none.
struct found_plan {
    bool exists = false;
    step_list steps{};
    std::int64_t peak = 0, time = 0, overhead = 0, lower_bound = 0;
    bool proven = false;
    double gap = 0;
    std::int64_t floor = 0;
    std::optional<std::int64_t> floor_operation{};
    std::string strategy{};

    void add(problem const& of, repebble::recompute_plan<> const& plan) {
        exists = true;
        for (auto const& [compute, index] : of.steps_of(plan.schedule)) steps.emplace_back(compute, index);
        peak = plan.cost.peak;
        time = plan.cost.time;
        overhead = plan.cost.overhead;
    }
    void add(problem const& of, repebble::memory_floor<> const& least) {
        floor = least.size;
        if (least.size > 0 && of.is_operation(least.vertex)) floor_operation = least.vertex;
    }
    [[nodiscard]] static auto of(problem const& graph, repebble::automatic_plan<> const& found) -> found_plan {
        found_plan made{.lower_bound = found.lower_bound,
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
