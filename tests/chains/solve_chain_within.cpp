// Covers chains/solve_chain_within.hpp, chains/chain_dataflow.hpp, chains/solve_chain.hpp,
// chains/bytes_to_keep_all.hpp.
#include <repebble/chains/solve_chain_within.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

#include <rapidcheck.h>

#include <repebble/chains/bytes_to_keep_all.hpp>
#include <repebble/chains/chain_dataflow.hpp>
#include <repebble/chains/solve_chain.hpp>

#include "chains/random_chain.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

auto random_bounded_chain(support::split_mix& random, std::size_t stages) -> chain {
    return support::random_chain(random, {.stages = stages,
                                          .most_tapes = 1 + support::below(random, 2),
                                          .most_size = support::chance(random, 50) ? 6 : 50,
                                          .alike = support::chance(random, 50)});
}

}  // namespace

TEST_CASE("chain within: the least time lies between the bound and the plan, which replays", "[chain][property]") {
    CHECK(rc::check([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const of = random_bounded_chain(random, 1 + support::below(random, 15));
        auto const budget = support::between(random, 0, bytes_to_keep_all(of) + 5);
        auto const epsilon = support::chance(random, 50) ? 0.0 : 0.1;
        slot_options const first{.slots = 1 + support::below(random, 50)};
        auto const found = solve_chain_within(of, budget, epsilon, first);
        auto const least = solve_chain(of).time_within(budget);
        RC_ASSERT(found.has_value() == least.has_value());  // small sizes: slots of a byte are reached
        if (!found) return;
        RC_ASSERT(found->lower_bound <= *least);
        RC_ASSERT(*least <= found->time);
        RC_ASSERT(found->epsilon() <= epsilon);
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
    auto const fitted = solve_chain_in_slots(larger, budget, {.slots = count + count / 3, .fit_unit = true});
    CHECK(unit % fitted.unit() == 0);
    CHECK(fitted.curve() == exact.curve());
}

TEST_CASE("chain within: long chains, whose splits are pruned by cells, match slots of a byte", "[chain][long]") {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
        CAPTURE(seed);
        support::split_mix random(seed);
        auto const of = random_bounded_chain(random, 105);
        auto const budget = bytes_to_keep_all(of) / 4;
        auto const slots = solve_chain_in_slots(of, budget, {.slots = static_cast<std::size_t>(budget)});
        REQUIRE(slots.unit() == 1);
        auto const exact = solve_chain(of, {.budget = budget});
        CHECK(exact.curve() == slots.curve());
        for (bytes const little : {bytes{0}, of.input, of.input + 1})
            CHECK(solve_chain(of, {.budget = little}).curve().empty());
    }
}

TEST_CASE("chain within: wrong calls are refused, and no plan is an answer", "[chain]") {
    support::split_mix random(1);
    auto const of = random_bounded_chain(random, 5);
    CHECK_FALSE(solve_chain_within(of, 0, 0.1).has_value());
    CHECK(support::throws<bad_weight>([&] { return solve_chain_within(of, 10, -0.5); }, {"epsilon", "-0.5"}));
    CHECK_THROWS_AS(solve_chain_within(of, 10, std::numeric_limits<double>::quiet_NaN()), bad_weight);
    CHECK_THROWS_AS(solve_chain_within(of, -1, 0), bad_weight);
}
