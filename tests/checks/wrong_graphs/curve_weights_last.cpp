// expected: weights_come_before_the_budget
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>

auto main() -> int {
    std::vector<std::vector<int>> const net{{1}, {}};
    repebble::plan_curve(net, std::vector<repebble::bytes>{7},
                         repebble::weights{repebble::unit_weight{}, repebble::unit_weight{}});
}
