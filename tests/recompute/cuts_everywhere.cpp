// Covers recompute/chain_plan.hpp, recompute/plan_mirrors.hpp, recompute/segment_cuts.hpp, recompute/segment_plan.hpp,
// recompute/segment_recursive.hpp, recompute/search_segments.hpp, recompute/sqrt_segments.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include <rapidcheck.h>

#include <repebble/recompute/search_segments.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/segment_plan.hpp>
#include <repebble/recompute/segment_recursive.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "recompute/random_training.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

/// A first vertex, k towers of n vertices, numbered side by side, and a last vertex; every `link` vertices each tower
/// reads its neighbour.
auto multi_tower(int k, int n, int link = 0) -> support::adjacency {
    support::adjacency g(static_cast<std::size_t>(k * n + 2));
    for (int t = 0; t < k; ++t) {
        g[0].push_back(1 + t);
        for (int i = 0; i < n; ++i) {
            auto& next = g[static_cast<std::size_t>(1 + i * k + t)];
            next.push_back(i + 1 < n ? 1 + (i + 1) * k + t : k * n + 1);
            if (link > 0 && i + 1 < n && i % link == link - 1) next.push_back(1 + (i + 1) * k + (t + 1) % k);
        }
    }
    return g;
}
auto tower_training(int k, int n, int link = 0) {
    return make_training_graph(multi_tower(k, n, link), weights{unit_weight{}, unit_weight{}}, gradient_dependencies{});
}
auto percent_of(training_graph const& training, recompute_plan<> const& plan) -> double {
    return 100 * static_cast<double>(plan.cost.overhead) / static_cast<double>(training.flow.time_once());
}

/// The fewest bytes kept by any set of cuts whose segments make at most `limit` bytes, with what is kept before if
/// asked.
auto fewest_kept(planning_graph const& graph, std::vector<std::uint32_t> const& order, bytes limit, bool with_kept)
    -> std::optional<bytes> {
    auto const& problem = graph.problem();
    auto const n = order.size();
    std::vector<std::size_t> position(n);
    for (std::size_t i = 0; i < n; ++i) position[order[i]] = i;
    std::optional<bytes> least;
    for (std::uint32_t set = 0; set < 1U << (n - 1); ++set) {  // bit i: a cut after position i
        bytes kept = 0, segment = 0, before = 0;
        bool fits = true;
        std::vector<bool> counted(n, false);
        for (std::size_t i = 0; i < n; ++i) {
            segment += problem.memory[order[i]];
            if (i + 1 < n && (set >> i & 1U) == 0) continue;
            fits = fits && segment + (with_kept ? before : 0) <= limit;
            segment = 0;
            for (std::size_t v = 0; v <= i; ++v) {
                bool crosses = false;
                for (auto const w : problem.graph.successors(order[v])) crosses = crosses || position[w] > i;
                if (!crosses || counted[v]) continue;
                counted[v] = true;
                kept += problem.memory[order[v]];
            }
            before = kept;
        }
        if (fits) least = std::min(least.value_or(kept), kept);
    }
    return least;
}

}  // namespace

TEST_CASE("bulatov: two towers of 100 take 40 bytes of 205, four take 50 of 407", "[segment_plan][paper][long]") {
    for (auto const& [k, whole, most] : {std::tuple{2, 205, 40}, {4, 407, 50}}) {
        auto const training = tower_training(k, 100);
        CHECK(keep_all(training).cost.peak == whole);
        auto const plan = segment_plan(training, {}, {.measure = memory_measure::peak});
        REQUIRE(plan.has_value());
        CHECK(plan->cost.peak <= most);
        CHECK(percent_of(training, *plan) <= 31);
        auto const within =
            segment_plan(training, most, {.every_kind = true, .keep_expensive = true, .measure = memory_measure::peak});
        REQUIRE(within.has_value());
        CHECK(percent_of(training, *within) <= 30);
        CHECK(sqrt_segments(training).cost.peak <= most);
        CHECK(segment_recursive(training, {.order = order_rule::depth_first}).cost.peak <= most / 2);
    }
    CHECK(chain_plan(tower_training(2, 100), 40)->cost.peak <= 40);
}

TEST_CASE("eight towers of 1000 take 222 bytes at 34 %", "[segment_plan][paper][long]") {
    auto const training = tower_training(8, 1000);
    auto const plan = segment_plan(training, {}, {.measure = memory_measure::peak});
    REQUIRE(plan.has_value());
    CHECK(plan->cost.peak <= 222);
    CHECK(percent_of(training, *plan) <= 34);
}

TEST_CASE("linked towers are cut as well side by side", "[segment_plan][long]") {
    auto const plan = segment_plan(tower_training(2, 100, 5), {},
                                   {.every_kind = true, .keep_expensive = true, .measure = memory_measure::peak});
    REQUIRE(plan.has_value());
    CHECK(plan->cost.peak <= 42);
    CHECK(percent_of(tower_training(2, 100, 5), *plan) <= 30);
    CHECK(segment_recursive(tower_training(2, 100, 5)).cost.peak <= 23);
}

TEST_CASE("where segments get shorter a chain of n takes √(2 n) bytes and a few", "[segment_search]") {
    auto const chain = make_training_graph(support::chain(200), weights{}, needs_inputs_only);
    auto const plan = segment_plan(chain, {}, {.candidates = {.where = cut_points::everywhere}});
    REQUIRE(plan.has_value());
    CHECK(plan->cost.peak <= 20 + 3);
    CHECK(plan->cost.overhead < 200);
    auto const found = search_segments(chain, {}, {.candidates = {.where = cut_points::everywhere}});
    CHECK(found.winner().limits_all);
}

TEST_CASE("articulation points are enough for chains of small blocks", "[segment_cuts]") {
    auto const kind_for = [](support::adjacency const& g) {
        auto const training = make_training_graph(g, weights{}, gradient_dependencies{});
        planning_graph const graph(training);
        auto const order = detail::ordered_numbers(graph, order_rule::by_index);
        return detail::segment_cuts(graph, order).resolved(cut_points::automatic);
    };
    CHECK(kind_for(support::chain(500)) == cut_points::articulation);
    CHECK(kind_for(multi_tower(3, 5)) == cut_points::everywhere);
    CHECK(kind_for(multi_tower(2, 5)) == cut_points::articulation);
}

TEST_CASE("the least limit of segments with all that is kept before is found", "[segment_search][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_training(random, 9);
        planning_graph const graph(training);
        if (graph.problem().vertex_count() == 0) return;
        detail::segment_request const options{{.candidates = {.where = cut_points::everywhere}}, {}};
        detail::never_stop const never{};
        detail::segment_judge const trials(graph, options, never);
        detail::crossing_values const crossing(graph, detail::ordered_numbers(graph, order_rule::by_index));
        auto const is_kept = [&](bytes limit) { return crossing.cuts_within(limit).largest <= limit; };
        auto const found = trials.least_limit();
        RC_ASSERT(is_kept(found));
        bytes least = 0;
        while (!is_kept(least)) ++least;
        RC_ASSERT(found <= least + 1 + found / 64);
    }));
}

TEST_CASE("cuts everywhere keep the fewest bytes of all sets of cuts", "[plan_mirrors][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_training(random, 9);
        planning_graph const graph(training);
        if (!graph.problem().pinned.empty() || graph.problem().vertex_count() == 0) return;
        auto const order = detail::ordered_numbers(
            graph, support::chance(random, 50) ? order_rule::by_index : order_rule::depth_first);
        detail::crossing_values const crossing(graph, order);
        auto const all = std::max<bytes>(1, crossing.cheapest_cuts(std::numeric_limits<bytes>::max() / 8).largest);
        auto const limit = support::between(random, 0, all);
        for (bool const with_kept : {false, true}) {
            auto const least = fewest_kept(graph, order, limit, with_kept);
            auto const chosen = with_kept ? crossing.cuts_within(limit) : crossing.cheapest_cuts(limit);
            if (!least) {
                RC_ASSERT(chosen.largest > limit);
                continue;
            }
            RC_ASSERT(chosen.largest <= limit);
            RC_ASSERT(chosen.kept == *least);
            bytes kept = 0;
            for (auto const f : crossing.kept_at(chosen.positions)) kept += graph.problem().memory[f];
            RC_ASSERT(kept == chosen.kept);
        }
    }));
}

TEST_CASE("plans with cuts everywhere are legal, as promised, and no worse than at articulation points",
          "[segment_plan][segment_recursive][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_training(random, 40);
        auto const least = segment_plan(training, {}, {.measure = memory_measure::peak});
        auto const at_points = segment_plan(
            training, {}, {.candidates = {.where = cut_points::articulation}, .measure = memory_measure::peak});
        RC_ASSERT(least->cost == replay(training.flow, least->schedule));
        RC_ASSERT(least->cost.peak <= at_points->cost.peak);
        RC_ASSERT(sqrt_segments(training).cost == replay(training.flow, sqrt_segments(training).schedule));
        bytes const budget = least->cost.peak + support::between(random, 0, 100);
        auto const within = segment_plan(training, budget, {.measure = memory_measure::peak});
        auto const before = segment_plan(
            training, budget, {.candidates = {.where = cut_points::articulation}, .measure = memory_measure::peak});
        RC_ASSERT(within.has_value());
        RC_ASSERT(within->cost.peak <= budget);
        if (before) RC_ASSERT(within->cost.time <= before->cost.time);

        recursion_options options{.candidates = {.where = cut_points::everywhere}};
        if (support::chance(random, 50)) options.order = order_rule::depth_first;
        auto const recursive = segment_recursive(training, options);
        RC_ASSERT(recursive.cost == replay(training.flow, recursive.schedule));
        auto const counts = find_recursive_counts(training, options);
        RC_ASSERT(mirror(
                      training, [&](operation_index v) { return counts[v]; }, options.order) == recursive);
        options.candidates.where = cut_points::automatic;
        auto const automatic = segment_recursive(training, options);
        options.candidates.where = cut_points::articulation;
        RC_ASSERT(automatic.cost.peak <= segment_recursive(training, options).cost.peak);
    }));
}
