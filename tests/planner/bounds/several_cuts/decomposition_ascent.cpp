// Covers planner/detail/bounds/several_cuts/interval_relaxation.hpp,
// planner/detail/bounds/several_cuts/tight_cuts.hpp, planner/detail/bounds/several_cuts/grow_cuts.hpp,
// planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp, planner/detail/bounds/several_cuts/insert_cut.hpp,
// planner/detail/bounds/several_cuts/decomposition_ascent.hpp, planner/detail/bounds/several_cuts/capacity_rows.hpp,
// planner/detail/bounds/several_cuts/multi_cut_search.hpp, planner/detail/bounds/several_cuts/cost_split.hpp,
// planner/detail/model/memory_floor.hpp, planner/detail/bounds/several_cuts/cost_split_subgradient.hpp.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/optimal_pebbling.hpp>
#include <repebble/planner/detail/bounds/several_cuts/capacity_rows.hpp>
#include <repebble/planner/detail/bounds/several_cuts/cost_split.hpp>
#include <repebble/planner/detail/bounds/several_cuts/cost_split_subgradient.hpp>
#include <repebble/planner/detail/bounds/several_cuts/decomposition_ascent.hpp>
#include <repebble/planner/detail/bounds/several_cuts/grow_cuts.hpp>
#include <repebble/planner/detail/bounds/several_cuts/insert_cut.hpp>
#include <repebble/planner/detail/bounds/several_cuts/interval_relaxation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_search.hpp>
#include <repebble/planner/detail/bounds/several_cuts/tight_cuts.hpp>
#include <repebble/planner/detail/model/memory_floor.hpp>

#include "support/catch.hpp"
#include "support/cuts.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

constexpr auto never_stopped = [] { return false; };
constexpr std::size_t much_work = 100'000;

/// x and y are read before `early`, between it and `late`, and after `late`. Within 10 bytes one of them fits at each
/// of the two cuts: the other one is recomputed each time. Nothing else takes time.
struct twice {
    operation_index f, g, early, middle, late;
    value_index x, y;
    dataflow<> flow;
};
auto make_twice() -> twice {
    dataflow_builder<std::int64_t> builder;
    auto const f = builder.add_operation(10), g = builder.add_operation(10), first = builder.add_operation(0),
               early = builder.add_operation(0, 4), middle = builder.add_operation(0),
               late = builder.add_operation(0, 4), last = builder.add_operation(0);
    auto const x = builder.add_value(f, 4), y = builder.add_value(g, 4), a = builder.add_value(first, 1),
               b = builder.add_value(early, 1), c = builder.add_value(middle, 1), d = builder.add_value(late, 1);
    for (auto const reader : {first, middle, last}) {
        builder.add_read(reader, x);
        builder.add_read(reader, y);
    }
    builder.add_read(early, a);
    builder.add_read(middle, b);
    builder.add_read(late, c);
    builder.add_read(last, d);
    return {f, g, early, middle, late, x, y, std::move(builder).build()};
}

}  // namespace

TEST_CASE("decomposition_ascent: a cost split counts a recomputation in each of two intervals") {
    auto const net = make_twice();
    auto const m = detail::make_planning_model(net.flow);
    CHECK(optimal_pebbling(net.flow, 10).time == m.time_once + 20);
    detail::multi_cut_search search(support::chain_of(m, {net.early, net.late}), 10, 1, detail::most_time, 30);
    CHECK(search.bound() == 10);  // x is kept at neither cut, and f runs after both
    search.split_costs(300, never_stopped);
    CHECK(search.bound() == 20);
    CHECK_FALSE(search.infeasible());
    search.branch(never_stopped);
    CHECK(search.bound() == 20);
    SECTION("by no more work than is asked for") {
        detail::multi_cut_search other(support::chain_of(m, {net.early, net.late}), 10, 1, detail::most_time, 30);
        auto const before = other.flows();
        other.split_costs(300, [&] { return other.flows() >= before + 6; });
        CHECK(other.flows() >= before + 6);
        CHECK(other.flows() < before + 10);
    }
    SECTION("not by no step") {
        detail::multi_cut_search other(support::chain_of(m, {net.early, net.late}), 10, 1, detail::most_time, 30);
        other.split_costs(0, never_stopped);
        CHECK(other.bound() == 10);
    }
    SECTION("and of what is enough no more is said") {
        detail::multi_cut_search other(support::chain_of(m, {net.early, net.late}), 10, 1, 15, 30);
        other.split_costs(300, never_stopped);
        CHECK(other.bound() == 15);
        CHECK(other.is_solved());
        CHECK_FALSE(other.infeasible());
    }
}

TEST_CASE("decomposition_ascent: never above the optimum", "[property]") {
    std::size_t told = 0, raised = 0;
    support::for_each_optimum(150, 5, [&](auto& random, auto const& m, bytes budget, auto const& exact, auto& cuts) {
        if (cuts.size() < 2) return;
        auto const unit = 1 + static_cast<bytes>(support::below(random, 2));
        detail::multi_cut_search search(cuts, budget, unit, detail::most_time, 5);
        auto const before = search.bound();
        search.split_costs(60, never_stopped);
        ++told;
        if (!exact.schedule) return;
        CHECK_FALSE(search.infeasible());
        CHECK(search.bound() <= exact.time - m.time_once);
        if (search.bound() > before) ++raised;
    });
    CHECK(told > 200);
    CHECK(raised > 20);
}

TEST_CASE("cost_split_subgradient: integer splits never count a run for more than its time", "[property]") {
    constexpr std::int64_t scale = 1000;
    std::size_t intervals = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        support::split_mix random(seed);
        auto const flow = support::random_without_views(random, 12);
        auto const m = detail::make_planning_model(flow);
        auto const cuts = support::random_chain(random, m, 4);
        if (cuts.size() < 2) continue;
        detail::propagation const decided(cuts, detail::floor_of(m).size + 5, 1, {});
        detail::capacity_rows const capacities(decided);
        detail::cost_split_subgradient slopes(capacities);
        auto const anywhere = [&](auto& some) {
            for (auto& s : some) s.direction = static_cast<double>(support::below(random, 2001)) - 1000;
        };
        for (int step = 0; step < 5; ++step) {
            anywhere(slopes.multipliers);
            for (auto& some : slopes.after) anywhere(some);
            for (auto& b : slopes.blocks) {
                anywhere(b.runs);
                anywhere(b.kept);
                anywhere(b.delivered);
            }
            slopes.go(0.01, 100);
        }
        for (operation_index p = 0; p < m.operation_count(); ++p) {
            double after = 0;
            for (auto i = slopes.first_cut(p); i + 1 < cuts.size(); ++i) after += slopes.after[i][p].at;
            CHECK(after <= static_cast<double>(m.operations[p].again) + 1e-6);
        }
        auto const check_sums = [&](detail::cost_split const& split) {
            for (operation_index p = 0; p < m.operation_count(); ++p)
                for (auto t = slopes.first_cut(p) + 1; t <= cuts.size(); ++t) {
                    std::int64_t paid = 0;
                    for (std::size_t i = 0; i < t; ++i) paid += split.runs[i][p];
                    for (auto const& b : split.blocks)
                        if (b.first < t && t <= b.second) paid += b.runs[p];
                    CHECK(paid <= scale * m.operations[p].again);
                    ++intervals;
                }
            for (std::size_t i = 0; i < cuts.size(); ++i)
                for (value_index x = 0; x < m.value_count(); ++x) {
                    auto left = split.checkpoints[i][x];
                    for (auto const& b : split.blocks) {
                        if (b.first == i) left += b.kept[x];
                        if (b.second == i) left -= b.delivered[x];
                    }
                    CHECK(left == 0);
                }
        };
        check_sums(slopes.make_whole(scale));
        for (auto& some : slopes.after)
            for (auto& s : some) s.at *= 3;  // above the time of the operation
        for (auto& b : slopes.blocks)
            for (auto& s : b.runs) s.at += 2;
        check_sums(slopes.make_whole(scale));
    }
    CHECK(intervals > 500);
}

TEST_CASE("interval_relaxation: values read in the interval are kept at its beginning or recomputed") {
    auto const net = make_twice();
    auto const m = detail::make_planning_model(net.flow);
    auto const cuts = support::chain_of(m, {net.early, net.late});
    detail::propagation const decided(cuts, 10, 1, {});
    detail::interval_relaxation const between(decided, 0, 1);
    detail::cost_block costs{0, 1, std::vector<std::int64_t>(m.operation_count(), 10),
                             std::vector<std::int64_t>(m.value_count(), 0),
                             std::vector<std::int64_t>(m.value_count(), 0)};
    costs.kept[net.x] = 3;
    costs.kept[net.y] = 12;
    auto const cheap = between.solve(costs);
    CHECK(cheap.value == 13);  // x is kept, g is recomputed
    CHECK(cheap.kept[net.x]);
    CHECK(cheap.runs[net.g]);
    CHECK_FALSE(cheap.runs[net.f]);
    costs.delivered[net.y] = 5;  // a reward for y, which is resident
    auto const delivered = between.solve(costs);
    CHECK(delivered.value == 8);
    CHECK(delivered.delivered[net.y]);
    // A value whose producer cannot run is kept, whatever it costs.
    detail::propagation const never(cuts, 10, 1, {.runs = {{1, net.g, false}}});
    auto const forced = detail::interval_relaxation(never, 0, 1).solve(costs);
    REQUIRE(forced.feasible);
    CHECK_FALSE(forced.runs[net.g]);
    CHECK(forced.value == 10 - 5);  // y is kept by propagation, at no cost, and x does not fit beside it
}

TEST_CASE("multi_cut_relaxation: under a cost split, checkpoints with a reward above their cost are kept") {
    auto const net = make_twice();
    auto const m = detail::make_planning_model(net.flow);
    auto const cuts = support::chain_of(m, {net.early, net.late});
    detail::propagation const decided(cuts, 10, 1, {});
    detail::capacity_rows const capacities(decided);
    detail::cost_split split;
    split.runs.assign(2, std::vector<std::int64_t>(m.operation_count(), 0));
    split.checkpoints.assign(2, std::vector<std::int64_t>(m.value_count(), 0));
    split.runs[0][net.f] = split.runs[0][net.g] = 10;
    auto const value_at = [&](std::int64_t multiplier) {
        return detail::multi_cut_relaxation(capacities, 1, &split).solve(std::vector{multiplier, multiplier}).value;
    };
    CHECK(value_at(0) == 0);
    CHECK(value_at(2) == 20);  // 8 at each of two cuts for x and for y: both are recomputed
    split.checkpoints[0][net.x] = -50;
    CHECK(value_at(0) == -50);
    CHECK(value_at(2) == (8 - 50) + 8 + 10);  // x is kept at both cuts, g is recomputed
    split.checkpoints[0][net.x] = 0;
    auto const b = m.writes[net.early].front();  // which has no reader after `late`
    split.checkpoints[1][b] = -7;
    CHECK(value_at(0) == -7);
    CHECK(value_at(2) == 20 + 2 - 7);
}

TEST_CASE("cost_split: a certain run is counted in its interval, and later ones once more") {
    auto const net = make_twice();
    auto const m = detail::make_planning_model(net.flow);
    auto const cuts = support::chain_of(m, {net.early, net.middle, net.late});
    detail::cost_split split;
    split.runs.assign(3, std::vector<std::int64_t>(m.operation_count(), 0));
    split.runs[0][net.f] = 5;
    split.runs[1][net.f] = 3;
    split.runs[2][net.f] = 2;
    auto const paid = [&](detail::branching_decisions const& decisions) {
        auto const all = detail::paid_after(detail::propagation(cuts, 20, 1, decisions), split);
        return std::vector{all[0][net.f], all[1][net.f], all[2][net.f]};
    };
    CHECK(paid({}) == std::vector<std::int64_t>{5, 3, 2});
    CHECK(paid({.runs = {{1, net.f, true}}}) == std::vector<std::int64_t>{5, 8, 2});
    CHECK(paid({.runs = {{2, net.f, true}}}) == std::vector<std::int64_t>{5, 3, 10});
    CHECK(paid({.runs = {{1, net.f, true}, {2, net.f, true}}}) == std::vector<std::int64_t>{5, 8, 10});
}

TEST_CASE("insert_cut: a cut is inserted at its place, once, and only where it is comparable with all others") {
    auto const net = make_twice();
    auto const m = detail::make_planning_model(net.flow);
    auto const late = support::chain_of(m, {net.late});
    auto const both = detail::insert_cut(late, detail::first_run_cut(m, net.early));
    REQUIRE(both.has_value());
    CHECK(both->front().at() == net.early);
    CHECK(both->back().at() == net.late);
    CHECK_FALSE(detail::insert_cut(*both, detail::first_run_cut(m, net.late)).has_value());
    auto const of_f = support::chain_of(m, {net.f});
    CHECK_FALSE(detail::insert_cut(of_f, detail::first_run_cut(m, net.g)).has_value());
}

TEST_CASE("tight_cuts: local maxima of resident bytes at first runs, near the budget") {
    auto const net = make_twice();
    auto const m = detail::make_planning_model(net.flow);
    // f g first early middle late last, with everything kept: 4 8 9 14 10 14 9
    auto const& once = m.order;
    auto const full = detail::tight_cuts(m, once, 14);
    CHECK(full == std::vector{net.early, net.late});
    CHECK(detail::tight_cuts(m, once, 15).size() == 0);
    auto const all = detail::promising_cuts(m, {net.late, net.middle, net.early}, once, 14);
    CHECK(all == std::vector{net.late, net.early, net.late, net.middle, net.early});
}

TEST_CASE("grow_cuts: a cut joins where it raises the bound; branching closes the rest") {
    auto const net = make_twice();
    auto const m = detail::make_planning_model(net.flow);
    detail::grow_cuts grown(m, 10, 1, {net.late, net.late, net.middle, net.early}, 10);
    CHECK(grown.bound() == 10);
    grown.grow(25, much_work, never_stopped);
    grown.divide(25, much_work, never_stopped);
    CHECK(grown.bound() == 20);
    CHECK_FALSE(grown.infeasible());
    SECTION("no work, no bound") {
        detail::grow_cuts stopped(m, 10, 1, {net.late, net.early}, 10);
        stopped.grow(25, much_work, [] { return true; });
        stopped.divide(25, much_work, never_stopped);
        CHECK(stopped.bound() == 10);
    }
    SECTION("a little work, and no more") {
        detail::grow_cuts little(m, 10, 1, {net.late, net.early}, 10);
        little.grow(25, 3, never_stopped);
        CHECK(little.bound() < 20);
    }
    SECTION("nothing beyond what is enough") {
        detail::grow_cuts enough(m, 10, 1, {net.late, net.early}, 10);
        enough.grow(12, much_work, never_stopped);
        CHECK(enough.bound() == 12);
    }
}
