// Covers planner/strategies.hpp.
#include <set>
#include <string>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/strategies.hpp>
#include <repebble/recompute/keep_all.hpp>

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
