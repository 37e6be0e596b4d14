// Covers planner/detail/bounds/several_cuts/propagation.hpp,
// planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp.
#include <utility>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>

#include "support/catch.hpp"
#include "planner/cuts.hpp"

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

TEST_CASE("propagation: a value is excluded where it is larger than what is left, and not where it fills that") {
    auto const net = support::make_three_alike();  // of 3 bytes each, 5 beside them
    auto const m = detail::make_planning_model(net.flow);
    auto const cuts = support::chain_of(m, {net.wide});
    CHECK_FALSE(detail::propagation(cuts, 8, 1, {}).is_excluded(0, net.values.front()));
    CHECK(detail::propagation(cuts, 7, 1, {}).is_excluded(0, net.values.front()));
}

TEST_CASE("propagation: what certainly ran between two cuts is not charged for its first run once more") {
    dataflow_builder builder;
    auto const a = builder.add_operation(1), b = builder.add_operation(1), c = builder.add_operation(1),
               p = builder.add_operation(1);
    builder.add_read(b, builder.add_value(a, 1));
    builder.add_read(c, builder.add_value(b, 1));
    auto const x = builder.add_value(p, 1);
    builder.add_read(c, x);
    auto const m = detail::make_planning_model(std::move(builder).build());
    auto const cuts = support::chain_of(m, {a, b, c});
    CHECK(detail::propagation(cuts, 10, 1, {}).is_charged(2, p));
    detail::propagation const ran(cuts, 10, 1, {.checkpoints = {{0, x, false}, {1, x, true}}});
    CHECK(ran.is_charged(1, p));
    CHECK_FALSE(ran.is_charged(2, p));
}
