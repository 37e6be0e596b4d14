// Covers planner/detail/annealing/annealing_search.hpp.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/planner/detail/annealing/annealing_search.hpp>

#include "support/catch.hpp"

using namespace repebble;
using computations = std::vector<operation_index>;

namespace {

/// Operation v takes v + 1 time units.
auto model_of_times(std::size_t operations) -> detail::planning_model {
    dataflow_builder builder;
    for (std::size_t v = 0; v < operations; ++v)
        builder.add_value(builder.add_operation(static_cast<std::int64_t>(v + 1)), 1);
    return detail::make_planning_model(std::move(builder).build());
}

}  // namespace

TEST_CASE("start_pool: the fastest repaired sequences, that of several cuts, some for a tighter budget, the last",
          "[tuning]") {
    auto const m = model_of_times(8);
    detail::start_pool starts(m);
    for (operation_index const v : {4U, 2U, 4U, 0U, 2U}) starts.add_repaired({v});
    starts.set_chained({6});
    starts.set_chained({7});
    for (operation_index const v : {1U, 3U, 5U}) starts.add_for_less({v, v});
    CHECK(starts.take({6, 6}) == std::vector<computations>{{0}, {2}, {4}, {7}, {3, 3}, {6, 6}});
    CHECK(starts.take({1}) == std::vector<computations>{{1}});  // the pool is empty
}

TEST_CASE("start_pool: at most six, of which four repaired", "[tuning]") {
    auto const m = model_of_times(8);
    detail::start_pool starts(m);
    for (operation_index v = 0; v < 8; ++v) {
        starts.add_repaired({v});
        starts.add_for_less({v, v});
    }
    CHECK(starts.take({7, 7}) == std::vector<computations>{{0}, {1}, {2}, {3}, {4, 4}, {7, 7}});
    for (operation_index v = 0; v < 8; ++v) starts.add_for_less({v, v});
    CHECK(starts.take({7}) == std::vector<computations>{{0, 0}, {2, 2}, {4, 4}, {5, 5}, {7, 7}, {7}});
}
