// expected: the_budget_in_bytes_is_missing
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/plan.hpp>

auto main() -> int { repebble::plan(repebble::dataflow{}); }
