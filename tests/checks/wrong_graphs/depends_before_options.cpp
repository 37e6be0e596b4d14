// expected: options_come_before_what_gradients_depend_on
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>

auto main() -> int {
    std::vector<std::vector<int>> const net{{1}, {}};
    repebble::plan_training(net, repebble::weights{repebble::unit_weight{}, repebble::unit_weight{}}, 7,
                            repebble::gradient_dependencies{});
}
