// Covers planner/detail/baselines/baseline_plans.hpp, plan.hpp.
#include <repebble/planner/detail/baselines/baseline_plans.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/planning_graph.hpp>

#include "support/catch.hpp"

namespace {

using namespace repebble;

/// Blocks of so many operations, one after the other, and what goes around each is added at its end.
auto residual_blocks(std::size_t blocks, std::size_t operations) -> training_graph {
    std::vector<std::vector<int>> graph(1);
    for (std::size_t block = 0; block < blocks; ++block) {
        auto const from = graph.size() - 1;
        for (std::size_t k = 0; k < operations; ++k) {
            graph.back().push_back(static_cast<int>(graph.size()));
            graph.emplace_back();
        }
        graph[from].push_back(static_cast<int>(graph.size() - 1));
    }
    auto const time = [](int v) { return 3 + v % 5; };
    auto const size = [](int v) { return bytes{8} + v % 3; };
    return make_training_graph(graph, weights{time, size}, needs_inputs_only);
}

auto is_chain(training_graph const& training) -> bool {
    return repebble::detail::is_chain_of_blocks(planning_graph(training));
}

}  // namespace

TEST_CASE("a chain of blocks has many, and none is large", "[chain_start]") {
    CHECK(is_chain(residual_blocks(9, 3)));
    CHECK(is_chain(residual_blocks(20, 16)));
    CHECK(!is_chain(residual_blocks(20, 17)));
    CHECK(!is_chain(residual_blocks(7, 3)));
    CHECK(!is_chain(residual_blocks(1, 40)));
    CHECK(!is_chain(residual_blocks(0, 3)));
}

TEST_CASE("the start of a chain of blocks is a chain plan within the budget, of others there is none",
          "[chain_start][long]") {
    auto const training = residual_blocks(12, 3);
    auto const all = keep_all(training).cost.peak;
    for (bytes const percent : {100, 60, 40}) {
        auto const budget = all * percent / 100;
        auto const start = repebble::detail::chain_start(planning_graph(training), budget);
        REQUIRE(start);
        CHECK(start->cost.peak <= budget);
        CHECK(start == chain_plan(training, budget, {.most_cuts = 2}));
        auto const found = plan(training, budget, {.limits = {.work = 100}});
        REQUIRE(found.plan);
        CHECK(found.plan->cost.overhead <= start->cost.overhead);
    }
    CHECK(!repebble::detail::chain_start(planning_graph(training), 1));
    auto const few = residual_blocks(2, 30);
    CHECK(!repebble::detail::chain_start(planning_graph(few), all));
}
