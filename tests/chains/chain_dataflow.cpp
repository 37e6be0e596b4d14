// Covers chains/chain.hpp, chains/chain_action.hpp, chains/chain_dataflow.hpp, chains/bytes_to_keep_all.hpp.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include <rapidcheck.h>

#include <repebble/chains/bytes_to_keep_all.hpp>
#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_action.hpp>
#include <repebble/chains/chain_dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pebbling/replay.hpp>

#include "chains/random_chain.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

using run = chain_action::kind;

/// Two stages and a loss of size 0. Stage 0 has tapes of 5, and of 3 with an extra time of 1; stage 1 has one of 4 and
/// a workspace of 2.
auto flow_chain() -> chain {
    return {.input = 2,
            .input_gradient = 2,
            .stages = {{3, 6, 3, 3, 0, {{.saved = 5, .backward_workspace = 1}, {.saved = 3, .extra_time = 1}}},
                       {1, 2, 1, 1, 2, {{.saved = 4, .forward_workspace = 2}}},
                       {0, 1, 0, 0, 0, {{}}}}};
}
auto keep_all_actions(std::size_t stages) -> chain_actions {
    chain_actions all;
    for (std::uint32_t i = 0; i < stages; ++i) all.push_back({run::save, i});
    for (auto i = static_cast<std::uint32_t>(stages); i-- > 0;) all.push_back({run::backward, i});
    return all;
}

}  // namespace

TEST_CASE("chain flow: time and peak of plans, by hand", "[chain]") {
    chain_dataflow const judge(flow_chain());
    auto const all = judge.replay(keep_all_actions(3));
    CHECK(all.time == 13);
    CHECK(all.peak == 15);  // backward of stage 1: 2 + 5 + 4 and the gradients, 1 + 3
    auto const little = judge.replay({{run::save, 0, 1},
                                      {run::save, 1},
                                      {run::save, 2},
                                      {run::backward, 2},
                                      {run::backward, 1},
                                      {run::backward, 0, 1}});
    CHECK(little.time == 14);
    CHECK(little.peak == 13);
    auto const again = judge.replay({{run::forward, 0},
                                     {run::save, 1},
                                     {run::save, 2},
                                     {run::backward, 2},
                                     {run::backward, 1},
                                     {run::save, 0},
                                     {run::backward, 0}});
    CHECK(again.time == 16);
    CHECK(again.peak == 13);
}

TEST_CASE("chain flow: a workspace counts during its run only", "[chain]") {
    auto of = flow_chain();
    of.stages[0].tapes[0].backward_workspace = 100;
    CHECK(chain_dataflow(of).replay(keep_all_actions(3)).peak == 2 + 5 + 3 + 2 + 100);
    of.stages[1].tapes[0].forward_workspace = 200;
    CHECK(chain_dataflow(of).replay(keep_all_actions(3)).peak == 2 + 5 + 4 + 200);
    of.stages[1].workspace = 300;
    CHECK(chain_dataflow(of).replay(keep_all_actions(3)).peak == 2 + 5 + 4 + 200);
    auto more = keep_all_actions(3);
    more.insert(more.begin() + 1, {run::forward, 1});
    CHECK(chain_dataflow(of).replay(more).peak == 2 + 5 + 1 + 300);
}

TEST_CASE("chain flow: keeping all peaks at the bytes to keep all", "[chain][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto of = support::random_chain(random, {.stages = 1 + support::below(random, 12)});
        of.stages.back().gradient = 0;  // no run produces it
        auto const cost = chain_dataflow(of).replay(keep_all_actions(of.stages.size()));
        RC_ASSERT(cost.peak == bytes_to_keep_all(of));
        std::int64_t time = 0;
        for (auto const& s : of.stages) time += s.forward_time + s.backward_time;
        RC_ASSERT(cost.time == time);
    }));
}

TEST_CASE("chain flow: runs that are no plan are refused", "[chain]") {
    chain_dataflow const judge(flow_chain());
    auto const refused = [&](chain_actions const& actions) {
        return support::throws<illegal_schedule>([&] { return judge.replay(actions); }, {});
    };
    auto const all = keep_all_actions(3);
    for (std::size_t k = 0; k < all.size(); ++k) {
        auto without = all;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(k));
        CAPTURE(k);
        CHECK(refused(without));
    }
    CHECK(refused({}));
    auto only_forward = all;
    only_forward[0].what = run::forward;
    CHECK(refused(only_forward));
    auto other_tape = all;
    other_tape[0].tape = 1;
    CHECK(refused(other_tape));
}

TEST_CASE("chain flow: unknown stages and tapes, and chains without a dataflow, are refused", "[chain]") {
    chain_dataflow const judge(flow_chain());
    CHECK(support::throws<bad_graph>([&] { return judge.replay({{run::save, 3}}); }, {"stage 3", "tape 0"}));
    CHECK(support::throws<bad_graph>([&] { return judge.replay({{run::save, 1, 1}}); }, {"stage 1", "tape 1"}));
    CHECK(support::throws<bad_graph>([&] { return judge.replay({{run::backward, 0, 2}}); }, {"stage 0", "tape 2"}));
    auto const with = [](auto&& change) {
        auto of = flow_chain();
        change(of);
        return of;
    };
    auto const refused = [](chain const& of, std::initializer_list<std::string_view> words) {
        return support::throws<bad_weight>([&] { return chain_dataflow(of); }, words);
    };
    CHECK(refused(with([](auto& c) { c.stages[1].workspace = -1; }), {"stage 1", "negative workspace", "-1"}));
    CHECK(refused(with([](auto& c) { c.stages[0].tapes[0].forward_workspace = -2; }), {"stage 0", "-2"}));
    CHECK(refused(with([](auto& c) { c.stages[0].tapes[0].backward_workspace = -3; }), {"stage 0", "-3"}));
    CHECK(refused(with([](auto& c) { c.stages[0].tapes[1].saved = 2; }), {"stage 0 saves 2"}));
    CHECK(support::throws<bad_graph>([] { return chain_dataflow(chain{}); }, {"no stage"}));
}
