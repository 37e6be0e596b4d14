// Covers planner/strategies.hpp.
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <type_traits>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/strategies.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/save_set.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
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
