// Covers planner/detail/starts/order_start.hpp, plan.hpp.
#include <cstddef>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/orders/find_least_peak_order.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

/// Five chains of 20 values, numbered level by level, whose ends are read together. All values but the ends are large.
auto towers_by_level() -> dataflow {
    support::adjacency g(101);
    for (std::size_t v = 0; v < 100; ++v) g[v].push_back(static_cast<int>(v + 5 < 100 ? v + 5 : 100));
    return make_dataflow(g, weights{unit_weight{}, [](int v) { return v < 95 ? 7 : 1; }});
}

}  // namespace

TEST_CASE("a forward graph within the peak of its best order is computed once", "[order_start]") {
    auto const wide = towers_by_level();
    auto const best = find_least_peak_order(wide);
    REQUIRE(best.is_proven());
    CHECK((best.peak == 18 && replay(wide, make_schedule(wide)).peak == 42));
    auto const found = plan(wide, best.peak, {.limits = {.work = 1000}});
    REQUIRE(found.plan);
    CHECK((found.plan->cost.overhead == 0 && found.plan->cost.peak <= best.peak));
    CHECK((found.proven && found.strategy == "least_peak_order"));
}

TEST_CASE("below the peak of the best order values are computed again", "[order_start]") {
    // A value of 10 bytes is read at both ends of a chain of sixes.
    support::adjacency const g{{1, 4}, {2}, {3}, {4}, {}};
    auto const flow = make_dataflow(g, weights{unit_weight{}, [](int v) { return v == 0 ? 10 : v == 4 ? 1 : 6; }});
    CHECK(find_least_peak_order(flow).peak == 22);
    auto const found = plan(flow, 17, {.limits = {.work = 1000}});
    REQUIRE(found.plan);
    CHECK((found.plan->cost.overhead == 1 && found.proven));
}
