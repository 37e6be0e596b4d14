// Covers recompute/best_canonical.hpp, recompute/canonical.hpp, recompute/detail/canonical/positional_values.hpp,
// recompute/lower_set_plan.hpp, recompute/detail/canonical/segment_growth.hpp,
// recompute/detail/canonical/segment_replay.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/recompute/detail/canonical/search_by_replay.hpp>
#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/graph/lower_sets/detail/lower_set.hpp>
#include <repebble/graph/lower_sets/lower_sets.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/plan_options.hpp>
#include <repebble/recompute/best_canonical.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/detail/canonical/positional_values.hpp>
#include <repebble/recompute/detail/canonical/segment_growth.hpp>
#include <repebble/recompute/detail/canonical/segment_replay.hpp>
#include <repebble/recompute/lower_set_plan.hpp>

#include "recompute/lower_set_question.hpp"
#include "recompute/random_training.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::split_mix;
using support::throws;

namespace {

auto unit_training_of(support::adjacency const& g) {
    return make_training_graph(g, weights{unit_weight{}, unit_weight{}});
}

/// A random training graph of a built convention to which best_canonical applies.
auto random_built(split_mix& random, std::size_t most) -> training_graph {
    for (;;) {
        auto const forward = support::random_forward(random, most);
        auto const how = support::built_conventions[support::below(random, 3)];  // the same by every compiler
        auto const needs = support::random_needs(random, forward);
        auto training = make_training_graph(forward, needs, how);
        if (best_canonical.applies(planning_graph(training))) return training;
    }
}

/// Overhead and peak of a sequence, summed segment by segment with segment_replay.
auto by_segments(planning_graph const& graph, lower_set_sequence const& sequence) {
    using namespace repebble::detail;
    positional_values const values(graph);
    segment_replay segment(values);
    auto const size = values.words();
    std::vector<std::vector<position_bits::word>> rows(sequence.count + 1, std::vector<position_bits::word>(size, 0));
    for (std::size_t p = 0; p < values.size(); ++p)
        for (auto i = sequence.segment[values.problem().vertices()[p]]; i < sequence.count; ++i)
            position_bits::insert(rows[i + 1].data(), p);
    struct {
        std::int64_t overhead = 0;
        bytes peak = 0;
    } result;
    std::vector<value_index> claimed;
    bytes cached = 0;
    for (std::size_t i = 0; i < sequence.count; ++i) {
        segment.open(rows[i].data());
        bytes open = segment.open_bytes();
        for (auto const x : claimed) open -= values.bytes_of(x);
        auto const f = segment.run(rows[i + 1].data(), values.beyond(rows[i + 1].data()), claimed);
        result.peak = std::max({result.peak, cached + open + f.forward_peak, cached + f.backward_peak});
        result.overhead += f.overhead;
        cached += f.cached;
        claimed = segment.claimed_after();
    }
    return result;
}

struct cancelled_after {
    std::size_t left;
    auto is_over() -> bool { return left == 0 || left-- == 0; }
};

}  // namespace

TEST_CASE("the cost of a canonical schedule is that of its segments", "[best_canonical][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const built = random_built(random, 24);
        dataflow_changes changes;
        for (operation_index v = 0; v < built.flow.operation_count(); ++v)
            changes.workspaces.push_back(support::makes_view(built.flow, v) ? 0 : support::between(random, 0, 9));
        auto const training = seed % 2 == 0 ? built : edit(built, changes);
        planning_graph const graph(training);
        auto const sequence = support::random_sequence(random, graph.problem());
        auto const judged = replay(graph.flow(), canonical(graph, sequence));
        auto const told = by_segments(graph, sequence);
        RC_ASSERT(told.overhead == judged.overhead);
        RC_ASSERT(told.peak == judged.peak);
    }));
}

TEST_CASE("a chain of 4 within 6, 5 and 3 bytes", "[best_canonical]") {
    auto const training = unit_training_of(support::chain(4));
    planning_graph const graph(training);
    auto const overhead = [&](bytes budget) { return best_canonical(graph, {.budget = budget}).overhead; };
    CHECK(overhead(6) == 0);
    CHECK(overhead(5) == 1);
    auto const none = best_canonical(graph, {.budget = 3});
    CHECK(!none.sequence);
    CHECK(none.bound > 4);  // T(V)
    auto const least = best_canonical(graph);
    CHECK((least.peak == 5 && least.least_peak == 5 && least.overhead == 1));
}

TEST_CASE("best_canonical equals the best of all sequences", "[best_canonical][property]") {
    auto const compare = [](std::uint64_t seed) {
        split_mix random(seed);
        auto const training = support::with_free_views(random_built(random, 6));
        planning_graph const graph(training);
        auto const least = lower_set_plan(training, {}, {.sets = lower_set_choice::every});
        auto const found = best_canonical(graph);
        RC_ASSERT(found.sequence.has_value());
        RC_ASSERT(found.peak == least->cost.peak);
        RC_ASSERT(found.least_peak == found.peak);
        auto const most =
            replay(graph.flow(), canonical(graph, {std::vector<std::uint32_t>(graph.problem().vertex_count(), 0), 1}))
                .peak;
        for (int k = 0; k < 3; ++k) {
            auto const room = static_cast<std::size_t>(std::max<bytes>(0, most - found.peak));
            auto const above = static_cast<bytes>(support::below(random, room + 2)) - (k == 0 ? 1 : 0);
            auto const budget = std::max<bytes>(0, found.peak + above);
            auto const judge = lower_set_plan(training, budget, {.sets = lower_set_choice::every});
            auto const best = best_canonical(graph, {.budget = budget});
            RC_ASSERT(best.sequence.has_value() == judge.has_value());
            if (!judge) {
                RC_ASSERT(best.bound > graph.training().flow.time_once() || budget < found.peak);
                continue;
            }
            auto const replayed = replay(graph.flow(), canonical(graph, *best.sequence));
            RC_ASSERT(replayed.overhead == judge->cost.overhead);
            RC_ASSERT(replayed.overhead == best.overhead);
            RC_ASSERT(replayed.peak == best.peak);
            RC_ASSERT(best.peak <= budget);
            RC_ASSERT(best.bound == best.overhead);
        }
    };
    CHECK(support::holds_for_each_seed(compare));
    compare(3'320'713'546);  // where the best schedule claims values on the way
}

TEST_CASE("lower_set_exact judged by replay equals the best of all sequences",
          "[best_canonical][lower_set_exact][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const training = support::with_free_views(random_built(random, 6));
        lower_set_question options{.epsilon = 0};
        options.nearest = support::chance(random, 30);
        if (support::chance(random, 30)) options.goal = objective::memory;
        auto const least = lower_set_plan(training, {}, {.sets = lower_set_choice::every})->cost.peak;
        if (support::chance(random, 80))
            options.budget = std::max<bytes>(
                0, least - 2 + static_cast<bytes>(support::below(random, static_cast<std::size_t>(least) / 2 + 3)));
        auto const judge = ask_exhaustive(training, options);
        auto const exact = ask_exact(training, options);
        RC_ASSERT(exact.has_value() == judge.has_value());
        if (!judge) return;
        RC_ASSERT(exact->cost.overhead == judge->cost.overhead);
        RC_ASSERT(exact->epsilon == 0.0);
        if (!options.budget || options.goal == objective::memory) RC_ASSERT(exact->cost.peak == judge->cost.peak);
    }));
}

TEST_CASE("where views take time, a plan is without those that nobody reads, and its epsilon holds against such plans",
          "[lower_set_exact][property]") {
    std::size_t cheaper = 0, inexact = 0;
    auto const compare = [&](std::uint64_t seed) {
        split_mix random(seed);
        auto const training = random_built(random, 6);
        planning_graph const graph(training);
        auto const forward_time = static_cast<double>(repebble::detail::total_time(graph.problem()));
        auto const least = best_canonical(graph).peak;
        lower_set_question const options{.budget = least + static_cast<bytes>(support::below(random, 8)), .epsilon = 0};
        auto const canonical_overhead = best_canonical(graph, {.budget = options.budget}).overhead;
        auto const exact = ask_exact(training, options);
        RC_ASSERT(exact->cost.overhead <= canonical_overhead);
        cheaper += exact->cost.overhead < canonical_overhead ? 1 : 0;
        inexact += exact->epsilon > 0 ? 1 : 0;
        auto const bound = static_cast<double>(exact->cost.overhead) - exact->epsilon * forward_time;
        auto const holds_against = [&](auto const& cost) {
            return cost.peak > *options.budget || bound < static_cast<double>(cost.overhead) + 1e-6;
        };
        RC_ASSERT(holds_against(ask_exhaustive(training, options)->cost));
        for (int k = 0; k < 20; ++k) {
            auto const sequence = support::random_sequence(random, graph.problem());
            RC_ASSERT(holds_against(replay(training.flow, graph.expand(canonical(graph, sequence)))));
        }
    };
    CHECK(support::holds_for_each_seed(compare));
    compare(365);  // where a view is not made again
    compare(91);   // where another one may take less
    CHECK(cheaper > 0);
    CHECK(inexact > 0);
}

TEST_CASE("limits end the search of canonical schedules with a valid bound", "[best_canonical][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const training = random_built(random, 8);
        planning_graph const graph(training);
        auto const least = best_canonical(graph).peak;
        canonical_options options{.budget = least + static_cast<bytes>(support::below(random, 8))};
        auto const best = best_canonical(graph, options);
        if (support::chance(random, 50)) options.tolerance = static_cast<std::int64_t>(support::below(random, 6));
        bool const limited = support::chance(random, 70);
        if (limited && support::chance(random, 50)) options.segment_limit = support::below(random, 60);
        if (limited && support::chance(random, 50)) options.label_limit = support::below(random, 20);
        cancelled_after observer{limited ? support::below(random, 60) : std::numeric_limits<std::size_t>::max()};
        auto const found = best_canonical(graph, options, 100'000, observer);
        auto parallel_tasks = options;
        parallel_tasks.threads = 2 + support::below(random, 3);
        if (!limited) RC_ASSERT(best_canonical(graph, parallel_tasks) == found);
        RC_ASSERT(found.bound <= best.overhead);
        RC_ASSERT(found.floor <= best.overhead);
        if (!limited) RC_ASSERT((found.sequence && found.overhead - found.bound <= options.tolerance));
        if (!found.sequence) return;
        auto const replayed = replay(graph.flow(), canonical(graph, *found.sequence));
        RC_ASSERT((replayed.overhead == found.overhead && replayed.peak == found.peak));
        RC_ASSERT((found.peak <= *options.budget && found.overhead >= best.overhead));
    }));
}

TEST_CASE("without a budget, limits leave a bound that is not above the least peak", "[best_canonical]") {
    for (std::size_t const n : {4U, 8U}) {
        auto const training = unit_training_of(support::chain(n));
        planning_graph const graph(training);
        auto const least = best_canonical(graph).peak;
        for (std::size_t most = 0; most < 50; ++most) {
            CAPTURE(n, most);
            auto const found = best_canonical(graph, {.segment_limit = most});
            CHECK(found.least_peak <= least);
            if (found.sequence) CHECK(found.peak >= least);
        }
        CHECK(best_canonical(graph, {.segment_limit = 50}).least_peak == least);
    }
}

TEST_CASE("over a family the choice is no better than over all sets, and equal where the family has all",
          "[best_canonical][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const training = random_built(random, 7);
        planning_graph const graph(training);
        auto const& g = graph.problem().graph;
        std::vector<vertex_set> every;
        for (auto const& set : lower_sets(g)) every.push_back(set);
        std::ranges::reverse(every);
        canonical_options const options{.budget =
                                            best_canonical(graph).peak + static_cast<bytes>(support::below(random, 9))};
        auto const best = best_canonical(graph, options);
        auto const listed = best_canonical(graph, every, options);
        RC_ASSERT((listed.overhead == best.overhead && listed.bound == best.bound));
        auto const some = best_canonical(graph, detail::pruned_lower_sets(g) | std::views::take(3), options);
        if (some.sequence) RC_ASSERT((some.overhead >= best.overhead && some.bound == some.overhead));
        RC_ASSERT(some.floor <= best.overhead);
    }));
}

TEST_CASE("the best canonical schedule of the empty graph is empty", "[best_canonical]") {
    auto const training = unit_training_of({});
    auto const found = best_canonical(planning_graph(training), {.budget = 0});
    REQUIRE(found.sequence);
    CHECK((found.sequence->count == 0 && found.peak == 0 && found.overhead == 0));
}

TEST_CASE("best_canonical refuses graphs and options that it cannot plan", "[best_canonical]") {
    auto const training = unit_training_of(support::chain(3));
    planning_graph const graph(training);
    auto const of = [&](std::vector<vertex_set> const& family) {
        return [&graph, family] { return best_canonical(graph, family); };
    };
    vertex_set gap(3);
    gap.insert(2);
    CHECK(throws<bad_graph>(of({vertex_set(3), gap}), {"set 1", "vertex 2", "lacks 1"}));
    CHECK(throws<bad_graph>(of({vertex_set(4)}), {"set 0", "4 vertices", "has 3"}));
    auto const wide = unit_training_of(support::parallel_chains(4, 1));
    CHECK(throws<limit_reached>([&] { return best_canonical(planning_graph(wide), {}, 15); }, {"15 lower sets"}));
    auto joint =
        make_training_graph(dataflow(training.flow), std::vector<pass>(training.flow.operation_count(), pass::forward));
    CHECK(throws<bad_graph>([&] { return best_canonical(planning_graph(joint)); }, {"built training graphs"}));
    CHECK(throws<bad_option>([&] { return best_canonical(graph, {.threads = 0}); }, {"at least one thread"}));
    CHECK(throws<bad_option>([&] { return lower_set_plan(training, {}, {.threads = 0}); }, {"at least one thread"}));
    CHECK(throws<bad_option>(
        [&] { return solve_lower_sets(graph.problem(), {.choice = family_choice::all, .threads = 0}); },
        {"at least one thread"}));
}

TEST_CASE("operations of zero time, some or all, are planned", "[best_canonical]") {
    auto const no_time = [](int) { return 0; };
    for (std::size_t const n : {1U, 4U}) {
        auto const training = make_training_graph(support::chain(n), weights{no_time, unit_weight{}});
        auto const found = best_canonical(planning_graph(training), {.budget = 100});
        CHECK((found.sequence && found.overhead == 0 && found.bound == 0));
        CHECK(lower_set_plan(training)->cost.overhead == 0);
    }
}

TEST_CASE("bounds are valid where bytes exceed the precision of a double", "[best_canonical][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const giant = (bytes{1} << 55) - static_cast<bytes>(support::below(random, 1000));
        auto const size = [&](int v) { return v == 1 ? giant : bytes{2} + v % 2; };
        auto const time = [&](int v) { return std::int64_t{68} + 97 * v; };
        auto const forward =
            make_dataflow(support::chain(5), weights{time, size, unit_weight{}, [](int v) { return v != 1; }});
        auto const training = make_training_graph(forward, support::random_needs(random, forward),
                                                  convention::value_grad, std::vector<bytes>(5, 1));
        planning_graph const graph(training);
        auto const least = lower_set_plan(training, {}, {.sets = lower_set_choice::every})->cost.peak;
        canonical_options const options{.budget = least + static_cast<bytes>(support::below(random, 6))};
        auto const judge = lower_set_plan(training, options.budget, {.sets = lower_set_choice::every});
        auto const found = best_canonical(graph, options);
        RC_ASSERT(found.sequence.has_value());
        RC_ASSERT(found.overhead == judge->cost.overhead);
        RC_ASSERT(found.floor <= found.overhead);
    }));
}

TEST_CASE("the bounds of a growing segment are no greater than its replay's figures, however it was reached",
          "[best_canonical][property]") {
    using namespace repebble::detail;
    std::size_t positive = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        split_mix random(seed);
        auto const training = random_built(random, 9);
        planning_graph const graph(training);
        positional_values const values(graph);
        segment_growth growth(values, nullptr);
        segment_replay replayed(values);
        std::vector<position_bits::word> lower(values.words(), 0);
        auto const fits = [&](std::size_t p, position_bits::word const* set) {
            return position_bits::is_subset(values.problem().predecessors(p), set, values.words());
        };
        for (std::size_t p = 0; p < values.size(); ++p)
            if (support::chance(random, 30) && fits(p, lower.data())) position_bits::insert(lower.data(), p);
        replayed.open(lower.data());
        growth.begin(lower.data());
        auto const bounds = [&] { return std::pair(growth.overhead(), growth.working()); };
        std::vector<std::pair<std::int64_t, bytes>> before;
        for (std::size_t p = 0; p < values.size(); ++p) {
            if (position_bits::has(lower.data(), p) || !fits(p, growth.set())) continue;
            before.push_back(bounds());
            growth.enter(p);
            auto const entered = bounds();
            growth.leave();
            RC_ASSERT(bounds() == before.back());
            if (support::chance(random, 30)) {
                before.pop_back();
                continue;
            }
            growth.enter(p);
            RC_ASSERT(bounds() == entered);
            auto const figures = replayed.run(growth.set(), values.beyond(growth.set()), {});
            RC_ASSERT(growth.working() <= figures.backward_peak);
            if (!values.is_full(growth.set())) RC_ASSERT(growth.overhead() <= figures.overhead);
            positive += growth.overhead() > 0 ? 1U : 0U;
        }
        for (; !before.empty(); before.pop_back()) {
            growth.leave();
            RC_ASSERT(bounds() == before.back());
        }
    }));
    CHECK(positive > 5);
}

TEST_CASE("budgets that cannot be met, and invalid options, are reported", "[best_canonical]") {
    auto const training = unit_training_of(support::chain(4));
    planning_graph const graph(training);
    for (auto const budget : {std::numeric_limits<bytes>::min(), bytes{-1}, bytes{0}}) {
        auto const found = best_canonical(graph, {.budget = budget});
        CHECK((!found.sequence && found.bound > 4 && found.floor >= 0 && found.floor <= 4));
    }
    CHECK(!best_canonical(graph, {.budget = 6, .below = 0}).sequence);
    CHECK(!best_canonical(planning_graph(unit_training_of({})), {.budget = -1}).sequence);
    CHECK(
        throws<bad_option>([&] { return best_canonical(graph, {.budget = 6, .tolerance = -1}); }, {"tolerance", "-1"}));
}

TEST_CASE("the nearest plan is found although the search is cancelled", "[best_canonical][lower_set_exact]") {
    auto const training = unit_training_of(support::chain(4));
    for (int calls = 0; calls < 20; ++calls) {
        int left = calls;
        CHECK(lower_set_plan(training, 2, {.nearest = true, .limits = {.stop = [&] { return left-- <= 0; }}}));
    }
}
