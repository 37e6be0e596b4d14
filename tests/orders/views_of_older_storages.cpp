// Covers orders/find_optimal_pebbling.hpp, orders/detail/placement_search.hpp.
// Views that stay in the storage of an older computation of their owner, which sets of values cannot tell.
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/orders/find_least_peak.hpp>
#include <repebble/orders/find_optimal_pebbling.hpp>

#include "support/catch.hpp"
#include "support/promises.hpp"

using namespace repebble;

TEST_CASE("one computation of a value is overwritten through a view, and another stays", "[find_optimal_pebbling]") {
    // Found at random: operation 0 makes x and y, 1 a view of x, which 3 overwrites and 4 reads.
    dataflow_builder builder;
    std::int64_t const times[] = {3, 0, 0, 5, 0, 2};
    for (operation_index v = 0; v < 6; ++v) builder.add_operation(times[v], 0, v != 3);
    auto const x = builder.add_value(0, 2), y = builder.add_value(0, 3);
    builder.add_read(1, x);
    auto const view = builder.add_view(1, std::vector{x});
    for (auto const value : {x, y}) builder.add_read(2, value);
    for (auto const value : {y, view}) builder.add_read(3, value);
    builder.add_value(3, 0);
    builder.add_mutation(3, 0, view);
    builder.add_read(4, view);
    auto const a = builder.add_value(4, 3), b = builder.add_value(4, 3);
    builder.add_value(4, 1);
    builder.add_read(5, a);
    builder.add_value(5, 2);
    for (auto const result : {a, b}) builder.add_result(result);
    for (operation_index const u : {1U, 2U, 4U}) builder.add_control_edge(u, 3);
    for (operation_index const v : {2U, 5U}) builder.add_control_edge(0, v);
    builder.add_control_edge(1, 4);
    auto const flow = std::move(builder).build();
    CHECK(support::optimal_fault(flow, 9, support::exhaustive_search(flow, 9, 20'000)) == "");
    auto const found = find_optimal_pebbling(flow, 9);
    CHECK((found.time_least() && found.time == 13));
    CHECK(find_least_peak(flow).lower <= 9);
}

TEST_CASE("who replaces a value and makes a view of what it replaces leaves two storages", "[find_optimal_pebbling]") {
    dataflow_builder builder;
    auto const make = builder.add_operation(1), look = builder.add_operation(0), turn = builder.add_operation(1),
               use = builder.add_operation(1, 3);
    auto const x = builder.add_value(make, 4);
    builder.add_read(look, x);
    auto const seen = builder.add_view(look, std::vector{x});
    builder.add_read(turn, seen);
    builder.add_producer(turn, x);
    auto const older = builder.add_view(turn, std::vector{x});
    builder.add_read(use, older);
    for (auto const result : {x, older}) builder.add_result(result);
    auto const flow = std::move(builder).build();
    for (auto const& [budget, least] : {std::pair<bytes, std::int64_t>{11, 3}, {10, 4}, {8, 4}}) {
        CHECK(support::optimal_fault(flow, budget, support::exhaustive_search(flow, budget, 20'000)) == "");
        auto const found = find_optimal_pebbling(flow, budget);
        CHECK((found.time_least() && found.time == least));
    }
    CHECK(find_optimal_pebbling(flow, 7).none_exists());
    CHECK(support::least_peak_fault(flow, 8) == "");
}
