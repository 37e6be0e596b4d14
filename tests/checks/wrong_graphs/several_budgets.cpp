// expected: plan_takes_one_budget_and_plan_curve_several
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>

auto main() -> int {
    std::vector<std::vector<int>> const net{{1}, {}};
    repebble::plan(net, std::vector<repebble::bytes>{7, 8});
}
