// expected: weights_time_is_no_callable_on_vertices
#include <string>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>

auto main() -> int {
    std::vector<std::vector<int>> const net{{1}, {}};
    auto const time = [](std::string const& name) { return name.size(); };
    repebble::make_training_problem(net, repebble::weights{time, repebble::unit_weight{}});
}
