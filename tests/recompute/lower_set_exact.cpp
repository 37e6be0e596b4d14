// Covers recompute/lower_set_plan.hpp, recompute/lower_set_plan.hpp,
// recompute/lower_set_plan_options.hpp.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "recompute/lower_set_question.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

auto training_of(support::adjacency const& g) {
    return make_training_graph(g, weights{unit_weight{}, unit_weight{}}, needs_inputs_only);
}

}  // namespace

TEST_CASE("beyond the limit lower_set_exact plans with a family, with epsilon as its loss", "[lower_set_exact]") {
    auto const wide = training_of(support::parallel_chains(4, 1));
    CHECK(lower_set_plan(wide, {}, {.limits = {.work = 16}})->lower_sets == 16);
    CHECK(lower_set_plan(wide, {}, {.limits = {.work = 15}})->lower_sets == 15);
    CHECK(lower_set_plan(wide, {}, {.limits = {.work = 1}})->lower_sets == 6);  // the pruned family in any case
    CHECK(lower_set_plan(wide, {}, {.sets = lower_set_choice::pruned, .limits = {.work = 1}})->lower_sets ==
          6);  // ∅, 4 vertices, V

    auto const lanes = training_of(support::parallel_chains(2, 4));
    lower_set_question options{.budget = 16, .judge = judged_by::formula};
    auto const exact = ask_exact(lanes, options);
    options.limits.work = 10;
    auto const limited = ask_exact(lanes, options);
    REQUIRE((exact && limited));
    CHECK(exact->epsilon == 0);
    CHECK(limited->lower_sets == 10);
    CHECK(static_cast<double>(limited->formula->overhead - exact->formula->overhead) <= limited->epsilon * 8);
}

TEST_CASE("the epsilon of the nearest plan counts what its own peak allows", "[lower_set_exact]") {
    // Two chains of two: the pruned family computes all 4 again within 4 bytes, all lower sets 2.
    auto const lanes = training_of(support::parallel_chains(2, 2));
    lower_set_question options{.budget = 1, .judge = judged_by::formula, .nearest = true};
    auto const exact = ask_exact(lanes, options);
    options.limits.work = 6;
    auto const limited = ask_exact(lanes, options);
    REQUIRE((exact && limited));
    CHECK(exact->formula->peak == 4);
    CHECK(exact->formula->overhead == 2);
    CHECK(exact->epsilon == 0);
    CHECK(limited->formula->peak == 4);
    CHECK(limited->formula->overhead == 4);
    CHECK(limited->epsilon == 0.5);  // 2 of 4
}

TEST_CASE("the loss of a family against all lower sets is at most its epsilon", "[lower_set_exact][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 9, 50, 10);
        auto const training = g.training(needs_inputs_only);
        lower_set_question options{.goal = support::chance(random, 30) ? objective::memory : objective::time,
                                   .judge = judged_by::formula,
                                   .keep_last = support::chance(random, 30),
                                   .limits = {.work = support::below(random, 12)}};
        if (support::chance(random, 80)) options.budget = support::between(random, 0, 150);
        options.nearest = support::chance(random, 30);
        auto const limited = ask_exact(training, options);
        options.limits.work = 1'000'000;
        if (limited) options.budget = std::max(options.budget.value_or(0), limited->formula->peak);
        auto const exact = ask_exact(training, options);
        if (!limited) return;
        RC_ASSERT(exact.has_value());
        auto const forward_time = static_cast<double>(training.flow.time_once()) / 3;
        auto const gained = std::abs(static_cast<double>(exact->formula->overhead - limited->formula->overhead));
        RC_ASSERT(gained <= limited->epsilon * forward_time * (1 + 1e-12));
    }));
}

TEST_CASE("two lanes: all lower sets allow less overhead than the pruned family", "[lower_set_exact]") {
    auto const lanes = training_of(support::parallel_chains(2, 4));
    lower_set_question options{.judge = judged_by::formula};
    auto const exact = ask_exact(lanes, options);
    auto const approximate = ask_approximate(lanes, options);
    REQUIRE((exact && approximate));
    CHECK(exact->formula->peak <= approximate->formula->peak);
    options.budget = 16;
    CHECK(ask_exact(lanes, options)->formula->overhead < ask_approximate(lanes, options)->formula->overhead);
}

TEST_CASE("the observer of a search gets progress up to 1", "[lower_set_exact]") {
    auto const chain = training_of(support::chain(12));
    for (auto const judge : {judged_by::formula, judged_by::replayed}) {
        for (auto const sets : {lower_set_choice::all, lower_set_choice::pruned}) {
            double last = 0;
            auto const hear = [&](double share) { last = share; };
            CHECK(lower_set_plan(chain, {}, {.sets = sets, .judge = judge, .progress = hear}));
            CHECK(last == 1.0);
        }
    }
}

TEST_CASE("a cancelled search returns a plan whose loss is at most its epsilon", "[lower_set_exact][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_weighted_dag(random, 9, 500'000'000, 10).training(needs_inputs_only);
        lower_set_question options{.goal = support::chance(random, 30) ? objective::memory : objective::time,
                                   .judge = support::chance(random, 60) ? judged_by::formula : judged_by::replayed,
                                   .epsilon = 0,
                                   .nearest = true};
        if (support::chance(random, 70)) options.budget = support::between(random, 0, 150);
        if (support::chance(random, 50)) options.limits = {.work = support::below(random, 30)};
        auto const patience = static_cast<int>(support::below(random, 60));
        auto const impatient = [&](auto const& algorithm) {
            auto limited = options;
            int left = patience;
            limited.limits.stop = [&] { return left-- <= 0; };
            return algorithm(training, limited);
        };
        RC_ASSERT(impatient(ask_approximate).has_value());
        auto const cancelled = impatient(ask_exact);
        RC_ASSERT(cancelled.has_value());
        if (options.judge == judged_by::replayed) return;
        options.limits.work = 1'000'000;
        options.budget = std::max(options.budget.value_or(0), cancelled->formula->peak);
        auto const best = ask_exact(training, options)->formula->overhead;
        auto const forward_time = static_cast<double>(training.flow.time_once()) / 3;
        RC_ASSERT(std::abs(static_cast<double>(cancelled->formula->overhead - best)) <=
                  cancelled->epsilon * forward_time * (1 + 1e-12));
    }));
}

TEST_CASE("a time limit of 0 gives a plan, and a negative time limit is refused", "[lower_set_exact]") {
    auto const lanes = training_of(support::parallel_chains(3, 4));
    for (auto const judge : {judged_by::formula, judged_by::replayed}) {
        lower_set_question options{.judge = judge, .limits = {.seconds = 0}};
        CHECK(ask_exact(lanes, options).has_value());
        CHECK(ask_approximate(lanes, options).has_value());
        for (double const wrong : {-1.0, std::nan("")}) {
            options.limits.seconds = wrong;
            CHECK_THROWS_AS(ask_exact(lanes, options), bad_option);
            CHECK_THROWS_AS(ask_approximate(lanes, options), bad_option);
        }
        options.limits.seconds = 1e9;
        CHECK(*ask_exact(lanes, options) == *lower_set_plan(lanes, {}, {.judge = judge}));
    }
}

TEST_CASE("the plan of the empty graph has no steps", "[lower_set_exact]") {
    for (auto const judge : {judged_by::formula, judged_by::replayed})
        for (auto const& plan :
             {lower_set_plan(training_of({}), 0, {.judge = judge}),
              lower_set_plan(training_of({}), 0, {.sets = lower_set_choice::pruned, .judge = judge})}) {
            REQUIRE(plan);
            CHECK((plan->schedule.steps.empty() && plan->cost.peak == 0));
        }
}

TEST_CASE("stopped while lower sets are listed, the plan is that of √n segments", "[lower_set_exact]") {
    auto const apart = training_of(support::adjacency(60));  // 2⁶⁰ lower sets
    int asked = 0;
    auto const stop = [&] { return ++asked > 3; };
    auto const plan = lower_set_plan(apart, {}, {.limits = {.work = std::size_t{1} << 40U, .stop = stop}});
    CHECK(asked == 4);
    REQUIRE(plan);
    CHECK(plan->cost == sqrt_segments(apart).cost);
}

TEST_CASE("graphs whose lower sets would fill the memory are refused", "[lower_set_exact]") {
    auto const long_one = training_of(support::chain(32'769));
    for (auto const sets : {lower_set_choice::all, lower_set_choice::every})
        CHECK(support::throws<limit_reached>([&] { return lower_set_plan(long_one, {}, {.sets = sets}); },
                                             {"32769", "two gibibytes"}));
}
