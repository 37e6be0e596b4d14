// Covers planner/strategies.hpp.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/strategies.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/save_set.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "recompute/random_training.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/promises.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/throws.hpp"

using namespace repebble;

TEST_CASE("strategies have names of their own, by which they are found", "[strategies]") {
    std::set<std::string_view> names;
    for (auto const& s : strategies()) {
        CHECK(names.insert(s.name).second);
        CHECK(&find_strategy(s.name) == &s);
        CHECK_FALSE(s.summary.empty());
    }
    CHECK(strategies().back().name == "automatic");
    CHECK(support::throws<bad_option>([] { return find_strategy("chains").name; }, {"\"chains\"", "chain, "}));
}

TEST_CASE("plans of all strategies replay to their cost, within the budget where they take one", "[strategies]") {
    auto const step = make_training_problem(support::chain(7));
    auto const most = keep_all(step).cost.peak;
    for (auto const& s : strategies()) {
        INFO(s.name);
        auto const plan = s.plan(step, most - 2, {.limits = {}});
        REQUIRE(plan);
        CHECK(replay(step.flow(), plan->schedule) == plan->cost);
        CHECK((!s.takes_budget || plan->cost.peak <= most - 2));
        CHECK(s(step)->cost.peak <= most);
    }
}

TEST_CASE("strategies that are stopped at once ask no more, and return what takes no search", "[strategies]") {
    auto graph = support::chain(60);
    for (std::size_t v = 0; v + 9 < graph.size(); v += 4) graph[v].push_back(static_cast<int>(v + 9));
    auto const step = make_training_problem(graph);
    auto const kept = keep_all(step).cost;
    auto const segments = sqrt_segments(step);
    auto const budget = segments.cost.peak - 1;
    auto const stopped = [&](std::string_view name) {
        int asked = 0;
        auto plan =
            find_strategy(name)(step, budget, {.nearest = true, .limits = {.stop = [&] { return ++asked > 0; }}});
        INFO(name);
        CHECK(asked == 1);
        return plan;
    };
    for (auto const* const name : {"chain", "greedy_eviction", "decomposition_plan"})
        CHECK(stopped(name)->cost == kept);
    for (auto const* const name : {"segment_plan", "lower_set_approximate", "lower_set_exact"})
        CHECK(stopped(name)->cost == segments.cost);
    CHECK(!stopped("save_set"));
    for (auto const* const name : {"forget_all", "lower_set_exhaustive"}) CHECK_THROWS_AS(stopped(name), limit_reached);
}

TEST_CASE(
    "a plan that is returned for a budget replays within it, also beside results, views, mutations and alternatives",
    "[strategies][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        support::full_shape shape{.operations = 1 + support::below(random, 7), .result_percent = 30};
        bool const is_built = support::chance(random, 60);
        if (is_built) shape.mutation_percent = shape.overwrite_percent = shape.alternative_percent = 0;
        auto flow = support::random_full_dataflow(random, shape);
        auto const training = [&]() -> std::optional<training_graph> {
            try {
                if (is_built)
                    return make_training_graph(flow, support::random_needs(random, flow),
                                               support::built_conventions[support::below(random, 3)]);
                std::vector<pass> passes(flow.operation_count(), pass::backward);
                for (std::size_t k = 0; k < (flow.order().size() + 1) / 2; ++k) passes[flow.order()[k]] = pass::forward;
                return make_training_graph(flow, passes);
            } catch (bad_graph const&) {
                return std::nullopt;
            }
        }();
        auto const p = training ? problem(*training) : problem(flow);
        auto const most = keep_all(p).cost.peak;
        for (auto const& s : strategies()) {
            if (!s.takes_budget || (s.needs_gradients && !training)) continue;
            bool const slow = s.name == "automatic" || s.name == "lower_set_exhaustive";
            for (auto const budget : {most, most * 3 / 4, most / 2}) {
                any_strategy_options const options{.limits = {.work = slow ? 1000 : 100'000}};
                std::optional<recompute_plan<>> found;
                try {
                    found = s(p, budget, options);
                } catch (error const&) {  // some strategies cannot have every feature
                }
                if (!found) continue;
                RC_LOG(std::string(s.name));
                RC_ASSERT(found->cost.peak <= budget);
                RC_ASSERT(replay(p.flow(), found->schedule).peak <= budget);
            }
        }
    }));
}

TEST_CASE("lower sets: no plan is above its budget where a result stays to the end", "[strategies]") {
    std::vector<std::vector<int>> const net{{}, {}};
    weights const w{unit_weight{}, [](int v) { return v == 0 ? 5 : 4; }, zero_weight{}, always{},
                    [](int v) { return v == 1; }};
    auto const p = make_training_problem(net, w);
    for (auto const* name : {"lower_set_exact", "lower_set_approximate", "lower_set_exhaustive"})
        for (bytes budget = 0; budget < 22; ++budget) {
            auto const found = find_strategy(name)(p, budget);
            INFO(name << " within " << budget);
            CHECK((!found || found->cost.peak <= budget));
            CHECK((!found || plan(p, budget).plan));
        }
}

TEST_CASE("strategies plan joint graphs with control edges, mutations and alternatives, or refuse by name",
          "[strategies]") {
    std::set<std::string_view> planned;
    std::size_t refused = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        support::split_mix random(seed);
        support::full_shape shape{
            .operations = 6 + support::below(random, 12), .alternative_percent = 0, .result_percent = 5};
        if (seed >= 40) {
            shape.operations += 24;
            shape.alternative_percent = shape.circle_percent = 40;
        }
        auto const flow = support::random_full_dataflow(random, shape);
        std::vector<pass> passes;
        for (operation_index v = 0; v < flow.operation_count(); ++v)
            passes.push_back(support::chance(random, 40) ? pass::backward : pass::forward);
        passes[flow.order().front()] = pass::forward;
        problem const p(make_training_graph(flow, passes));
        auto const peak = replay(flow, make_schedule(flow)).peak;
        auto const budget = support::between(random, peak / 2, peak);
        auto const automatic = plan(p, budget, {.limits = {.work = 200}});
        for (auto const& s : strategies()) {
            if (s.name == "lower_set_exhaustive" || s.name == "automatic") continue;
            INFO("seed " << seed << ", " << s.name);
            try {
                auto const found = s(p, budget);
                if (!found) continue;
                planned.insert(s.name);
                CHECK(support::schedule_fault(flow, found->schedule, found->cost.peak, found->cost.time) == "");
                if (s.is_slow || found->cost.peak > budget) continue;
                REQUIRE(automatic.plan);
                CHECK(automatic.plan->cost.time <= found->cost.time);
            } catch (bad_graph const& e) {
                CHECK(std::string(e.what()).find("vertex") != std::string::npos);
                ++refused;
            }
        }
    }
    CHECK(planned.size() == strategies().size() - 2);
    CHECK(refused > 0);
}

TEST_CASE("strategies refuse a problem without gradients exactly where they need them", "[strategies]") {
    auto const forward = make_problem(support::chain(7));
    for (auto const& s : strategies()) {
        INFO(s.name);
        if (s.needs_gradients)
            CHECK_THROWS_AS(s.plan(forward, 7, {}), bad_graph);
        else
            CHECK(s.plan(forward, 7, {}));
    }
}

TEST_CASE("strategies refuse negative budgets and limits, and no threads, each by its number", "[strategies]") {
    static_assert(!std::is_invocable_v<strategy const&, problem const&, double>);
    auto const step = make_training_problem(support::chain(7));
    for (auto const& s : strategies()) {
        INFO(s.name);
        CHECK(support::throws<bad_weight>([&] { return s(step, -1); }, {"budget", "-1"}));
        CHECK(support::throws<bad_weight>([&] { return s(step, std::uint64_t{1} << 63); }, {"9223372036854775808"}));
        for (double const seconds : {-1.5, std::numeric_limits<double>::quiet_NaN()})
            CHECK(support::throws<bad_option>([&] { return s(step, 9, {.limits = {.seconds = seconds}}); },
                                              {"time limit"}));
        CHECK(support::throws<bad_option>([&] { return s(step, 9, {.threads = 0}); }, {"thread"}));
    }
    CHECK_THROWS_AS(chain_plan(step, 9, {.threads = 0}), bad_option);
    CHECK_THROWS_AS(save_set(step, 9, {.limits = {.seconds = -1}}), bad_option);
    CHECK_THROWS_AS(save_set(step, -1), bad_weight);
}
