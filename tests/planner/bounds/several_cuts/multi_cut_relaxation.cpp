// Covers planner/detail/budget_search.hpp, planner/detail/bounds/one_cut/sequence_of_cuts.hpp,
// planner/detail/bounds/one_cut/cut_search.hpp, planner/detail/bounds/several_cuts/multi_cut_bound.hpp,
// planner/detail/bounds/several_cuts/multi_cut_search.hpp, planner/detail/model/sequence_loads.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/orders/find_optimal_pebbling.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/detail/bounds/one_cut/cut_search.hpp>
#include <repebble/planner/detail/bounds/one_cut/sequence_of_cuts.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_bound.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_search.hpp>
#include <repebble/planner/detail/budget_search.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

#include "support/catch.hpp"
#include "planner/cuts.hpp"
#include "support/equal_values.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

constexpr auto until_solved = [] { return false; };
constexpr auto beyond_all = detail::most_time;

/// y is computed from x; `early` reads y, `late` reads an output of `early`, and `last` reads y once more. Within 10
/// bytes nothing fits beside `early`, and x, but not y, beside `late`. Then come operations without outputs.
struct two_cuts {
    operation_index p, f, early, late, last;
    dataflow flow;
};
auto make_two_cuts(bool again, std::size_t others = 0) -> two_cuts {
    dataflow_builder builder;
    auto const p = builder.add_operation(3, 0, again), f = builder.add_operation(2),
               early = builder.add_operation(1, 1), late = builder.add_operation(1, 2), last = builder.add_operation(0);
    auto const x = builder.add_value(p, 2), y = builder.add_value(f, 6), a = builder.add_value(early, 3),
               b = builder.add_value(late, 1);
    builder.add_read(f, x);
    builder.add_read(early, y);
    builder.add_read(late, a);
    builder.add_read(last, b);
    builder.add_read(last, y);
    for (std::size_t k = 0; k < others; ++k) builder.add_operation(1);
    return {p, f, early, late, last, std::move(builder).build()};
}

auto random_gradients(support::split_mix& random) -> dataflow {
    auto const n = 4 + support::below(random, 2);
    auto const time = support::random_weights(random, n, 0, 9), memory = support::random_weights(random, n, 1, 9);
    return make_training_graph(support::random_dag(random, n, 50),
                               weights{[&](int v) { return time[static_cast<std::size_t>(v)]; },
                                       [&](int v) { return memory[static_cast<std::size_t>(v)]; }})
        .flow;
}
/// The solved bound of one cut alone; nothing where no choice fits.
auto solved_alone(detail::first_run_cut const& cut, bytes budget) -> std::optional<std::int64_t> {
    detail::cut_search search(cut, budget);
    search.branch(10'000, until_solved);
    REQUIRE((!search.feasible() || search.is_solved()));
    return search.feasible() ? std::optional(search.bound()) : std::nullopt;
}

}  // namespace

TEST_CASE("multi_cut_search: a value that fits at one cut only is recomputed, and so is its input") {
    auto const net = make_two_cuts(true);
    auto const m = detail::make_planning_model(net.flow);
    auto const both = support::chain_of(m, {net.early, net.late});
    CHECK(both[0].capacity(10) == 0);
    CHECK(both[1].capacity(10) == 4);
    CHECK(solved_alone(both[0], 10) == 0);  // y is resident as an input
    CHECK(solved_alone(both[1], 10) == 2);  // x is kept, f is recomputed
    detail::multi_cut_search search(both, 10, 1, beyond_all, 30);
    search.branch(until_solved);
    CHECK(search.bound() == 5);  // x is not resident: both are recomputed
    CHECK_FALSE(search.infeasible());
    CHECK(find_optimal_pebbling(net.flow, 10).time == m.time_once + 5);

    detail::multi_cut_bound several(m, 10, 1, std::vector{net.late, net.early}, 0);
    several.improve(beyond_all, 1000, until_solved);
    CHECK(several.bound() == 5);
    CHECK_FALSE(several.infeasible());
    // With a budget for y beside `late` there is no overhead.
    detail::multi_cut_search enough(both, 12, 1, beyond_all, 30);
    enough.branch(until_solved);
    CHECK(enough.bound() == 0);
}

TEST_CASE("multi_cut_search: infeasible where each cut alone is feasible") {
    auto const net = make_two_cuts(false);
    auto const m = detail::make_planning_model(net.flow);
    auto const both = support::chain_of(m, {net.early, net.late});
    CHECK(solved_alone(both[0], 10) == 0);
    CHECK(solved_alone(both[1], 10) == 2);
    detail::multi_cut_search search(both, 10, 1, beyond_all, 30);
    search.branch(until_solved);
    CHECK(search.infeasible());
    auto const exact = find_optimal_pebbling(net.flow, 10);
    CHECK((exact.proven && !exact.schedule));
}

TEST_CASE("multi_cut_search: a value read in several intervals and kept at no cut is recomputed in each") {
    dataflow_builder builder;
    auto const make = builder.add_operation(3);
    auto const x = builder.add_value(make, 6);
    auto before = builder.add_operation(1);
    builder.add_read(before, x);
    std::vector<operation_index> at;
    for (int k = 0; k < 3; ++k) {
        auto const wide = builder.add_operation(1, 8), reader = builder.add_operation(1);
        builder.add_read(wide, builder.add_value(before, 1));
        builder.add_read(reader, builder.add_value(wide, 1));
        builder.add_read(reader, x);
        at.push_back(wide);
        before = reader;
    }
    auto const flow = std::move(builder).build();
    auto const m = detail::make_planning_model(flow);
    auto const cuts = support::chain_of(m, at);
    CHECK(solved_alone(cuts[0], 10) == 3);
    detail::multi_cut_search search(cuts, 10, 1, beyond_all, 30);
    search.branch(until_solved);
    CHECK(search.bound() == 9);
    CHECK(find_optimal_pebbling(flow, 10).time == m.time_once + 9);

    detail::multi_cut_bound several(m, 10, 1, at, 3);
    several.improve(beyond_all, 5000, until_solved);
    CHECK(several.bound() == 9);
    auto const sequence = several.computations(100);
    REQUIRE(sequence);
    CHECK(detail::sequence_time(m, *sequence) == m.time_once + 9);
    CHECK(std::ranges::max(detail::sequence_loads(m, *sequence)) == 10);
    CHECK_FALSE(several.computations(sequence->size() - 1));
}

TEST_CASE("propagation: a value neither computed in an interval nor kept before it excludes its readers") {
    // a -> b -> early; after `wide` the output of b is read once more, then that of a.
    dataflow_builder builder;
    auto const a = builder.add_operation(2), b = builder.add_operation(3), wide = builder.add_operation(1, 4),
               reads_b = builder.add_operation(1), reads_a = builder.add_operation(1);
    auto const x = builder.add_value(a, 2), y = builder.add_value(b, 3), w = builder.add_value(wide, 1),
               z = builder.add_value(reads_b, 1);
    builder.add_read(b, x);
    builder.add_read(wide, y);
    for (auto const v : {w, y}) builder.add_read(reads_b, v);
    for (auto const v : {z, x}) builder.add_read(reads_a, v);
    auto const flow = std::move(builder).build();
    auto const m = detail::make_planning_model(flow);
    auto const cuts = support::chain_of(m, {wide, reads_b, reads_a});
    using decisions = detail::branching_decisions;
    auto const decide = [&](decisions const& d) { return detail::propagation(cuts, 20, 1, d); };

    auto const nothing = decide({});
    CHECK_FALSE(nothing.is_never(1, a));
    CHECK(nothing.is_open(0, x));
    // a does not run between the first two cuts, nor is x kept: x cannot be kept at the second, and b cannot run.
    auto const gone = decide({{{0, x, false}}, {{1, a, false}}});
    CHECK(gone.is_never(1, a));
    CHECK(gone.is_never(1, b));
    CHECK(gone.is_excluded(1, x));
    CHECK(gone.capacity(0) == nothing.capacity(0));
    CHECK(gone.may_run_after(0, a));
    // The last cut reads x: it is computed in the interval before, or kept where its producer cannot run.
    CHECK(gone.certain_runs(2)[a]);
    auto const kept = decide({{}, {{2, a, false}}});
    CHECK(kept.is_kept(1, x));
    CHECK(kept.capacity(1) == nothing.capacity(1) - 2);
    CHECK(decide({{{1, x, false}}, {{2, a, false}}}).capacity(1) < 0);  // x could come from nowhere
    CHECK(decide({{}, {{1, b, true}, {1, b, false}}}).capacity(0) < 0);
    // A run requires its inputs.
    auto const runs = decide({{{0, x, false}}, {{1, b, true}}});
    CHECK(runs.certain_runs(1)[b]);
    CHECK(runs.certain_runs(1)[a]);
    auto const over = decide({{}, {{1, a, false}, {2, a, false}, {3, a, false}}});
    CHECK_FALSE(over.may_run_after(0, a));
    CHECK(over.may_run_after(0, b));
}

TEST_CASE("multi_cut_search: settled where branching can add little compared with the gap", "[tuning]") {
    // Three values of 3 bytes fit into 10 bytes; the relaxation keeps three and a third.
    auto const net = support::make_equal_values(200);
    auto const wide = net.wide;
    auto const m = detail::make_planning_model(net.flow);
    detail::multi_cut_search near(support::chain_of(m, {wide}), 20, 1, 500, 30),
        far(support::chain_of(m, {wide}), 20, 1, 50'000, 30);
    CHECK_FALSE(near.is_settled());
    for (auto* search : {&near, &far})
        while (search->best().empty() || search->best().front().time > 400) {
            REQUIRE_FALSE(search->is_solved());
            bool once = false;
            search->branch([&] { return std::exchange(once, true); });
        }
    CHECK(far.bound() < 400);
    CHECK(far.is_settled());
    CHECK_FALSE(far.is_solved());
    CHECK(near.is_settled() == near.is_solved());
    for (auto* search : {&near, &far}) {
        search->branch(until_solved);
        CHECK(search->bound() == 400);
    }
}

TEST_CASE("multi_cut_search: propagation of excluded runs solves a long chain of alternatives") {
    // The first value fits at no cut, and is read after each: it runs twice, whichever other values are kept.
    dataflow_builder builder;
    auto const first = builder.add_operation(7);
    auto const large = builder.add_value(first, 9);
    std::vector<value_index> small;
    auto last = large;
    for (int k = 0; k < 12; ++k) {
        auto const v = builder.add_operation(2);
        builder.add_read(v, last);
        small.push_back(last = builder.add_value(v, 1));
    }
    auto before = last;
    std::vector<operation_index> at;
    for (int k = 0; k < 2; ++k) {
        auto const wide = builder.add_operation(1, 20), reader = builder.add_operation(1);
        builder.add_read(wide, before);
        builder.add_read(reader, builder.add_value(wide, 1));
        builder.add_read(reader, large);
        if (k == 0)
            for (auto const x : small) builder.add_read(reader, x);
        before = builder.add_value(reader, 1);
        at.push_back(wide);
    }
    auto const flow = std::move(builder).build();
    auto const m = detail::make_planning_model(flow);
    auto const budget = detail::floor_of(m).size;
    auto const exact = find_optimal_pebbling(flow, budget);
    REQUIRE((exact.proven && exact.schedule));
    detail::multi_cut_search search(support::chain_of(m, at), budget, 1, exact.time - m.time_once, 30);
    int parts = 0;
    search.branch([&] { return ++parts > 200; });
    CHECK(search.is_solved());
    CHECK(search.bound() <= exact.time - m.time_once);
    CHECK(search.bound() >= 14);
}

TEST_CASE("sequence_of_cuts: choices at several cuts make a legal sequence") {
    std::size_t made = 0;
    for (std::uint64_t seed = 600; seed < 900; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::random_without_views(random, 6 + seed % 9, 35);
        auto const m = detail::make_planning_model(flow);
        auto const cuts = support::random_chain(random, m, 2 + seed % 4);
        if (cuts.empty()) continue;
        for (bytes const more : {0, 2, 5, 9}) {
            detail::multi_cut_search search(cuts, detail::floor_of(m).size + more, 1, beyond_all, 5);
            std::size_t parts = 0;
            search.branch([&] { return ++parts > 30; });
            if (search.best().empty()) continue;
            ++made;
            auto const sequence = detail::sequence_of_cuts(search.cuts(), search.best());
            REQUIRE(sequence);
            CHECK_NOTHROW(replay(flow, make_schedule(flow, *sequence)));
        }
    }
    CHECK(made > 300);
}

TEST_CASE("budget_search: a budget that several cuts prove infeasible is not annealed") {
    struct {
        int heard = 0;
        void progress(double) { ++heard; }
    } observer;
    detail::listener const hears(observer);
    detail::profile counts;
    auto const m = detail::make_planning_model(make_two_cuts(false, 80).flow);
    plan_options const options{.limits = {.work = 500}};
    detail::budget_search search(m, m, 10, options, hears, counts, nullptr, nullptr, nullptr);
    search.run();
    CHECK(search.infeasible());
    CHECK(search.lower_bound() < beyond_all);
    CHECK(observer.heard == 0);
}

TEST_CASE("multi_cut_search: never above the optimum; solved, not below the bound of any of its cuts") {
    std::size_t optima = 0, solved = 0, better = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = seed % 3 == 0   ? random_gradients(random)
                          : seed % 3 == 1 ? support::random_without_views(random, 5 + seed % 6)
                                          : support::random_narrow_gradients(random);
        auto const m = detail::make_planning_model(flow);
        auto const floor = detail::floor_of(m).size;
        for (bytes const budget : {floor, floor + 1, floor + 3, floor + 6}) {
            auto const exact = find_optimal_pebbling(flow, budget, {.limits = {.work = 5000}});
            if (!exact.proven) continue;
            ++optima;
            auto const least = exact.schedule ? exact.time - m.time_once : std::numeric_limits<std::int64_t>::max();
            for (bytes const unit : {bytes{1}, bytes{2}, bytes{3}}) {
                auto const cuts = support::random_chain(random, m, 2 + seed % 3);
                if (cuts.empty()) continue;
                detail::multi_cut_search search(cuts, budget, unit, beyond_all, 5);
                CHECK(search.bound() <= least);
                std::size_t parts = 0;
                search.branch([&] { return ++parts > 100; });
                CHECK(search.bound() <= least);
                if (search.infeasible()) CHECK_FALSE(exact.schedule);
                if (!search.is_solved() || unit > 1 || search.infeasible()) continue;
                ++solved;
                std::int64_t alone = 0;
                for (auto const& cut : cuts) {
                    auto const one = solved_alone(cut, budget);
                    CHECK(one);
                    alone = std::max(alone, one.value_or(0));
                }
                CHECK(search.bound() >= alone);
                if (search.bound() > alone) ++better;
            }
        }
    }
    CHECK(optima > 150);
    CHECK(solved > 150);
    CHECK(better > 4);
}
