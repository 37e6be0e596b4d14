// Covers planner/detail/bounds/several_cuts/branching_decisions.hpp,
// planner/detail/bounds/several_cuts/mir_inequality.hpp, planner/detail/bounds/several_cuts/propagation.hpp,
// planner/detail/bounds/several_cuts/capacity_rows.hpp.
#include <cstddef>
#include <vector>

#include <repebble/planner/detail/bounds/several_cuts/branching_decisions.hpp>
#include <repebble/planner/detail/bounds/several_cuts/capacity_rows.hpp>
#include <repebble/planner/detail/bounds/several_cuts/mir_inequality.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>

#include "support/catch.hpp"
#include "support/cuts.hpp"

using namespace repebble;

TEST_CASE("capacity_rows: a value kept by decision takes capacity in every row of its cut") {
    auto const net = support::make_three_alike();
    auto const m = detail::make_planning_model(net.flow);
    auto const cuts = support::chain_of(m, {net.wide});
    auto const x = net.values.front();
    std::vector<bytes> sizes(m.value_count(), 0);
    for (auto const v : net.values) sizes[v] = 2;
    std::vector<detail::mir_inequality> const rows{{0, 3, sizes}};
    detail::propagation const open(cuts, 10, 1, {}), kept(cuts, 10, 1, {.checkpoints = {{0, x, true}}}),
        both(cuts, 20, 1, {.checkpoints = {{0, x, true}, {0, net.values.back(), true}}});
    CHECK(detail::capacity_rows(open, rows).count() == 2);
    CHECK(detail::capacity_rows(open, rows).capacity(0) == 5);
    CHECK(detail::capacity_rows(open, rows).capacity(1) == 3);
    CHECK(detail::capacity_rows(kept, rows).capacity(0) == 2);
    CHECK(detail::capacity_rows(kept, rows).capacity(1) == 1);
    CHECK(detail::capacity_rows(kept, rows).fit());
    CHECK(detail::capacity_rows(both).fit());
    CHECK_FALSE(detail::capacity_rows(both, rows).fit());
}
