// Covers pipelines/stage_curve.hpp.
#include <cstddef>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pipelines/pipeline_bounds.hpp>
#include <repebble/pipelines/plan_pipeline.hpp>
#include <repebble/pipelines/stage_curve.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

namespace {

using namespace repebble;
using support::throws;

/// A chain of unit operations of a byte each, with gradients of two time units.
auto chain(std::size_t length) -> training_graph {
    std::vector<std::vector<int>> next(length);
    for (std::size_t v = 0; v + 1 < length; ++v) next[v].push_back(static_cast<int>(v) + 1);
    return make_training_graph(next, weights{});
}

}  // namespace

TEST_CASE("A schedule that keeps all of a chain has all of it between its passes", "[pipelines]") {
    auto const stage = chain(5);
    auto const plan = keep_all(stage);
    CHECK(find_stage_choice(stage, plan.schedule) ==
          stage_choice{.kept = 5, .in_forward = 5, .in_backward = plan.cost.peak, .for_weights = plan.cost.peak});
}

TEST_CASE("Stages of equal graphs have equal curves, from all kept to fewest bytes", "[pipelines]") {
    std::vector<training_graph> const graphs{chain(8), chain(8), chain(3)};
    auto stages = make_pipeline_stages(graphs, {.budgets = 6, .planner = {.limits = {.work = 2'000}}});
    REQUIRE(stages.size() == 3);
    CHECK(stages[0] == stages[1]);
    CHECK(stages[0].forward == 8);
    CHECK(stages[0].input_gradient == 8);
    CHECK(stages[0].weight_gradient == 8);
    CHECK(stages[2].forward == 3);
    auto const& choices = stages[0].choices;
    CHECK(choices.front().kept == 8);
    CHECK(choices.front().recomputation == 0);
    REQUIRE(choices.size() > 1);
    CHECK(choices.back().kept <= 4);
    for (std::size_t s = 0; s < 3; ++s) stages[s].rank = s;
    pipeline const p{.ranks = 3, .microbatches = 4, .stages = stages};
    auto const plan = plan_pipeline(p, find_least_bytes(p), {.limits = {.work = 20}});
    CHECK(plan.schedule);
}

TEST_CASE("Where nothing is left for later, gradients of weights keep nothing", "[pipelines]") {
    std::vector<training_graph> const graphs{chain(4)};
    auto const stages = make_pipeline_stages(graphs, {.budgets = 0, .weight_share = 0});
    CHECK(stages[0].weight_gradient == 0);
    CHECK(stages[0].input_gradient == 8);
    CHECK(stages[0].choices.size() == 1);
    CHECK(stages[0].choices[0].for_weights == 0);
    CHECK(throws<bad_option>([&] { return make_pipeline_stages(graphs, {.weight_share = 1.5}); }, {"above 1"}));
    CHECK(throws<bad_option>([&] { return make_pipeline_stages(graphs, {.weight_share = -1}); }, {"negative"}));
}

TEST_CASE("Stages whose times have different units are refused", "[pipelines]") {
    std::vector<std::vector<int>> const next{{1}, {}};
    std::vector<training_graph> const graphs{
        chain(2), make_training_graph(next, weights{[](int) { return 0.25; }, unit_weight{}})};
    CHECK(throws<bad_weight>([&] { return make_pipeline_stages(graphs); }, {"stage 1", "unit"}));
}
