// Covers planner/detail/baselines/baseline_plans.hpp, recompute/greedy_eviction.hpp, recompute/save_set.hpp,
// recompute/chain_plan.hpp, recompute/decomposition_plan.hpp, chains/solve_chain.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
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

/// Cancels when it was asked so often.
struct patience {
    std::size_t questions, asked = 0;
    auto cancelled() -> bool { return ++asked > questions; }
};

/// The strategies that find a plan of a chain before the observer cancels them.
auto strategies_before(patience& observer) -> std::vector<std::string> {
    auto const training = make_training_graph(support::chain(40), weights{}, gradient_dependencies{});
    auto const contracted = detail::contract_views(training.flow);
    detail::listener const hears(observer);
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
    patience endless{1'000'000};
    auto const all = strategies_before(endless);
    CHECK(all == std::vector<std::string>{"greedy_eviction", "save_set", "chain", "decomposition"});
    for (std::size_t const questions : {std::size_t{0}, std::size_t{5}}) {
        patience brief{questions};
        CHECK(strategies_before(brief).empty());
        CHECK(brief.asked == questions + 1);
    }
}

TEST_CASE("a strategy that is not stopped asks whether it is, and has the same plan") {
    auto const training = make_training_graph(support::chain(40), weights{}, gradient_dependencies{});
    planning_graph const graph(training);
    budget_options const options{.budget = 25};
    std::size_t asked = 0;
    auto const never = [&] { return ++asked == 0; };
    detail::stop_test const ask = never;
    CHECK(greedy_eviction(graph, options, greedy_eviction.default_step_limit, ask) == greedy_eviction(graph, options));
    CHECK(std::exchange(asked, 0) > 10);
    CHECK(save_set(graph, options, ask) == save_set(graph, options));
    CHECK(std::exchange(asked, 0) > 10);
    chain_plan_options const staged{.budget = 25};
    CHECK(chain_plan(graph, staged, ask) == chain_plan(graph, staged));
    CHECK(std::exchange(asked, 0) > 100);
    decomposition_options const divided{.budget = 25};
    CHECK(decomposition_plan(graph.flow(), divided, ask) == decomposition_plan(graph.flow(), divided));
    CHECK(asked > 2);
}

TEST_CASE("divide and conquer that is stopped has the best of the plans before, or none") {
    auto const training = make_training_graph(support::chain(60), weights{}, gradient_dependencies{});
    decomposition_options const options{.budget = 20};
    auto const whole = decomposition_plan(training.flow, options);
    REQUIRE(whole);
    std::vector<std::int64_t> times;
    for (std::size_t most = 0; most < 100; ++most) {
        std::size_t asked = 0;
        auto const is_over = [&] { return ++asked > most; };
        auto const plan = decomposition_plan(training.flow, options, detail::stop_test(is_over));
        if (!plan) continue;
        CHECK(plan->cost == replay(training.flow, plan->schedule));
        CHECK(plan->cost.peak <= 20);
        times.push_back(plan->cost.time);
    }
    REQUIRE(!times.empty());
    CHECK(std::ranges::is_sorted(times, std::greater{}));
    CHECK(times.size() < 100);
    CHECK(times.front() > whole->cost.time);
    CHECK(times.back() == whole->cost.time);
}
