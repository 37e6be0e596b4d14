// expected: several_budgets_are_a_span_of_bytes
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>

auto main() -> int {
    std::vector<std::vector<int>> const net{{1}, {}};
    repebble::plan(repebble::make_problem(net), std::vector<int>{7, 8});
}
