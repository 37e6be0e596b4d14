// Covers recompute/chain_plan.hpp, recompute/drop_cheap.hpp, recompute/forget_all.hpp, recompute/greedy_eviction.hpp,
// recompute/keep_all.hpp, recompute/lower_set_plan.hpp,
// recompute/lower_set_plan.hpp, recompute/save_set.hpp, recompute/segment_plan.hpp,
// recompute/segment_recursive.hpp, recompute/sqrt_segments.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/io/json_network.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/drop_cheap.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/save_set.hpp>
#include <repebble/recompute/segment_plan.hpp>
#include <repebble/recompute/segment_recursive.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "recompute/lower_set_question.hpp"
#include "recompute/random_training.hpp"
#include "support/catch.hpp"
#include "support/folders.hpp"
#include "support/naive_replay.hpp"
#include "support/property.hpp"

using namespace repebble;
using support::split_mix;

namespace {

using plan = recompute_plan<>;  // of any strategy: without lower sets, its other members are empty

constexpr std::size_t few_steps = 100'000;

/// A plan, and the name of its strategy.
struct found {
    std::string strategy;
    plan result;
};

auto all_plans(training_graph const& training, lower_set_question const& options, bool exhaustive)
    -> std::vector<found> {
    std::vector<found> plans{{"keep_all", keep_all(training)}, {"sqrt_segments", sqrt_segments(training)}};
    auto const add = [&](char const* name, auto const& p) {
        if (p) plans.push_back({name, *p});
    };
    try {
        plans.push_back({"forget_all", forget_all(training, {.work = few_steps})});
    } catch (limit_reached const&) {
    }
    auto const cheap = [&](operation_index v) { return training.flow.time(v) <= 2; };
    plans.push_back({"drop_cheap", drop_cheap(training, cheap)});
    plans.push_back({"segment_recursive", segment_recursive(training)});
    auto const& budget = options.budget;
    strategy_options const how{.goal = options.goal, .nearest = options.nearest};
    add("segment_plan", segment_plan(training, budget,
                                     {.goal = options.goal,
                                      .nearest = options.nearest,
                                      .every_kind = true,
                                      .keep_expensive = true,
                                      .measure = memory_measure::peak}));
    add("chain",
        chain_plan(training, budget, {.goal = options.goal, .nearest = options.nearest, .narrow_places = true}));
    add("greedy_eviction", greedy_eviction(training, budget, how));
    add("save_set", save_set(training, budget, how));
    add("lower_set_approximate", ask_approximate(training, options));
    add("lower_set_exact", ask_exact(training, options));
    if (exhaustive) add("lower_set_exhaustive", ask_exhaustive(training, options));
    return plans;
}

/// Checks that both replays of the schedule give the cost of the plan, and that operations that may run only once, and
/// the backward pass (but for views, which cost nothing), run once. Returns "" or the fault.
auto fault_of(training_graph const& training, plan const& p, bool naively) -> std::string {
    auto const& flow = training.flow;
    if (replay(flow, p.schedule) != p.cost) return "the plan has other figures than its replay";
    std::vector<std::size_t> runs(flow.operation_count(), 0);
    for (auto const& s : p.schedule.steps)
        if (s.what == action::compute) ++runs[s.vertex];
    for (std::size_t v = 0; v < runs.size(); ++v) {
        bool const view = !flow.writes(v).empty() && flow.is_view(flow.writes(v).front());
        bool const once = !flow.recomputable(v) || (training.origin[v].pass != pass::forward && !view);
        if (once && runs[v] > 1) return "operation " + std::to_string(v) + " runs twice";
    }
    if (!naively) return {};
    auto const naive = support::naive_replay(flow, p.schedule);
    if (naive.broken_step) return "the naive replay refuses step " + std::to_string(*naive.broken_step);
    bool const same = naive.time == p.cost.time && naive.overhead == p.cost.overhead && naive.peak == p.cost.peak &&
                      naive.recomputations == p.cost.recomputations;
    return same ? "" : "the naive replay has other figures";
}

auto any_options(split_mix& random, bytes keep_all_peak) -> lower_set_question {
    lower_set_question options;
    if (support::chance(random, 70)) options.budget = support::between(random, 0, keep_all_peak);
    if (support::chance(random, 30)) options.goal = objective::memory;
    if (support::chance(random, 30)) options.judge = judged_by::formula;
    if (support::chance(random, 30)) options.keep_last = true;
    if (support::chance(random, 30)) options.epsilon = static_cast<double>(support::below(random, 101)) / 100;
    options.nearest = support::chance(random, 50);
    return options;
}

/// Whether the plan is within the budget, by formula or by replay.
auto fits(plan const& p, training_graph const& training, lower_set_question const& options) -> bool {
    bool const by_formula = options.judge == judged_by::formula && training.made_by != convention::joint;
    return !options.budget || (by_formula ? p.formula->peak : p.cost.peak) <= *options.budget;
}

auto network_file(std::string const& name) -> std::filesystem::path {
    std::filesystem::path const root = support::source_dir();
    auto const example = root / "examples/data" / name;
    return std::filesystem::exists(example) ? example : root / "../shared/data/own/graphs" / name;
}

}  // namespace

TEST_CASE("every schedule of every strategy is legal and replays to the cost of its plan",
          "[every_strategy][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 4; ++i) {
            auto const training = support::random_training(random, 5);
            auto const options = any_options(random, keep_all(training).cost.peak);
            for (auto const& [strategy, p] : all_plans(training, options, true)) {
                RC_LOG() << strategy << '\n';
                RC_ASSERT(fault_of(training, p, true) == std::string());
                bool const by_replay = strategy == "greedy_eviction" || strategy == "save_set" ||
                                       strategy == "segment_plan" || strategy == "chain";
                if (p.segments > 0 && strategy != "sqrt_segments" && !by_replay && !options.nearest)
                    RC_ASSERT(fits(p, training, options));
                if (by_replay && options.budget && !options.nearest) RC_ASSERT(p.cost.peak <= *options.budget);
            }
        }
    }));
}

TEST_CASE("with nearest there is always a plan, and it fits where a plan fits", "[every_strategy][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const training = support::random_training(random, 5);
        auto options = any_options(random, keep_all(training).cost.peak);
        options.epsilon = 0;
        auto const both = [&](auto const& strategy) {
            options.nearest = false;
            auto const strict = strategy(training, options);
            options.nearest = true;
            auto const nearest = strategy(training, options);
            RC_ASSERT(nearest.has_value());
            RC_ASSERT(strict.has_value() == fits(*nearest, training, options));
            if (strict) RC_ASSERT(*strict == *nearest);
        };
        both([](auto const& t, auto const& o) { return ask_approximate(t, o); });
        both([](auto const& t, auto const& o) { return ask_exact(t, o); });
        both([](auto const& t, auto const& o) { return ask_exhaustive(t, o); });
    }));
}

TEST_CASE("judged by replay: exhaustive is at least as good as exact, and exact as approximate",
          "[every_strategy][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 3; ++i) {
            auto const training = support::with_free_views(support::random_training(random, 5));
            lower_set_question options{.epsilon = 0};
            if (support::chance(random, 80)) options.budget = support::between(random, 0, keep_all(training).cost.peak);
            auto const approximate = ask_approximate(training, options);
            auto const exact = ask_exact(training, options);
            auto const exhaustive = ask_exhaustive(training, options);
            auto const no_worse = [&](auto const& a, auto const& b) {
                if (!b) return true;
                if (!a) return false;
                return options.budget ? a->cost.time <= b->cost.time : a->cost.peak <= b->cost.peak;
            };
            RC_ASSERT(no_worse(exact, approximate));
            RC_ASSERT(no_worse(exhaustive, exact));
        }
    }));
}

TEST_CASE("equal inputs give equal plans", "[every_strategy][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const training = support::random_training(random, 5);
        auto const options = any_options(random, keep_all(training).cost.peak);
        auto const once = all_plans(training, options, true);
        auto const twice = all_plans(training, options, true);
        RC_ASSERT(once.size() == twice.size());
        for (std::size_t i = 0; i < once.size(); ++i) RC_ASSERT(once[i].result == twice[i].result);
    }));
}

TEST_CASE("every strategy on real networks, in every convention", "[every_strategy][data][long]") {
    for (auto const* name : {"unet_small.json", "resnet18.json", "unet_small_joint.json"}) {
        auto const file = network_file(name);
        if (!std::filesystem::exists(file)) {
            WARN("skipped: there is no " << name);
            continue;
        }
        auto const net = io::read_network(file);
        for (auto const how : support::built_conventions) {
            if (net.is_joint() && how != convention::value_grad) continue;
            auto const training = io::make_training_graph(net, how);
            auto const most = keep_all(training).cost.peak;
            auto const plans = all_plans(training, {.budget = most / 10 * 7, .nearest = true}, false);
            CHECK(plans.size() == 11);
            for (auto const& [strategy, p] : plans) {
                INFO(name << ", " << to_string(training.made_by) << ", " << strategy);
                CHECK(fault_of(training, p, strategy != "forget_all") == "");
                CHECK(p.cost.peak <= most);
            }
        }
    }
}

TEST_CASE("every strategy but the quadratic one on a joint network of 349 nodes", "[every_strategy][data][long]") {
    auto const net = io::read_network(network_file("resnet50_joint.json"));
    auto const training = io::make_training_graph(net);
    auto const most = keep_all(training).cost.peak;
    for (auto const& p :
         {keep_all(training), sqrt_segments(training),
          lower_set_plan(training, most / 10 * 6, {.sets = lower_set_choice::pruned}).value_or(plan{})}) {
        CHECK(fault_of(training, p, true) == "");
        CHECK(p.cost.peak <= most);
    }
}
