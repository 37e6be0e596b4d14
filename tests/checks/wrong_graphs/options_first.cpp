// expected: the_budget_comes_before_the_options
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>

auto main() -> int {
    std::vector<std::vector<int>> const net{{1}, {}};
    repebble::plan(repebble::make_problem(net), repebble::plan_options{.limits = {.seconds = 5}}, 7);
}
