// expected: make_problem_or_make_training_problem_makes_a_problem_of_the_graph
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>

auto main() -> int {
    std::vector<std::vector<int>> const net{{1}, {}};
    repebble::plan(net, 7);
}
