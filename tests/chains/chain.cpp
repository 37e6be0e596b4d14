// Covers chains/binomial_bounds.hpp, chains/chain.hpp, chains/chain_dataflow.hpp, chains/solve_chain.hpp,
// chains/budget_and_time.hpp, chains/bytes_to_keep_all.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rapidcheck.h>

#include <repebble/chains/binomial_bounds.hpp>
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

using chain_points_list = std::vector<budget_and_time>;

/// Stages of time 1, with values, gradients and tapes of size 1; the last has no output.
auto unit_chain(std::size_t stages) -> chain {
    chain of{.input = 1, .input_gradient = 1};
    of.stages.assign(stages, {1, 1, 1, 1, 0, {{.saved = 1}}});
    of.stages.back().output = of.stages.back().gradient = of.stages.back().tapes[0].saved = 0;
    return of;
}
/// Two stages and a loss of size 0. Stage 0 has a tape of 5, stage 1 one of 4 and a workspace of 2.
auto two_stage_chain() -> chain {
    return {.input = 2,
            .input_gradient = 2,
            .stages = {{3, 6, 3, 3, 0, {{.saved = 5, .backward_workspace = 1}}},
                       {1, 2, 1, 1, 2, {{.saved = 4, .forward_workspace = 2}}},
                       {0, 1, 0, 0, 0, {{}}}}};
}

/// All budgets of small chains up to where the curve is constant.
auto all_budgets(chain const& of) -> std::vector<bytes> {
    auto const last = bytes_to_keep_all(of, memory_test::published) + 2;
    std::vector<bytes> all;
    for (bytes b = 0; b <= last; ++b) all.push_back(b);
    return all;
}

/// Whether the plan of every budget replays, in the time of the curve (or less with a tolerance), and within the
/// budget, but for the published test.
auto plans_replay_as_promised(chain const& of, chain_frontier const& solved, bytes last,
                              memory_test test = memory_test::tight) -> bool {
    chain_dataflow const judge(of);
    for (bytes budget = 0; budget <= last; ++budget) {
        auto const time = solved.time_within(budget);
        auto const plan = solved.actions_within(budget);
        if (time.has_value() != plan.has_value()) return false;
        if (!plan) continue;
        auto const cost = judge.replay(*plan);
        if (test == memory_test::tight && cost.peak > budget) return false;
        if (solved.epsilon() > 0 ? cost.time > *time : cost.time != *time) return false;
    }
    return true;
}

auto refused_chain(chain const& of, std::initializer_list<std::string_view> words) -> bool {
    return support::throws<bad_weight>([&] { return solve_chain(of); }, words);
}

}  // namespace

TEST_CASE("chain: one stage", "[chain]") {
    chain const of{.input = 3, .input_gradient = 2, .stages = {{4, 5, 7, 6, 1, {{.saved = 9}}}}};
    // Backward: the input and both gradients beside the tape.
    CHECK(solve_chain(of).curve() == chain_points_list{{3 + 2 + 6 + 9, 9}});
    CHECK(solve_chain(of).actions_within(20) ==
          chain_actions{{chain_action::kind::save, 0, 0}, {chain_action::kind::backward, 0, 0}});
    CHECK_FALSE(solve_chain(of).time_within(19));
    CHECK_FALSE(solve_chain(of).actions_within(19));
}

TEST_CASE("chain: two stages and the loss, by hand", "[chain]") {
    auto const of = two_stage_chain();
    // All saved: 2 + 5 + 4, and at the loss the gradient of stage 1: 12; stage 1 runs with 2 + 5 + (4 + 2) = 13;
    // backward 2 + 5 + 4 + 1 + 3 = 15; stage 0 with 2 + 5 + 1 + 3 + 2 = 13.
    // Else stage 0 keeps its output only: backward of stage 1 takes 2 + 3 + 4 + 1 + 3 = 13.
    CHECK(solve_chain(of).curve() == chain_points_list{{13, 16}, {15, 13}});
    using kind = chain_action::kind;
    CHECK(solve_chain(of).actions_within(14) == chain_actions{{kind::forward, 0},
                                                              {kind::save, 1},
                                                              {kind::save, 2},
                                                              {kind::backward, 2},
                                                              {kind::backward, 1},
                                                              {kind::save, 0},
                                                              {kind::backward, 0}});
    CHECK(bytes_to_keep_all(of) == 15);
    CHECK(solve_chain(of, {.last_budget = 14}).curve() == chain_points_list{{13, 16}});
    CHECK(solve_chain(of, {.last_budget = 12}).curve().empty());
    CHECK(solve_chain(of, {.last_budget = 0}).curve().empty());
}

TEST_CASE("chain: a curve can be moved and assigned", "[chain]") {
    std::vector<chain_frontier> all;
    for (std::size_t stages = 2; stages < 9; ++stages) all.push_back(solve_chain(unit_chain(stages)));
    all.front() = solve_chain(unit_chain(12));
    for (auto const& solved : all) {
        auto const stages = &solved == &all.front() ? 12 : 2 + static_cast<std::size_t>(&solved - all.data());
        auto const least = solved.curve().front().budget;
        CHECK(solved.actions_within(least) == solve_chain(unit_chain(stages)).actions_within(least));
    }
}

TEST_CASE("chain: equal stages take the least time of binomial checkpointing", "[chain][paper]") {
    // Tapes are so large that only one fits at a time. A plan keeps the input and s - 1 checkpoints, and the input of
    // the stage that runs backward.
    for (std::size_t n = 1; n <= 14; ++n) {
        chain of{.input = 1, .input_gradient = 1};
        of.stages.assign(n, {1, 1, 1, 1, 0, {{.saved = 100}}});
        auto const solved = solve_chain(of);
        for (std::uint64_t s = 1; s < n; ++s) {
            CAPTURE(n, s);
            auto const advances = static_cast<std::int64_t>(binomial_bounds::least_advances(n, s));
            CHECK(solved.time_within(1 + static_cast<bytes>(s) + 100 + 2) ==
                  2 * static_cast<std::int64_t>(n) + advances);
        }
    }
}

TEST_CASE("chain: a stage may have several tapes", "[chain]") {
    auto of = two_stage_chain();
    of.stages[0].tapes.push_back({.saved = 3, .backward_workspace = 3, .extra_time = 1});
    // With the small tape: 2 + 3 + 4 + 1 + 3 = 13 as above, without rerunning stage 0, but for an extra time of 1.
    auto const solved = solve_chain(of);
    CHECK(solved.curve() == chain_points_list{{13, 14}, {15, 13}});
    CHECK(solved.actions_within(13)->front() == chain_action{chain_action::kind::save, 0, 1});
    CHECK(bytes_to_keep_all(of) == 15);
}

TEST_CASE("chain: a forward run with a tape may need fewer bytes than one without", "[chain]") {
    chain of{.input = 1,
             .input_gradient = 1,
             .stages = {{1, 1, 1, 1, 50, {{.saved = 9}}}, {1, 1, 1, 1, 0, {{.saved = 9}}}, {0, 0, 0, 0, 0, {{}}}}};
    auto const solved = solve_chain(of);
    CHECK(solved.curve().front().budget < 50);
    CHECK(plans_replay_as_promised(of, solved, 30));
}

TEST_CASE("chain: the input of the last stage may be dropped, too", "[chain]") {
    chain const of{.stages = {{1, 1, 1, 1, 0, {{.saved = 2, .forward_workspace = 1}}},
                              {1, 1, 0, 0, 0, {{.saved = 0, .forward_workspace = 2}}}}};
    // All saved: stage 1 runs beside the tape of stage 0, with 2 + 2 = 4. Else the gradient of stage 1's input waits
    // while stage 0 runs again: 1 + 2 + 1 = 4.
    CHECK(solve_chain(of).curve() == chain_points_list{{4, 4}});
    // Stage 1 runs beside its input, with 1 + 2 = 3; then stage 0 runs again, before there is a gradient: 2 + 1 = 3;
    // stage 1 runs backward with 2 + 1 = 3.
    auto const dropping = solve_chain(of, {.drop_saved_inputs = true});
    CHECK(dropping.curve() == chain_points_list{{3, 5}, {4, 4}});
    using kind = chain_action::kind;
    CHECK(
        dropping.actions_within(3) ==
        chain_actions{{kind::forward, 0}, {kind::save, 1}, {kind::save, 0}, {kind::backward, 1}, {kind::backward, 0}});
    CHECK(plans_replay_as_promised(of, dropping, 5));
}

TEST_CASE("chain: long chains have the curves of short ones, also where one step needs the most bytes", "[chain]") {
    for (std::size_t const n : {99U, 100U, 150U})  // from 100 stages on splits are pruned by cells
        for (bool const drop : {false, true}) {
            CAPTURE(n, drop);
            chain of;
            of.stages.assign(n, {1, 1, 0, 0, 0, {{.saved = 0}}});
            of.stages[n - 1].gradient = 1000;
            of.stages[n - 2].workspace = 1000;
            of.stages[n - 2].tapes = {{.saved = 0, .forward_workspace = 1000}};
            auto const time = 2 * static_cast<std::int64_t>(n);
            CHECK(solve_chain(of, {.drop_saved_inputs = drop}).curve() == chain_points_list{{2000, time}});
            of.stages[n - 2].tapes.push_back({.saved = 0, .extra_time = 5});
            CHECK(solve_chain(of, {.drop_saved_inputs = drop}).time_within(2000) == time);
        }
}

TEST_CASE("chain: stages of no bytes and no time behind the others change nothing", "[chain][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto of = support::random_chain(random, {.stages = 1 + support::below(random, 8), .most_tapes = 2});
        of.stages.back().output = of.stages.back().gradient = 0;
        chain_options const options{.drop_saved_inputs = support::chance(random, 50)};
        auto const curve = solve_chain(of, options).curve();
        of.stages.insert(of.stages.end(), 102, {0, 0, 0, 0, 0, {{}}});
        RC_ASSERT(solve_chain(of, options).curve() == curve);
    }));
}

TEST_CASE("chain: the least times are those of all persistent schedules", "[chain][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        bool const several = support::chance(random, 40);
        auto const of = support::random_chain(random, {.stages = 1 + support::below(random, several ? 4 : 5),
                                                       .most_tapes = several ? 2U : 1U,
                                                       .negative = support::chance(random, 30),
                                                       .alike = support::chance(random, 30)});
        for (bool const drop : {false, true}) {
            auto const solved = solve_chain(of, {.drop_saved_inputs = drop});
            auto const last = bytes_to_keep_all(of);
            for (auto budget = last; budget >= 0; budget -= 1 + bytes(support::below(random, 3))) {
                auto const least = support::brute_persistent::least_time(
                    of, budget, drop, drop ? support::forward_runs::nested : support::forward_runs::any);
                RC_ASSERT(solved.time_within(budget) == least);
                if (!least) break;
            }
        }
    }));
}

TEST_CASE("chain: every plan replays within its budget, in the time of the curve", "[chain][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const of = support::random_chain(random, {.stages = 1 + support::below(random, 7),
                                                       .most_tapes = 1 + support::below(random, 2),
                                                       .alike = support::chance(random, 30)});
        auto const last = bytes_to_keep_all(of, memory_test::published) + 1;
        for (auto const test : {memory_test::tight, memory_test::published})
            for (bool const drop : {false, true}) {
                auto const exact = solve_chain(of, {.test = test, .drop_saved_inputs = drop});
                RC_ASSERT(plans_replay_as_promised(of, exact, last, test));
                auto const some = solve_chain(of, {.test = test, .drop_saved_inputs = drop, .epsilon = 0.3});
                RC_ASSERT(plans_replay_as_promised(of, some, last, test));
            }
    }));
}

TEST_CASE("chain: discarded inputs never increase the time, and a budget only ends the curve", "[chain][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const of =
            support::random_chain(random, {.stages = 1 + support::below(random, 9), .negative = true, .alike = true});
        auto const tight = solve_chain(of);
        auto const dropping = solve_chain(of, {.drop_saved_inputs = true});
        auto const few = bytes(support::below(random, 40));
        auto const bounded = solve_chain(of, {.last_budget = few});
        for (auto const budget : all_budgets(of)) {
            auto const time = tight.time_within(budget);
            if (time) RC_ASSERT(dropping.time_within(budget).value() <= *time);
            RC_ASSERT(tight.lower_bound(budget) == time);
            RC_ASSERT(bounded.time_within(budget) == tight.time_within(std::min(few, budget)));
        }
        RC_ASSERT(tight.epsilon() == 0);
    }));
}

TEST_CASE("chain: the published test is the stricter one where there are no workspaces", "[chain][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const of = support::random_chain(
            random, {.stages = 1 + support::below(random, 9), .workspaces = false, .same_gradients = true});
        auto const tight = solve_chain(of);
        auto const published = solve_chain(of, {.test = memory_test::published});
        for (auto const& [budget, time] : published.curve()) RC_ASSERT(tight.time_within(budget).value() <= time);
        RC_ASSERT(plans_replay_as_promised(of, published, bytes_to_keep_all(of, memory_test::published)));
    }));
    // Where workspaces are large, a plan may peak above its budget: stage 0 runs beside a gradient of 5, not of 1.
    chain const of{.input = 3,
                   .input_gradient = 2,
                   .stages = {{4, 1, 5, 0, 0, {{.saved = 5, .forward_workspace = 4}}},
                              {5, 6, 1, 1, 2, {{.saved = 1, .forward_workspace = 2}}},
                              {1, 9, 0, 1, 4, {{.saved = 3, .forward_workspace = 1}}}}};
    auto const plan = solve_chain(of, {.test = memory_test::published}).actions_within(12);
    CHECK(chain_dataflow(of).replay(plan.value()).peak == 13);
}

TEST_CASE("chain: with a tolerance the curve and its lower bound enclose the least times", "[chain][property]") {
    std::size_t rounded = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const of = support::random_chain(random, {.stages = 2 + support::below(random, 12), .most_size = 30});
        auto const exact = solve_chain(of);
        for (double const epsilon : {0.001, 0.05, 0.5, 3.0}) {
            // Curves are rounded where the exact ones take too much work.
            std::optional<chain_frontier> solved;
            for (std::size_t work = 30 + support::below(random, 600); !solved; work *= 2) try {
                    solved = solve_chain(of, {.epsilon = epsilon, .limits = {.work = work}});
                } catch (limit_reached const&) {
                }
            auto const& some = *solved;
            rounded += some.epsilon() > 0 ? 1U : 0U;
            RC_ASSERT(some.epsilon() <= epsilon);
            RC_ASSERT(some.curve().size() <= exact.curve().size());
            for (auto const budget : all_budgets(of)) {
                auto const least = exact.time_within(budget);
                RC_ASSERT(some.time_within(budget).has_value() == least.has_value());
                if (!least) continue;
                RC_ASSERT(some.lower_bound(budget).value() <= *least);
                auto const time = some.time_within(budget).value();
                RC_ASSERT(time >= *least);
                RC_ASSERT(double(time) <= double(*least) * (1 + some.epsilon()) + 1e-9);
            }
        }
    }));
    CHECK(rounded > 0);
}

TEST_CASE("chain: the bytes to keep all are where the curve ends", "[chain][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto of = support::random_chain(
            random,
            {.stages = 1 + support::below(random, 9), .most_tapes = 1 + support::below(random, 3), .negative = true});
        for (auto& s : of.stages) s.forward_time += 1;
        for (auto const test : {memory_test::tight, memory_test::published})
            for (bool const drop : {false, true}) {
                auto const solved = solve_chain(of, {.test = test, .drop_saved_inputs = drop});
                RC_ASSERT(bytes_to_keep_all(of, test) == solved.curve().back().budget);
            }
    }));
}

TEST_CASE("chain: very large sizes and times", "[chain]") {
    auto of = two_stage_chain();
    constexpr bytes huge = bytes{1} << 56;
    of.input *= huge, of.input_gradient *= huge;
    for (auto& s : of.stages) {
        s.output *= huge, s.gradient *= huge, s.workspace *= huge;
        s.forward_time *= huge, s.backward_time *= huge;
        s.tapes[0].saved *= huge;
        s.tapes[0].forward_workspace *= huge, s.tapes[0].backward_workspace *= huge;
    }
    CHECK(solve_chain(of).curve() == chain_points_list{{13 * huge, 16 * huge}, {15 * huge, 13 * huge}});
    CHECK(bytes_to_keep_all(of) == 15 * huge);
}

TEST_CASE("chain: invalid chains and options are refused by name", "[chain]") {
    auto const with = [](auto&& change) {
        auto of = two_stage_chain();
        change(of);
        return of;
    };
    CHECK(support::throws<bad_graph>([] { return solve_chain(chain{}); }, {"no stage"}));
    CHECK(support::throws<bad_graph>([&] { return solve_chain(with([](auto& c) { c.stages[1].tapes.clear(); })); },
                                     {"stage 1", "no tape"}));
    CHECK(refused_chain(with([](auto& c) { c.input = -1; }), {"the input of a chain", "negative", "-1"}));
    CHECK(refused_chain(with([](auto& c) { c.input_gradient = -1; }), {"input's gradient", "-1"}));
    CHECK(refused_chain(with([](auto& c) { c.stages[1].forward_time = -4; }), {"stage 1", "forward time", "-4"}));
    CHECK(refused_chain(with([](auto& c) { c.stages[1].backward_time = -4; }), {"stage 1", "backward time", "-4"}));
    CHECK(refused_chain(with([](auto& c) { c.stages[0].output = -4; }), {"stage 0", "output's size", "-4"}));
    CHECK(refused_chain(with([](auto& c) { c.stages[0].gradient = -4; }), {"stage 0", "gradient's size", "-4"}));
    CHECK(refused_chain(with([](auto& c) { c.stages[0].tapes[0].extra_time = -4; }), {"stage 0", "extra", "-4"}));
    CHECK(refused_chain(with([](auto& c) { c.stages[0].tapes[0].saved = 2; }), {"stage 0 saves 2", "output is 3"}));
    CHECK(refused_chain(with([](auto& c) { c.stages[0].tapes[0].forward_workspace = -6; }), {"stage 0", "-6"}));
    CHECK(refused_chain(with([](auto& c) { c.stages[0].tapes[0].backward_workspace = -11; }), {"stage 0", "-11"}));
    CHECK(refused_chain(with([](auto& c) { c.stages[1].workspace = -2; }), {"stage 1", "workspace", "-2"}));
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    for (auto const value : {most, -most - 1})
        for (auto const size : {&stage_tape::forward_workspace, &stage_tape::backward_workspace})
            CHECK_THROWS_AS(solve_chain(with([&](auto& c) { c.stages[0].tapes[0].*size = value; })), bad_weight);
    CHECK(refused_chain(with([](auto& c) { c.stages[1].forward_time = most; }), {"times", "overflow"}));
    auto const long_stage = with([](auto& c) { c.stages[1].forward_time = most / 4; });
    CHECK_NOTHROW(solve_chain(long_stage));
    CHECK(support::throws<bad_weight>([&] { return solve_chain(long_stage, {.drop_saved_inputs = true}); },
                                      {"times with saved inputs discarded", "overflow"}));
    CHECK(refused_chain(with([](auto& c) { c.stages[1].output = c.stages[1].tapes[0].saved = most; }),
                        {"bytes", "overflow"}));
    CHECK(refused_chain(with([](auto& c) { c.stages[1].workspace = most; }), {"bytes", "overflow"}));
    CHECK(support::throws<bad_weight>([] { return solve_chain(two_stage_chain(), {.last_budget = -1}); },
                                      {"budget", "-1"}));
    CHECK(support::throws<bad_weight>([] { return solve_chain(two_stage_chain(), {.epsilon = -0.5}); },
                                      {"epsilon", "-0.5"}));
    CHECK_THROWS_AS(solve_chain(two_stage_chain(), {.epsilon = std::numeric_limits<double>::quiet_NaN()}), bad_weight);
    CHECK(support::throws<limit_reached>([] { return solve_chain(unit_chain(30), {.limits = {.work = 5}}); },
                                         {"more than 5 points"}));
    CHECK_THROWS_AS(bytes_to_keep_all(chain{}), bad_graph);
}

TEST_CASE("a chain whose table of parts would fill the memory is refused before", "[chain]") {
    for (std::size_t const stages : {20'000U, 100'000U}) {
        CHECK(support::throws<bad_weight>([&] { return solve_chain(unit_chain(stages)); },
                                          {"stages", std::to_string(stages), "GiB"}));
        CHECK(support::throws<bad_weight>(
            [&] { return solve_chain(unit_chain(stages), {.slots = 10, .last_budget = 100}); },
            {"stages", std::to_string(stages), "GiB"}));
    }
}
