// expected: weights_memory_does_not_return_a_number
#include <string>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>

auto main() -> int {
    std::vector<std::vector<int>> const net{{1}, {}};
    auto const memory = [](int v) { return std::to_string(v); };
    repebble::make_training_problem(net, repebble::weights{repebble::unit_weight{}, memory});
}
