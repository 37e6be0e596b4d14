// Covers recompute/decomposition_plan.hpp.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/recompute/decomposition_plan.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/segment_recursive.hpp>

#include "recompute/random_training.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"

using namespace repebble;

namespace {

/// So many towers of n vertices between a first and a last vertex.
auto parallel_towers(int k, int n) -> support::adjacency {
    support::adjacency g(static_cast<std::size_t>(k * n + 2));
    for (int t = 0; t < k; ++t) {
        g[0].push_back(1 + t);
        for (int i = 0; i < n; ++i)
            g[static_cast<std::size_t>(1 + i * k + t)].push_back(i + 1 < n ? 1 + (i + 1) * k + t : k * n + 1);
    }
    return g;
}
/// A chain of n; every second vertex of the first half is read at its mirror image.
auto u_net(std::size_t n) -> support::adjacency {
    auto g = support::chain(n);
    for (std::size_t v = 0; v + 2 < n - v; v += 2) g[v].push_back(static_cast<int>(n - 1 - v));
    return g;
}
/// A chain of n; each vertex is also read so many further on.
auto with_skips(std::size_t n, std::size_t skip) -> support::adjacency {
    auto g = support::chain(n);
    for (std::size_t v = 0; v + skip < n; ++v) g[v].push_back(static_cast<int>(v + skip));
    return g;
}
auto unit_training(support::adjacency const& g) { return make_training_graph(g, weights{}, gradient_dependencies{}); }

/// ⌈log₂ n⌉ of the forward vertices.
auto levels_of(std::size_t n) -> bytes { return static_cast<bytes>(std::bit_width(n - 1)); }

/// The most inputs of an operation.
auto most_inputs(dataflow const& flow) -> std::size_t {
    std::size_t most = 0;
    for (operation_index v = 0; v < flow.operation_count(); ++v) most = std::max(most, flow.reads(v).size());
    return most;
}

}  // namespace

TEST_CASE("memory is logarithmic on chains, towers and U-Nets", "[decomposition_plan][paper][long]") {
    for (std::size_t const n : {64U, 256U, 1024U, 4096U}) {
        auto const chain = decomposition_plan(unit_training(support::chain(n)));
        REQUIRE(chain.has_value());
        CHECK(chain->cost.peak <= levels_of(n) + 3);
        auto const towers = decomposition_plan(unit_training(parallel_towers(2, static_cast<int>(n / 2))));
        CHECK(towers->cost.peak <= levels_of(n) + 6);
        if (n > 1024) continue;
        auto const net = decomposition_plan(unit_training(u_net(n)));
        CHECK(net->cost.peak <= 3 * levels_of(n) + 2);
        CHECK(net->cost.peak <= net->promise);
    }
    CHECK(decomposition_plan(unit_training(support::chain(256)))->cost.time < 3 * 256 * 3);
}

TEST_CASE("ten thousand vertices are planned", "[decomposition_plan][long]") {
    auto const training = unit_training(support::chain(10'000));
    auto const plan = decomposition_plan(training);
    REQUIRE(plan.has_value());
    CHECK(plan->cost.peak <= 14 + 3);
    CHECK(plan->cost.time < 10 * training.flow.time_once());
}

TEST_CASE("a budget between makes the plan faster", "[decomposition_plan][long]") {
    auto const training = unit_training(parallel_towers(2, 200));
    auto const least = decomposition_plan(training);
    auto before = least->cost.time;
    for (bytes const budget : {30, 60, 120, 300}) {
        auto const plan = decomposition_plan(training, budget);
        REQUIRE(plan.has_value());
        CHECK(plan->cost.peak <= budget);
        CHECK(plan->cost.time <= before);
        before = plan->cost.time;
    }
    CHECK_FALSE(decomposition_plan(training, 6).has_value());
    CHECK(decomposition_plan(training, 6, {.nearest = true})->cost.peak == least->cost.peak);
    CHECK(decomposition_plan(make_training_problem(parallel_towers(2, 50)), 30).has_value());
}

TEST_CASE("a dataflow without gradients is divided, too", "[decomposition_plan]") {
    auto const flow = make_dataflow(u_net(101));
    auto const plan = decomposition_plan(flow);
    REQUIRE(plan.has_value());
    CHECK(plan->cost == replay(flow, plan->schedule));
    CHECK(plan->cost.peak < 20);
    CHECK(keep_all(flow).cost.peak > 25);
    CHECK(decomposition_plan(make_dataflow(support::adjacency{})).has_value());
}

TEST_CASE("from a stop on no other plan is tried, and the best so far is legal", "[decomposition_plan]") {
    auto const flow = make_dataflow(u_net(60));
    auto const training = unit_training(u_net(30));
    for (problem const& p : {problem(flow), problem(training)}) {
        bool ended = false;
        for (int asked = 0; !ended; asked = asked < 20 ? asked + 1 : 2 * asked) {
            int left = asked;
            auto const plan = decomposition_plan(p, 9, {.nearest = true, .limits = {.stop = [&] { return --left < 0; }}});
            REQUIRE(plan.has_value());
            CHECK(plan->cost == replay(p.flow(), plan->schedule));
            ended = left >= 0;
        }
    }
}

TEST_CASE("a budget shortens sequences that are very long without straight bytes, too", "[decomposition_plan][long]") {
    auto const training = unit_training(support::chain(100'000));
    auto const plan = decomposition_plan(training, 20'000);
    REQUIRE(plan.has_value());
    CHECK(plan->cost.peak <= 20'000);
    CHECK(plan->cost.time < 2 * training.flow.time_once());
}

TEST_CASE("everything once is a plan, within a budget and for the least peak", "[decomposition_plan]") {
    auto const wide = unit_training(with_skips(60, 8));
    auto const all = keep_all(wide).cost;
    CHECK(decomposition_plan(wide, all.peak)->cost == all);
    CHECK(decomposition_plan(wide)->cost.peak <= all.peak);
    auto const flow = make_dataflow(with_skips(85, 8));  // forgetting needs more here
    auto const once = keep_all(flow).cost;
    CHECK(decomposition_plan(flow)->cost.peak <= once.peak);
    CHECK(decomposition_plan(flow, once.peak)->cost == once);
    CHECK(decomposition_plan(flow, once.peak - 1, {.nearest = true})->cost.peak <= once.peak);
    CHECK(decomposition_plan(flow, {}, {.limits = {.work = 0}})->cost == once);
    CHECK_FALSE(decomposition_plan(wide, 1).has_value());
}

TEST_CASE("where separators are wide, the plan is no worse than that by recursive segments", "[decomposition_plan]") {
    auto const training = unit_training(with_skips(120, 3));
    auto const by_segments = segment_recursive(training).cost;
    auto const least = decomposition_plan(training)->cost;
    CHECK(std::pair(least.peak, least.time) <= std::pair(by_segments.peak, by_segments.time));
    auto const within = decomposition_plan(training, by_segments.peak);
    REQUIRE(within);
    CHECK((within->cost.peak <= by_segments.peak && within->cost.time <= by_segments.time));
}
TEST_CASE("a plan with a budget is no slower than one without", "[decomposition_plan]") {
    support::split_mix random(1'047'576'964'880'818);
    auto const training = support::random_training(random, 25);
    auto const least = decomposition_plan(training);
    for (bytes more = 0; more < 200; more += 10) {
        auto const plan = decomposition_plan(training, least->cost.peak + more);
        REQUIRE(plan.has_value());
        CHECK(plan->cost.time <= least->cost.time);
    }
}

TEST_CASE("a plan with a budget is no slower than one without, which had another run to drop from",
          "[decomposition_plan]") {
    support::split_mix random(712 * 131 + 5);  // 95 for 89 once
    support::full_shape shape{.operations = 4 + support::below(random, 30),
                              .alternative_percent = 0,
                              .mutation_percent = 0,
                              .control_percent = 0};
    shape.input_percent = support::chance(random, 90) ? 0 : 50;
    shape.view_percent = support::chance(random, 50) ? 0 : 20;
    shape.most_bytes = support::chance(random, 50) ? 4 : 40;
    shape.result_percent = support::chance(random, 50) ? 0 : 10;
    shape.run_once_percent = support::chance(random, 50) ? 0 : 12;
    if (support::chance(random, 40)) shape.overwrite_percent = 0;
    auto const flow = support::random_full_dataflow(random, shape);
    auto const least = decomposition_plan(flow);
    for (bytes more = 0; more < 20; ++more) {
        auto const plan = decomposition_plan(flow, least->cost.peak + more);
        REQUIRE(plan.has_value());
        CHECK(plan->cost.time <= least->cost.time);
    }
}

TEST_CASE("budgets and sizes may be as large as bytes can count", "[decomposition_plan]") {
    constexpr auto most = std::numeric_limits<bytes>::max();
    auto const training = unit_training(parallel_towers(2, 20));
    CHECK(decomposition_plan(training, most)->cost == keep_all(training).cost);
    CHECK(decomposition_plan(training, most, {.goal = objective::memory})->cost == decomposition_plan(training)->cost);

    constexpr auto size = bytes{1} << 61;  // three values of that size fit, four do not
    dataflow_builder builder;
    std::optional<value_index> before;
    for (int k = 0; k < 3; ++k) {
        auto const v = builder.add_operation(1, 0, true);
        if (before) builder.add_read(v, *before);
        before = builder.add_value(v, size);
        builder.add_result(*before);
    }
    auto const plan = decomposition_plan(std::move(builder).build());
    REQUIRE(plan.has_value());
    CHECK(plan->cost.peak == 3 * size);
    CHECK(plan->promise >= 3 * size);
}

TEST_CASE("many inputs, parts and readers cost no square of time", "[decomposition_plan][long]") {
    support::adjacency star(30'001);
    for (std::size_t v = 0; v < 30'000; ++v) star[v] = {30'000};
    CHECK(decomposition_plan(make_dataflow(star))->cost.peak == 30'001);
    support::adjacency wide(4'010);
    for (std::size_t v = 0; v < 10; ++v)
        for (int w = 10; w < 4'010; ++w) wide[v].push_back(w);
    CHECK(decomposition_plan(unit_training(wide)).has_value());
}

TEST_CASE("where all plans are long, the search soon ends", "[decomposition_plan][long]") {
    auto const training = unit_training(with_skips(400, 8));
    auto const plan = decomposition_plan(training);
    auto const n = training.flow.operation_count();
    CHECK(plan->cost.time <= static_cast<std::int64_t>(500 * (n + 1000)));
    CHECK(plan->cost.peak < keep_all(training).cost.peak / 2);
}

TEST_CASE("plans are legal, within their promise, which is within the bound", "[decomposition_plan][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_training(random, 25);
        auto const& flow = training.flow;
        auto const plan = decomposition_plan(training);
        RC_ASSERT(plan.has_value());
        RC_ASSERT(plan->cost == replay(flow, plan->schedule));
        RC_ASSERT(*plan == *decomposition_plan(training));
        bytes const budget = plan->cost.peak + support::between(random, 0, 200);
        auto const within = decomposition_plan(training, budget);
        RC_ASSERT(within.has_value());
        RC_ASSERT(within->cost.peak <= budget);
        RC_ASSERT(within->cost.time <= plan->cost.time);
        auto const all = keep_all(training).cost;
        RC_ASSERT(plan->cost.peak <= all.peak);
        RC_ASSERT(budget < all.peak || within->cost.time <= all.time);
        auto const nearest = decomposition_plan(training, std::max<bytes>(0, plan->cost.peak - 1), {.nearest = true});
        RC_ASSERT(nearest->cost.peak <= plan->cost.peak);
        RC_ASSERT(decomposition_plan(training, budget, {.goal = objective::memory})->cost == plan->cost);
    }));
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const n = 2 + support::below(random, 60);
        support::adjacency g(n);
        for (std::size_t v = 0; v + 1 < n; ++v)
            for (auto edges = 1 + support::below(random, 2); edges > 0; --edges) {
                auto const w = static_cast<int>(v + 1 + support::below(random, std::min<std::size_t>(5, n - v - 1)));
                if (std::ranges::find(g[v], w) == g[v].end()) g[v].push_back(w);
            }
        auto const training = unit_training(g);
        auto const plan = decomposition_plan(training);
        RC_ASSERT(plan->cost.peak <= plan->promise);
        auto const levels = std::bit_width(training.flow.operation_count());
        RC_ASSERT(plan->levels <= levels);
        auto const results = training.flow.results().size();
        RC_ASSERT(plan->promise <=
                  static_cast<bytes>((plan->width + 1 + most_inputs(training.flow)) * levels + results + 1));
    }));
}
