// Covers chains/chain.hpp, chains/chain_dataflow.hpp, chains/solve_chain.hpp, chains/bytes_to_keep_all.hpp,
// chains/slot_costs.hpp, chains/solve_chain.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <rapidcheck.h>

#include <repebble/chains/bytes_to_keep_all.hpp>
#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_dataflow.hpp>
#include <repebble/chains/solve_chain.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pebbling/replay.hpp>

#include "chains/random_chain.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

/// Equal stages, with outputs of 4 and tapes of 6, and a loss of size 0.
auto equal_chain(std::size_t stages) -> chain {
    chain of{.input = 4, .input_gradient = 4};
    of.stages.assign(stages, {1, 2, 4, 4, 0, {{.saved = 6}}});
    of.stages.push_back({0, 0, 0, 0, 0, {{}}});
    return of;
}
auto random_slotted_chain(support::split_mix& random, std::size_t most_stages) -> chain {
    return support::random_chain(random, {.stages = 1 + support::below(random, most_stages),
                                          .most_tapes = 1 + support::below(random, 2),
                                          .most_size = support::chance(random, 50) ? 6 : 50,
                                          .alike = support::chance(random, 50)});
}
constexpr bytes longest_test_budget = 100'000;

/// Whether plans replay as the curve says, at every budget of the curve, just before and after; those of the published
/// test may peak higher.
auto slots_replay_as_promised(chain const& of, chain_frontier const& solved, memory_test test) -> bool {
    chain_dataflow const judge(of);
    for (auto const& [budget, time] : solved.curve())
        for (auto const b : {budget, budget + 1, budget + *solved.slot() - 1, longest_test_budget}) {
            auto const plan = solved.actions_within(b);
            if (!plan) return false;
            auto const cost = judge.replay(*plan);
            if ((test == memory_test::tight && cost.peak > b) || cost.time != solved.time_within(b)) return false;
        }
    return solved.curve().empty() || !solved.actions_within(solved.curve().front().budget - 1);
}

}  // namespace

TEST_CASE("chain in slots: equal stages, by hand", "[chain]") {
    auto const of = equal_chain(2);
    // All saved: 4 + 6 + 6 and both gradients of stage 1, 24; with the output of stage 0 only, 4 + 4 + 6 + 8 = 22.
    auto const exact = solve_chain(of);
    CHECK(exact.curve() == std::vector<budget_and_time>{{22, 7}, {24, 6}});
    CHECK(solve_chain(of, {.slots = 24, .last_budget = 24}).curve() == exact.curve());
    auto const pairs = solve_chain(of, {.slots = 12, .last_budget = 24});
    CHECK(pairs.slot() == 2);
    CHECK(pairs.curve() == exact.curve());
    auto const fives = solve_chain(of, {.slots = 5, .last_budget = 25});
    CHECK(fives.slot() == 5);
    CHECK(fives.curve() ==
          std::vector<budget_and_time>{{25, 7}});  // 1 + 1 + 3 slots, where to keep all takes 1 + 2 + 3
    auto const less_than_twice = solve_chain(of, {.slots = 14, .last_budget = 27});  // of one byte they would end at 14
    CHECK(less_than_twice.slot() == 2);
    CHECK(less_than_twice.curve() == exact.curve());
    CHECK(solve_chain(of, {.slots = 5, .last_budget = 20}).curve().empty());
    CHECK_FALSE(solve_chain(of, {.slots = 5, .last_budget = 20}).actions_within(20));
    CHECK(solve_chain(of, {.slots = 500, .last_budget = 0}).curve().empty());
}

TEST_CASE("chain in slots of one byte: the exact times", "[chain][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const of = support::random_chain(random, {.stages = 1 + support::below(random, 25),
                                                       .most_tapes = 1 + support::below(random, 2),
                                                       .negative = support::chance(random, 30),
                                                       .alike = support::chance(random, 50)});
        for (auto const test : {memory_test::tight, memory_test::published}) {
            auto const budget = bytes_to_keep_all(of, test);
            auto const exact = solve_chain(of, {.test = test});
            for (auto const round : {slot_rounding::up, slot_rounding::down}) {
                auto const solved = solve_chain(of, {.test = test,
                                                     .slots = static_cast<std::size_t>(budget) + 1,
                                                     .round = round,
                                                     .last_budget = budget});
                RC_ASSERT(*solved.slot() == 1);
                RC_ASSERT(solved.curve() == exact.curve());
            }
        }
    }));
}

TEST_CASE("chain in slots: above the exact times where sizes are rounded up, below where down", "[chain][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const of = random_slotted_chain(random, 12);
        auto const slots = 1 + support::below(random, 60);
        for (auto const test : {memory_test::tight, memory_test::published}) {
            auto const last = bytes_to_keep_all(of, test) + 10;
            auto const exact = solve_chain(of, {.test = test});
            auto const up = solve_chain(of, {.test = test, .slots = slots, .last_budget = last});
            auto const down =
                solve_chain(of, {.test = test, .slots = slots, .round = slot_rounding::down, .last_budget = last});
            for (bytes b = 0; b <= last; ++b) {
                if (auto const more = up.time_within(b)) RC_ASSERT(exact.time_within(b).value() <= *more);
                if (auto const time = exact.time_within(b)) RC_ASSERT(down.time_within(b).value() <= *time);
            }
        }
    }));
}

TEST_CASE("chain in slots: every plan replays within its budget, in the time of the curve", "[chain][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const of = random_slotted_chain(random, 20);
        auto const budget = bytes_to_keep_all(of) + bytes(support::below(random, 20));
        for (auto const test : {memory_test::tight, memory_test::published})
            RC_ASSERT(slots_replay_as_promised(
                of, solve_chain(of, {.test = test, .slots = 1 + support::below(random, 200), .last_budget = budget}),
                test));
    }));
}

TEST_CASE("chain in slots: the number of threads does not change the result", "[chain]") {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        support::split_mix random(seed);
        auto const of = random_slotted_chain(random, 70);
        auto const budget = bytes_to_keep_all(of);
        auto const one = solve_chain(of, {.slots = 70, .last_budget = budget});
        for (std::size_t const threads : {2U, 5U}) {
            auto const some = solve_chain(of, {.slots = 70, .last_budget = budget, .threads = threads});
            CHECK(some.curve() == one.curve());
            for (auto const& p : one.curve()) CHECK(some.actions_within(p.budget) == one.actions_within(p.budget));
        }
    }
}

TEST_CASE("chain in slots: long times", "[chain][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const of = random_slotted_chain(random, 12);
        constexpr std::int64_t factor = std::int64_t{1} << 40;
        auto longer = of;
        for (auto& s : longer.stages) {
            s.forward_time *= factor, s.backward_time *= factor;
            for (auto& tape : s.tapes) tape.extra_time *= factor;
        }
        auto const budget = bytes_to_keep_all(of);
        auto const whole = solve_chain(of, {.slots = 50, .last_budget = budget});
        auto const much = solve_chain(longer, {.slots = 50, .last_budget = budget});
        RC_ASSERT(whole.curve().size() == much.curve().size());
        for (std::size_t k = 0; k < whole.curve().size(); ++k) {
            auto const& [at, time] = whole.curve()[k];
            RC_ASSERT((much.curve()[k] == budget_and_time{at, time * factor}));
            RC_ASSERT(much.actions_within(at) == whole.actions_within(at));
        }
    }));
}

TEST_CASE("chain in slots: wrong calls are refused by name", "[chain]") {
    auto const of = equal_chain(3);
    CHECK(support::throws<bad_weight>([&] { return solve_chain(of, {.slots = 500, .last_budget = -1}); },
                                      {"budget", "-1"}));
    CHECK(support::throws<bad_weight>([&] { return solve_chain(of, {.slots = 0, .last_budget = 50}); }, {"0 slots"}));
    CHECK(support::throws<bad_weight>([&] { return solve_chain(of, {.slots = 10'000'001, .last_budget = 50}); },
                                      {"10000001 slots"}));
    CHECK(support::throws<bad_graph>([] { return solve_chain(chain{}, {.slots = 500, .last_budget = 50}); },
                                     {"no stage"}));
    auto long_times = of;
    long_times.stages[0].forward_time = std::numeric_limits<std::int64_t>::max() / 8;
    CHECK(support::throws<bad_weight>([&] { return solve_chain(long_times, {.slots = 500, .last_budget = 50}); },
                                      {"times", "too long"}));
    long_times.stages[0].forward_time = std::numeric_limits<std::int64_t>::max() / 2;
    CHECK(support::throws<bad_weight>([&] { return solve_chain(long_times, {.slots = 500, .last_budget = 50}); },
                                      {"times", "overflow"}));
    auto negative = of;
    negative.stages[2].output = -4;
    CHECK(support::throws<bad_weight>([&] { return solve_chain(negative, {.slots = 500, .last_budget = 50}); },
                                      {"stage 2", "-4"}));
}
