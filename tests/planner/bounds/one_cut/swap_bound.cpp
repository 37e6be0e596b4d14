// Covers planner/detail/bounds/one_cut/swap_bound.hpp.
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/planner/detail/bounds/one_cut/swap_bound.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

#include "support/catch.hpp"

using namespace repebble;

TEST_CASE("swap_bound: what runs no earlier than an operation, and no later, has its own time once", "[bounds]") {
    dataflow_builder builder;  // 0 before 1 and 2, which 3 reads
    for (std::int64_t const time : {2, 3, 5, 7}) builder.add_operation(time);
    auto const x = builder.add_value(0, 1), y = builder.add_value(1, 1), z = builder.add_value(2, 1);
    for (operation_index const reader : {1U, 2U}) builder.add_read(reader, x);
    for (auto const value : {y, z}) builder.add_read(3, value);
    auto const flow = std::move(builder).build();
    auto const m = detail::make_planning_model(flow);
    auto const any = detail::run_times_of(m, detail::order_of_runs::any, 4);
    CHECK(any.earlier == std::vector<std::int64_t>{2, 5, 7, 17});
    CHECK(any.later == std::vector<std::int64_t>{17, 10, 12, 7});
    auto const alone = detail::run_times_of(m, detail::order_of_runs::any, 3);
    CHECK(alone.earlier == std::vector<std::int64_t>{2, 3, 5, 7});
    CHECK(alone.later == alone.earlier);
}
