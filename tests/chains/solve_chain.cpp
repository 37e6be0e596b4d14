// Covers chains/solve_chain.hpp, chains/chain_solution.hpp, chains/chain_dataflow.hpp, chains/chain_frontier.hpp,
// chains/chain_options.hpp, chains/detail/chain_options_check.hpp, chains/bytes_to_keep_all.hpp.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>

#include <rapidcheck.h>

#include <repebble/chains/bytes_to_keep_all.hpp>
#include <repebble/chains/chain_dataflow.hpp>
#include <repebble/chains/solve_chain.hpp>

#include "chains/random_chain.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

template <class Budget>
concept takes_budget = requires(chain const& of, Budget budget) { solve_chain(of, budget); };
static_assert(takes_budget<unsigned>);

auto random_bounded_chain(support::split_mix& random, std::size_t stages) -> chain {
    return support::random_chain(random, {.stages = stages,
                                          .most_tapes = 1 + support::below(random, 2),
                                          .most_size = support::chance(random, 50) ? 6 : 50,
                                          .alike = support::chance(random, 50)});
}

}  // namespace

TEST_CASE("chain within: the least time lies between the bound and the plan, which replays", "[chain][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const of = random_bounded_chain(random, 1 + support::below(random, 15));
        auto const budget = support::between(random, 0, bytes_to_keep_all(of) + 5);
        auto const epsilon = support::chance(random, 50) ? 1e-9 : 0.1;
        chain_options const options{.epsilon = epsilon, .slots = 1 + support::below(random, 50)};
        auto const found = solve_chain(of, budget, options);
        auto const least = solve_chain(of).time_within(budget);
        RC_ASSERT(found.has_value() == least.has_value());  // small sizes: slots of a byte are reached
        if (!found) return;
        RC_ASSERT(found->lower_bound <= *least);
        RC_ASSERT(*least <= found->time);
        RC_ASSERT(*found->epsilon() <= epsilon);
        auto const cost = chain_dataflow(of).replay(found->actions);
        RC_ASSERT(cost.time == found->time);
        RC_ASSERT(cost.peak <= budget);
    }));
}

TEST_CASE("chain within: fitted slots are exact where all sizes are multiples of one", "[chain]") {
    support::split_mix random(3);
    auto of = random_bounded_chain(random, 40);
    constexpr bytes unit = 1'000'003;
    auto larger = of;
    larger.input *= unit, larger.input_gradient *= unit;
    for (auto& s : larger.stages) {
        s.output *= unit, s.gradient *= unit, s.workspace *= unit;
        for (auto& tape : s.tapes) tape.saved *= unit, tape.forward_workspace *= unit, tape.backward_workspace *= unit;
    }
    auto const budget = bytes_to_keep_all(larger);
    auto const exact = solve_chain(larger);
    auto const count = static_cast<std::size_t>(budget / unit);
    auto const fitted = solve_chain(larger, {.slots = count + count / 3, .fit_slots = true, .last_budget = budget});
    CHECK(unit % *fitted.slot() == 0);
    CHECK(fitted.curve() == exact.curve());
}

TEST_CASE("chain within: long chains, whose splits are pruned by cells, match slots of a byte", "[chain][long]") {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
        CAPTURE(seed);
        support::split_mix random(seed);
        auto const of = random_bounded_chain(random, 105);
        auto const budget = bytes_to_keep_all(of) / 4;
        auto const slots = solve_chain(of, {.slots = static_cast<std::size_t>(budget), .last_budget = budget});
        REQUIRE(slots.slot() == 1);
        auto const exact = solve_chain(of, {.last_budget = budget});
        CHECK(exact.curve() == slots.curve());
        for (bytes const little : {bytes{0}, of.input, of.input + 1})
            CHECK(solve_chain(of, {.last_budget = little}).curve().empty());
    }
}

TEST_CASE("chain within: the peak is that of replay, and workspaces may be negative", "[chain][property]") {
    // The second stage writes over its input.
    chain const over{.input = 2, .stages = {{1, 1, 2, 2, 0, {{2}}}, {1, 1, 2, 2, -1, {{2}}}}};
    auto const found = solve_chain(over, 100);
    REQUIRE(found);
    CHECK(found->time == solve_chain(over).time_within(100));
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        bool const negative = support::chance(random, 50);
        auto const of = support::random_chain(
            random, {.stages = 1 + support::below(random, 6), .most_tapes = 2, .negative = negative});
        auto const budget = support::between(random, 0, bytes_to_keep_all(of) + 5);
        auto const plan = solve_chain(of, budget);
        RC_ASSERT(plan.has_value() == solve_chain(of).time_within(budget).has_value());
        if (!plan) return;
        RC_ASSERT(plan->peak <= budget);
        if (!negative) RC_ASSERT(plan->peak == chain_dataflow(of).replay(plan->actions).peak);
        auto raised = of;  // every run takes as many bytes more, and no workspace is negative
        for (auto& stage : raised.stages) {
            stage.workspace += 1000;
            for (auto& tape : stage.tapes) {
                tape.forward_workspace += 1000;
                tape.backward_workspace += 1000;
            }
        }
        RC_ASSERT(plan->peak + 1000 == chain_dataflow(raised).replay(plan->actions).peak);
    }));
}

TEST_CASE("chain within: wrong calls are refused, and no plan is an answer", "[chain]") {
    support::split_mix random(1);
    auto const of = random_bounded_chain(random, 5);
    CHECK_FALSE(solve_chain(of, 0, {.epsilon = 0.1, .slots = 500}).has_value());
    CHECK(support::throws<bad_weight>([&] { return solve_chain(of, 10, {.epsilon = -0.5, .slots = 500}); },
                                      {"epsilon", "-0.5"}));
    CHECK_THROWS_AS(solve_chain(of, 10, {.epsilon = std::numeric_limits<double>::quiet_NaN(), .slots = 500}),
                    bad_weight);
    CHECK_THROWS_AS(solve_chain(of, -1, {.epsilon = 0.1, .slots = 500}), bad_weight);
    CHECK(support::throws<bad_weight>([&] { return solve_chain(of, -1); }, {"budget", "-1"}));
    CHECK(
        support::throws<bad_weight>([&] { return solve_chain(of, std::uint64_t{1} << 63); }, {"9223372036854775808"}));
    static_assert(!takes_budget<double>);
    CHECK_THROWS_AS(solve_chain(of, 100, {.slots = 500, .threads = 0}), bad_option);
    CHECK_THROWS_AS(solve_chain(of, 100, {.limits = {.seconds = -1}}), bad_option);
    CHECK_THROWS_AS(solve_chain(of, {.limits = {.seconds = -1}}), bad_option);
}

TEST_CASE("chain options: those that exclude each other are refused by both names", "[chain]") {
    support::split_mix random(1);
    auto const of = random_bounded_chain(random, 5);
    host_link const via{.size = 1, .time = 1};
    auto const refused = [&](chain_options const& options, std::initializer_list<std::string_view> words) {
        return support::throws<bad_option>([&] { return solve_chain(of, 50, options); }, words);
    };
    CHECK(refused({.drop_saved_inputs = true, .slots = 9}, {"slots", "drop_saved_inputs"}));
    CHECK(refused({.drop_saved_inputs = true, .link = via}, {"link", "drop_saved_inputs"}));
    CHECK(refused({.epsilon = 0.1, .link = via}, {"link", "epsilon"}));
    CHECK(refused({.test = memory_test::published, .link = via}, {"link", "published"}));
    CHECK(refused({.epsilon = 0.1, .slots = 9, .round = slot_rounding::down}, {"epsilon", "round"}));
    CHECK(refused({.slots = 9, .limits = {.work = 9}}, {"slots", "limits.work"}));
    CHECK(refused({.fit_slots = true}, {"fit_slots", "slots"}));
    CHECK(refused({.last_budget = 50}, {"last_budget", "budget"}));
    CHECK(support::throws<bad_option>([&] { return solve_chain(of, {.link = via}); }, {"link", "curve"}));
    CHECK(
        support::throws<bad_option>([&] { return solve_chain(of, {.epsilon = 0.1, .slots = 9}); }, {"slots", "curve"}));
}

TEST_CASE("chain: one budget has the time of the curve, in bytes and in slots", "[chain]") {
    support::split_mix random(2);
    auto const of = random_bounded_chain(random, 12);
    auto const all = bytes_to_keep_all(of);
    auto const curve = solve_chain(of);
    for (bytes budget = 0; budget <= all; budget += 1 + all / 20) {
        auto const plan = solve_chain(of, budget);
        REQUIRE(plan.has_value() == curve.time_within(budget).has_value());
        if (!plan) continue;
        CHECK(plan->time == curve.time_within(budget));
        CHECK(plan->epsilon() == 0);
        CHECK(chain_dataflow(of).replay(plan->actions).time == plan->time);
        auto const in_slots = solve_chain(of, budget, {.slots = 30});
        if (in_slots) CHECK(in_slots->time >= plan->time);
    }
    CHECK(solve_chain(of, {.slots = 40}).curve() == solve_chain(of, {.slots = 40, .last_budget = all}).curve());
}

TEST_CASE("chain: a search that is stopped says so where it has no plan", "[chain]") {
    support::split_mix random(2);
    auto const of = random_bounded_chain(random, 12);
    auto const all = bytes_to_keep_all(of);
    limits const now{.stop = [] { return true; }};
    for (chain_options const& options : {chain_options{.limits = now}, chain_options{.slots = 9, .limits = now},
                                         chain_options{.epsilon = 0.1, .slots = 9, .limits = now}})
        CHECK(support::throws<limit_reached>([&] { return solve_chain(of, all, options); }, {"seconds", "stopped"}));
    CHECK_FALSE(chain_frontier::within_limits(of, {.limits = now}));
    CHECK(solve_chain(of, all, {.link = host_link{.size = 1, .time = 1}, .limits = now}));  // the first of its plans
}
