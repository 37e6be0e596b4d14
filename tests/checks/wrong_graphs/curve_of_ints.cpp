// expected: plan_curve_takes_a_span_of_budgets_in_bytes
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>

auto main() -> int {
    std::vector<std::vector<int>> const net{{1}, {}};
    repebble::plan_curve(net, std::vector<int>{7, 8});
}
