// Covers planner/detail/baselines/baseline_plans.hpp, recompute/greedy_eviction.hpp, recompute/save_set.hpp,
// recompute/chain_plan.hpp, recompute/decomposition_plan.hpp, chains/solve_chain.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/detail/baselines/baseline_plans.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/decomposition_plan.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/save_set.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

/// Whether save_set is among the plans of a chain, with so many seconds left.
auto has_save_set(std::size_t vertices, std::optional<double> left) -> bool {
    auto const training = make_training_graph(support::chain(vertices), weights{}, gradient_dependencies{});
    auto const contracted = detail::contract_views(training.flow);
    detail::listener const hears;
    effort const usual;
    detail::baseline_plans baselines(&training, contracted, usual, hears);
    auto const budget = keep_all(training).cost.peak - 1;
    auto const names = [](detail::candidate const& c) { return std::string(c.name); };
    return std::ranges::count(baselines.candidates(budget, true, [&] { return left; }), "save_set", names) > 0;
}

/// The strategies that find a plan of a chain before they are stopped.
auto strategies_before(std::function<bool()> const& stop) -> std::vector<std::string> {
    auto const training = make_training_graph(support::chain(40), weights{}, gradient_dependencies{});
    auto const contracted = detail::contract_views(training.flow);
    auto const hears = detail::listener().with_stop(stop);
    effort const usual;
    detail::baseline_plans baselines(&training, contracted, usual, hears);
    std::vector<std::string> names;
    for (auto const& c : baselines.candidates(25, true, [] { return std::optional<double>{}; }))
        names.emplace_back(c.name);
    if (baselines.decomposed(25, {})) names.emplace_back("decomposition");
    return names;
}

}  // namespace

TEST_CASE("save_set begins where enough seconds are left for a graph of this size", "[long]") {
    CHECK(has_save_set(20, 0.2));
    CHECK(has_save_set(1400, {}));
    CHECK(!has_save_set(1400, 0.2));
}

TEST_CASE("older strategies end when they are cancelled, in the middle, too") {
    auto const all = strategies_before([] { return false; });
    CHECK(all == std::vector<std::string>{"greedy_eviction", "save_set", "chain", "decomposition"});
    for (std::size_t const questions : {std::size_t{0}, std::size_t{5}}) {
        std::size_t asked = 0;
        CHECK(strategies_before([&] { return ++asked > questions; }).empty());
        CHECK(asked == questions + 1);
    }
}

TEST_CASE("a strategy that is not stopped asks whether it is, and has the same plan") {
    auto const training = make_training_graph(support::chain(40), weights{}, gradient_dependencies{});
    planning_graph const graph(training);
    detail::budget_options const options{.budget = 25};
    std::size_t asked = 0;
    auto const never = [&] { return ++asked == 0; };
    detail::stop_test const ask = never;
    CHECK(detail::evict_greedily(graph, options, detail::most_steps_of_eviction, ask) ==
          detail::evict_greedily(graph, options));
    CHECK(std::exchange(asked, 0) > 10);
    CHECK(detail::save_cheapest(graph, options, ask) == detail::save_cheapest(graph, options));
    CHECK(std::exchange(asked, 0) > 10);
    CHECK(chain_plan(training, 25, {.limits = {.stop = never}}) == chain_plan(training, 25));
    CHECK(std::exchange(asked, 0) > 100);
    detail::decomposition_request const divided{{}, 25};
    CHECK(detail::plan_by_separators(graph.flow(), divided, ask) == detail::plan_by_separators(graph.flow(), divided));
    CHECK(asked > 2);
}

TEST_CASE("divide and conquer that is stopped has the best of the plans before, or none") {
    auto const training = make_training_graph(support::chain(60), weights{}, gradient_dependencies{});
    detail::decomposition_request const options{{}, 20};
    std::size_t all = 0;
    auto const count = [&] { return ++all == 0; };
    auto const whole = detail::plan_by_separators(training.flow, options, count);
    REQUIRE(whole);
    constexpr std::size_t parts = 24;
    std::vector<std::int64_t> times;
    for (std::size_t k = 0; k <= parts; ++k) {
        std::size_t asked = 0;
        auto const is_over = [&] { return ++asked > all * k / parts; };
        auto const plan = detail::plan_by_separators(training.flow, options, is_over);
        if (!plan) continue;
        CHECK(plan->cost == replay(training.flow, plan->schedule));
        CHECK(plan->cost.peak <= 20);
        times.push_back(plan->cost.time);
    }
    REQUIRE(!times.empty());
    CHECK(std::ranges::is_sorted(times, std::greater{}));
    CHECK(times.size() < parts + 1);
    CHECK(times.front() > whole->cost.time);
    CHECK(times.back() == whole->cost.time);
}
