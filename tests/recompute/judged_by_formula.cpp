// Covers recompute/lower_set_plan.hpp, recompute/lower_set_plan.hpp.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <rapidcheck.h>

#include <repebble/recompute/lower_set_plan.hpp>

#include "recompute/lower_set_question.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

// The three lower-set strategies, judged by formulas (1) and (2), against all sequences of lower sets.

using namespace repebble;
using support::best_by_budget;
using support::brute_force;
using support::split_mix;
using support::weighted_dag;

namespace {

auto tiny_dag(split_mix& random, std::int64_t greatest_time) -> weighted_dag {
    for (;;) {
        auto g = support::random_weighted_dag(random, 7, greatest_time, support::below(random, 4) == 0 ? 25 : 0);
        brute_force const brute(g);
        if (g.size() > 0 && brute.count_sequences(brute.lower_sets()) <= 300) return g;
    }
}

auto any_question(split_mix& random) -> lower_set_question {
    lower_set_question options{.judge = judged_by::formula};
    if (support::chance(random, 50)) options.goal = objective::memory;
    options.keep_last = support::chance(random, 50);
    return options;
}

/// Budgets on both sides of some breakpoints.
auto some_budgets(split_mix& random, std::vector<bytes> const& all) -> std::vector<bytes> {
    std::vector<bytes> some{all.front(), all[1], all.back()};
    for (int i = 0; i < 3; ++i) some.push_back(support::pick(random, all));
    for (auto& budget : some) budget = std::max<bytes>(0, budget);
    return some;
}

/// Checks that the plan is the best of these sequences by formula, with the literal schedule of one of them.
void is_best(std::optional<recompute_plan<>> const& plan, best_by_budget const& expected, bytes budget) {
    auto const best = expected.within(budget);
    RC_ASSERT(plan.has_value() == best.has_value());
    if (!plan) return;
    RC_ASSERT(plan->formula->overhead == *best);
    RC_ASSERT(plan->formula->peak <= budget);
    RC_ASSERT(plan->cost.overhead == plan->formula->overhead);
    RC_ASSERT(plan->cost.peak == plan->formula->peak);
    RC_ASSERT(plan->segments >= 1U);
    RC_ASSERT(plan->epsilon == 0.0);
}

}  // namespace

TEST_CASE("exhaustive and exact equal the best of all sequences, approximate that of pruned sequences",
          "[judged_by_formula][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 4; ++i) {
            auto const g = tiny_dag(random, 20);
            brute_force const brute(g);
            auto options = any_question(random);
            best_by_budget const best(brute.all_costs(brute.lower_sets(), options.keep_last), options.goal);
            best_by_budget const pruned(brute.all_costs(brute.pruned_lower_sets(), options.keep_last), options.goal);
            auto const training = g.training(needs_inputs_only);
            for (auto const budget : some_budgets(random, best.budgets())) {
                options.budget = budget;
                is_best(ask_exhaustive(training, options), best, budget);
                is_best(ask_exact(training, options), best, budget);
                is_best(ask_approximate(training, options), pruned, budget);
            }
        }
    }));
}

TEST_CASE("the same holds for times that are too long for tables", "[judged_by_formula][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const g = tiny_dag(random, 500'000'000);
        brute_force const brute(g);
        auto options = any_question(random);
        options.epsilon = 0;
        best_by_budget const best(brute.all_costs(brute.lower_sets(), options.keep_last), options.goal);
        auto const training = g.training(needs_inputs_only);
        for (auto const budget : some_budgets(random, best.budgets())) {
            options.budget = budget;
            is_best(ask_exhaustive(training, options), best, budget);
            is_best(ask_exact(training, options), best, budget);
        }
    }));
}

TEST_CASE("without a budget the plan has the least peak by formula (2), and so has the nearest plan",
          "[judged_by_formula][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const g = tiny_dag(random, 20);
        brute_force const brute(g);
        auto options = any_question(random);
        best_by_budget const best(brute.all_costs(brute.lower_sets(), options.keep_last), options.goal);
        auto const training = g.training(needs_inputs_only);
        auto const is_least = [&] {
            auto const exact = ask_exact(training, options);
            auto const exhaustive = ask_exhaustive(training, options);
            RC_ASSERT((exact && exhaustive));
            RC_ASSERT(exact->formula->peak == best.least_budget());
            RC_ASSERT(exhaustive->formula->peak == best.least_budget());
            return *exact;
        };
        auto const exact = is_least();
        RC_ASSERT(exact.formula->overhead == *best.within(best.least_budget()));
        options.nearest = true;
        options.budget = std::max<bytes>(0, best.least_budget() - 1);
        is_least();
    }));
}

TEST_CASE("more budget never means a worse plan", "[judged_by_formula][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 12, 9);
        if (g.size() == 0) return;
        auto const training = g.training(needs_inputs_only);
        auto options = any_question(random);
        std::optional<std::int64_t> before;
        bool const least = options.goal == objective::time;
        auto const most = 2 * brute_force(g).memory((support::mask{1} << g.size()) - 1);
        for (bytes budget = most / 3; budget <= most; budget += 1 + most / 10) {
            options.budget = budget;
            auto const plan = ask_approximate(training, options);
            RC_ASSERT((plan || !before));
            if (plan && before)
                RC_ASSERT((least ? plan->formula->overhead <= *before : plan->formula->overhead >= *before));
            if (plan) before = plan->formula->overhead;
        }
    }));
}

TEST_CASE("with an epsilon the loss is at most the proven one, which is at most epsilon",
          "[judged_by_formula][property]") {
    std::size_t lossy = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 2; ++i) {
            auto const g = tiny_dag(random, 100'000);
            brute_force const brute(g);
            auto options = any_question(random);
            auto const asked = static_cast<double>(1 + support::below(random, 100)) / 100;
            options.epsilon = asked;
            best_by_budget const best(brute.all_costs(brute.lower_sets(), options.keep_last), options.goal);
            auto const training = g.training(needs_inputs_only);
            auto const forward_time = static_cast<double>(g.training(needs_inputs_only).flow.time_once()) / 3;
            for (auto const budget : some_budgets(random, best.budgets())) {
                options.budget = budget;
                auto const plan = ask_exact(training, options);
                auto const expected = best.within(budget);
                RC_ASSERT(plan.has_value() == expected.has_value());
                if (!plan) continue;
                auto const loss = std::abs(static_cast<double>(plan->formula->overhead - *expected));
                RC_ASSERT(plan->formula->peak <= budget);
                RC_ASSERT(plan->epsilon <= asked);
                RC_ASSERT(loss <= plan->epsilon * forward_time * (1 + 1e-12));
                lossy += loss > 0 ? 1 : 0;
            }
        }
    }));
    INFO(lossy);
}

TEST_CASE("epsilon must be a share", "[judged_by_formula]") {
    auto const training = make_training_graph(support::chain(3), weights{unit_weight{}, unit_weight{}});
    for (double const wrong : {-0.1, 1.1, std::nan("")}) {
        CHECK_THROWS_AS(lower_set_plan(training, {}, {.epsilon = wrong}), bad_weight);
        CHECK_THROWS_AS(lower_set_plan(training, {}, {.sets = lower_set_choice::pruned, .epsilon = wrong}), bad_weight);
    }
    CHECK(default_epsilon(999'999) == 0.0);
    CHECK(default_epsilon(1e6) == 0.005);
}

TEST_CASE("a plan judged by formula has the literal schedule, which may keep the last segment", "[judged_by_formula]") {
    auto const training =
        make_training_graph(support::chain(6), weights{unit_weight{}, unit_weight{}}, needs_inputs_only);
    auto const recomputed = lower_set_plan(training, 7, {.judge = judged_by::formula});
    auto const kept = lower_set_plan(training, 7, {.judge = judged_by::formula, .keep_last = true});
    REQUIRE((recomputed && kept));
    CHECK(recomputed->cost.overhead == 1);
    CHECK(kept->cost.overhead == 0);
    CHECK(!lower_set_plan(training, 5, {.judge = judged_by::formula}));
    CHECK(lower_set_plan(training, 5, {.judge = judged_by::replayed}).has_value());  // liveness needs less
}
