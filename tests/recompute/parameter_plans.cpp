// Covers recompute/chain_plan.hpp, recompute/drop_cheap.hpp, recompute/forget_all.hpp, recompute/greedy_eviction.hpp,
// recompute/keep_all.hpp, recompute/lower_set_plan.hpp,
// recompute/lower_set_plan.hpp, recompute/mirror.hpp, recompute/save_set.hpp, recompute/segment_plan.hpp,
// recompute/segment_recursive.hpp, recompute/sqrt_segments.hpp.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/drop_cheap.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/save_set.hpp>
#include <repebble/recompute/segment_plan.hpp>
#include <repebble/recompute/segment_recursive.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "recompute/lower_set_question.hpp"
#include "recompute/random_training.hpp"
#include "support/catch.hpp"
#include "support/naive_replay.hpp"
#include "support/property.hpp"

using namespace repebble;
using support::split_mix;

namespace {

struct parameter_plan {
    char const* strategy;
    recompute_plan<> result;
};

using parameter_plans = std::vector<parameter_plan>;

auto plans_with_parameters(split_mix& random, training_graph const& training) -> parameter_plans {
    parameter_plans plans{{"keep_all", keep_all(training)},
                          {"forget_all", forget_all(training, {.work = 100'000})},
                          {"segment_recursive", segment_recursive(training)},
                          {"sqrt_segments", sqrt_segments(training)}};
    auto const budget = support::between(random, 0, plans.front().result.cost.peak);
    lower_set_question const by_lower_sets{.budget = budget, .nearest = true};
    plans.push_back({"greedy_eviction", *greedy_eviction(training, budget, {.nearest = true})});
    plans.push_back({"save_set", *save_set(training, budget, {.nearest = true})});
    auto const salt = static_cast<operation_index>(support::below(random, 1000));
    auto const count = [&](operation_index v) { return training.flow.recomputable(v) ? (v + salt) % 3 : 0; };
    plans.push_back({"mirror", mirror(training, count)});
    plans.push_back({"drop_cheap", drop_cheap(training, [&](operation_index v) { return (v + salt) % 2 == 0; })});
    plans.push_back({"lower_set_approximate", *ask_approximate(training, by_lower_sets)});
    plans.push_back({"lower_set_exact", *ask_exact(training, by_lower_sets)});
    plans.push_back({"lower_set_exhaustive", *ask_exhaustive(training, by_lower_sets)});
    plans.push_back(
        {"segment_plan",
         *segment_plan(
             training, budget,
             {.nearest = true, .every_kind = true, .keep_expensive = true, .measure = memory_measure::peak})});
    plans.push_back({"chain", *chain_plan(training, budget, {.nearest = true, .narrow_places = true})});
    if (auto const p = repebble::plan(training, budget).plan) plans.push_back({"plan", *p});
    return plans;
}

void require_legal(training_graph const& training, parameter_plans const& plans) {
    for (auto const& [strategy, p] : plans) {
        RC_LOG() << strategy << '\n';
        RC_ASSERT(!support::naive_replay(training.flow, p.schedule).broken_step);
        RC_ASSERT(replay(training.flow, p.schedule) == p.cost);
        std::vector<int> runs(training.flow.operation_count(), 0);
        for (auto const& s : p.schedule.steps) runs[s.vertex] += s.what == action::compute ? 1 : 0;
        for (std::size_t v = 0; v < runs.size(); ++v)
            if (training.origin[v].pass == pass::parameter)
                RC_ASSERT((runs[v] == 1 || (runs[v] > 1 && strategy == std::string_view("plan"))));
    }
}

auto training_with_parameters(split_mix& random) -> training_graph {
    auto const forward = support::random_forward(random, 5);
    auto const needs = support::random_needs(random, forward);
    auto const how = support::built_conventions[support::below(random, 3)];
    return make_training_graph(forward, needs, how, {}, support::random_parameters(random, forward));
}

}  // namespace

TEST_CASE("plans with gradients of parameters are legal and run no gradient twice", "[parameter_plans][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 2; ++i) {
            auto const training = training_with_parameters(random);
            require_legal(training, plans_with_parameters(random, training));
        }
    }));
}
