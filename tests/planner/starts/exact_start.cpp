// Covers planner/detail/starts/exact_start.hpp.
#include <utility>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/starts/exact_start.hpp>

#include "support/catch.hpp"

using namespace repebble;

namespace {

constexpr auto no_stop = [] { return false; };

/// a, 4 bytes, is read by b and by c, and does not fit beside b: within 6 bytes it is computed twice.
auto tight_flow() -> dataflow {
    dataflow_builder builder;
    auto const a = builder.add_operation(3), b = builder.add_operation(1), wide = builder.add_operation(1, 3),
               c = builder.add_operation(1);
    auto const x = builder.add_value(a, 4), y = builder.add_value(b, 1), z = builder.add_value(wide, 1);
    builder.add_value(c, 1);
    builder.add_read(b, x);
    builder.add_read(wide, y);
    builder.add_read(c, x);
    builder.add_read(c, z);
    return std::move(builder).build();
}

}  // namespace

TEST_CASE("exact_start: the optimum, and that nothing is faster than a known plan of that time") {
    auto const flow = tight_flow();
    auto const m = detail::make_planning_model(flow);
    auto const answer = detail::exact_start(flow, m, 6).search({}, 10'000, no_stop);
    REQUIRE(answer.found);
    CHECK(detail::computations_of(*answer.found).size() == 5);
    CHECK((answer.lower_bound == 3 && !answer.infeasible));
    auto const known = detail::exact_start(flow, m, 6).search(9, 10'000, no_stop);
    CHECK((!known.found && !known.infeasible && known.lower_bound == 3));
    CHECK(detail::exact_start(flow, m, 5).search({}, 10'000, no_stop).infeasible);
}
