#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/gradient_needs.hpp>
#include <repebble/graph/training_graph.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/drop_cheap.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_approximate.hpp>
#include <repebble/recompute/lower_set_exact.hpp>
#include <repebble/recompute/lower_set_exhaustive.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/save_set.hpp>
#include <repebble/recompute/segment_plan.hpp>
#include <repebble/recompute/segment_recursive.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "recompute/random_training.hpp"
#include "support/catch.hpp"
#include "support/naive_replay.hpp"

using namespace repebble;
using support::random_source;

namespace {

struct parameter_plan {
    char const* strategy;
    recompute_plan<> what;
};

auto plans_with_parameters(random_source& random, training_graph<> const& training) -> std::vector<parameter_plan> {
    std::vector<parameter_plan> plans{{"keep_all", keep_all(training)},
                                      {"sqrt_segments", sqrt_segments(training)},
                                      {"forget_all", forget_all(training, 100'000)}};
    strategy_options const options{.budget = support::between(random, 0, plans.front().what.cost.peak),
                                   .nearest = true};
    auto const add = [&](char const* name, std::optional<recompute_plan<>> p) {
        if (p) plans.push_back({name, *std::move(p)});
    };
    add("greedy_eviction", greedy_eviction(training, options));
    add("save_set", save_set(training, options));
    add("lower_set_approximate", lower_set_approximate(training, options));
    add("lower_set_exact", lower_set_exact(training, options));
    add("lower_set_exhaustive", lower_set_exhaustive(training, options));
    add("segment_plan", segment_plan(training, segment_options{.keep_expensive = true}, never{}));
    add("segment_recursive", segment_recursive(training));
    add("plan", plan(training, *options.budget).plan);
    auto const salt = support::below(random, 1000);
    add("mirror", mirror(training, [&](operation_index v) {
            return training.flow.recomputable(v) ? static_cast<std::uint32_t>((v + salt) % 3) : 0U;
        }));
    add("drop_cheap", drop_cheap(training, [&](operation_index v) { return (v + salt) % 2 == 0; }));
    return plans;
}

}  // namespace

TEST_CASE("with gradients of parameters every strategy makes legal plans that run no gradient twice",
          "[parameter_plans][property]") {
    CHECK(rc::check([](std::uint64_t seed) {
        random_source random(seed);
        auto const forward = support::random_forward(random, 5);
        auto const training = make_training_graph(forward, support::random_needs(random, forward),
                                                  support::built_conventions[support::below(random, 3)], {},
                                                  support::random_parameters(random, forward));
        for (auto const& [strategy, p] : plans_with_parameters(random, training)) {
            RC_LOG() << strategy << '\n';
            RC_ASSERT(!support::naive_replay(training.flow, p.schedule).broken_step);
            RC_ASSERT(replay(training.flow, p.schedule) == p.cost);
            std::vector<int> runs(training.flow.operation_count(), 0);
            for (auto const& s : p.schedule.steps) runs[s.vertex] += s.what == action::compute ? 1 : 0;
            for (std::size_t v = 0; v < runs.size(); ++v)
                if (training.origin[v].pass == pass::parameter) RC_ASSERT(runs[v] == 1);
        }
    }));
}
