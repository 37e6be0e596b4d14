// What a user compiles who plans a graph of his own: only the headers that this needs. include_cost.sh measures it.
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/recompute/lower_set_plan.hpp>

int main() {
    std::vector<std::vector<int>> const net{{1, 3}, {2}, {3}, {4}, {5}, {6}, {}};
    auto const plan = repebble::lower_set_plan(repebble::make_training_problem(net), 7);
    return plan && plan->cost.peak <= 7 ? 0 : 1;
}
