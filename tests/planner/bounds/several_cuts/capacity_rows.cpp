// Covers planner/detail/bounds/several_cuts/branching_decisions.hpp,
// planner/detail/bounds/several_cuts/propagation.hpp, planner/detail/bounds/several_cuts/capacity_rows.hpp.
#include <repebble/planner/detail/bounds/several_cuts/branching_decisions.hpp>
#include <repebble/planner/detail/bounds/several_cuts/capacity_rows.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>

#include "support/catch.hpp"
#include "support/cuts.hpp"

using namespace repebble;

TEST_CASE("capacity_rows: a value kept by decision takes capacity at its cut") {
    auto const net = support::make_three_alike();
    auto const m = detail::make_planning_model(net.flow);
    auto const cuts = support::chain_of(m, {net.wide});
    auto const x = net.values.front();
    detail::propagation const open(cuts, 10, 1, {}), kept(cuts, 10, 1, {.checkpoints = {{0, x, true}}}),
        both(cuts, 10, 1, {.checkpoints = {{0, x, true}, {0, net.values.back(), true}}});
    CHECK(detail::capacity_rows(open).count() == 1);
    CHECK(detail::capacity_rows(open).capacity(0) == 5);
    CHECK(detail::capacity_rows(kept).capacity(0) == 2);
    CHECK(detail::capacity_rows(kept).fit());
    CHECK_FALSE(detail::capacity_rows(both).fit());
}
