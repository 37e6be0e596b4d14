#include <iostream>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>

int main() {
    // Seven operations: each is read by the next, and 0 by 3 as well. Each takes one time unit and makes one byte.
    std::vector<std::vector<int>> const net{{1, 3}, {2}, {3}, {4}, {5}, {6}, {}};
    auto const found = repebble::plan(repebble::make_training_problem(net), 7);  // keeping everything takes 9 bytes
    auto const& plan = found.plan;
    if (!plan) return 1;
    std::cout << "peak " << plan->cost.peak << " bytes, overhead " << plan->cost.overhead << " time units"
              << (found.time_least() ? ", time least" : "");
    for (auto const& step : plan->schedule.steps)
        std::cout << (step.what == repebble::action::compute ? "\ncompute " : ", discard ")
                  << to_string(step.vertex.pass) << ' ' << step.vertex.vertex;
    std::cout << '\n';
    return plan->cost.peak == 7 && plan->cost.overhead == 2 && found.time_least() ? 0 : 1;
}
