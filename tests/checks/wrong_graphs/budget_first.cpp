// expected: the_problem_is_the_first_argument_and_the_budget_the_next
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>

auto main() -> int {
    std::vector<std::vector<int>> const net{{1}, {}};
    repebble::plan(7, repebble::make_problem(net));
}
