// expected: plan_makes_no_gradients_call_plan_training
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>

auto main() -> int {
    std::vector<std::vector<int>> const net{{1}, {}};
    repebble::plan(net, repebble::weights{repebble::unit_weight{}, repebble::unit_weight{}}, 7, {},
                   repebble::gradient_dependencies{});
}
