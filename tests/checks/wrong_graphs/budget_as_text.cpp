// expected: the_budget_is_a_whole_number_of_bytes
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>

auto main() -> int {
    std::vector<std::vector<int>> const net{{1}, {}};
    repebble::plan(repebble::make_problem(net), "4GiB");
}
