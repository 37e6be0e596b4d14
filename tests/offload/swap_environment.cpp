// Covers offload/swap_environment.hpp.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <rapidcheck.h>

#include <repebble/offload/swap_environment.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "traces/hand_traces.hpp"

using namespace repebble;

namespace {

using nodes = std::vector<std::size_t>;

/// Walks to a node by doing nothing.
void walk_to(swap_environment& env, std::size_t node) {
    while (env.current() < node) static_cast<void>(env.act(0));
}

}  // namespace

TEST_CASE("point 8: of a variable's intervals the longest has the row that is left to remove it",
          "[swap_environment]") {
    support::trace_by_hand t;
    auto const x0 = t.variable(100), x1 = t.variable(100), loss = t.variable(0);
    t.malloc(loss);
    t.malloc(x0);
    t.compute({}, {x0});  // row 2, and 4 and 7: two intervals, and row 1 only for removals
    t.malloc(x1);
    t.compute({x0}, {x1});
    t.compute({x1}, {loss});
    t.compute({x0}, {loss});
    auto const is_long = [](reuse_interval const& i) { return i.last_use == 4; };
    swap_problem const p(t.finish());
    swap_environment const env(p, {.limit = 1000, .link = support::figure_4_link});
    auto const& intervals = p.intervals();
    auto const found = static_cast<std::size_t>(std::ranges::find_if(intervals, is_long) - intervals.begin());
    REQUIRE(found < intervals.size());
    CHECK(std::ranges::count(intervals, x0, &reuse_interval::variable) == 2);
    CHECK(env.plan_of({1}).at(found) == swap_choice::remove);
}

TEST_CASE("figure 4: in node 3 the agent may do nothing, remove X0 or offload X0", "[swap_environment]") {
    swap_problem const p(support::figure_4());
    swap_environment env(p, {.limit = 199, .link = support::figure_4_link});
    CHECK(env.current() == 3);  // it passes the rows without a choice (point 26)
    CHECK(env.valid_actions() == nodes{0, 2, 3});
    CHECK(env.act(0) == 0);
    CHECK(env.current() == 4);
    CHECK(env.valid_actions() == nodes{2, 3});  // X1 does not fit: "nothing" is no action any more (point 11)
    env.reset();
    CHECK(env.act(2) == -100);  // point 7: computing X0 again
    CHECK(env.terminal());
    CHECK(env.feasible());
}

TEST_CASE("point 10, figure 4: after offloading the agent is in node 5, at the memory limit in node 4",
          "[swap_environment]") {
    // A second variable that is far too large, at the end, keeps the agent from being done.
    auto t = support::figure_4();
    t.sizes.push_back(1000);
    t.rows.push_back({1000, support::what::malloc, 3});
    t.rows.push_back({1100, support::what::free, 3});
    t.duration = 1200;
    swap_problem const p(t);
    swap_agent_options const every_row{.skip_rows = false};
    swap_environment roomy(p, {.limit = 200, .link = support::figure_4_link}, every_row);
    walk_to(roomy, 3);
    CHECK(roomy.act(3) == 0);
    CHECK(roomy.current() == 5);
    CHECK(roomy.result().row_begin[5] == 500);
    swap_environment tight(p, {.limit = 100, .link = support::figure_4_link}, every_row);
    walk_to(tight, 3);
    CHECK(tight.act(3) == -100);
    CHECK(tight.current() == 4);
    CHECK(tight.result().row_begin[4] == 450);
    for (auto const action : {std::size_t{0}, std::size_t{2}}) {
        swap_environment env(p, {.limit = 100, .link = support::figure_4_link}, every_row);
        walk_to(env, 3);
        env.act(action);
        CHECK(env.current() == 4);
    }
}

TEST_CASE("point 19: a dead end costs twice the iteration, and its plan does not fit", "[swap_environment]") {
    swap_problem const p(support::figure_4());
    swap_environment env(p, {.limit = 99, .link = support::figure_4_link});
    CHECK(env.terminal());  // X0 itself does not fit
    CHECK(!env.feasible());
    auto t = support::figure_4();
    t.sizes[1] = 300;
    swap_problem const large(t);
    swap_environment too_large(large, {.limit = 200, .link = support::figure_4_link});
    auto const reward = too_large.act(3);
    CHECK(too_large.terminal());
    CHECK(!too_large.feasible());
    CHECK(reward == -too_large.result().overhead - 2 * too_large.time_once());
}

TEST_CASE("point 20: where all fits, the first state is terminal", "[swap_environment]") {
    swap_problem const p(support::figure_4());
    swap_environment const env(p, {.limit = 200});
    CHECK(env.terminal());
    CHECK(env.feasible());
    CHECK(env.result().overhead == 0);
}

TEST_CASE("points 5, 6: features are size, times of copy and of computing, next use, action and validity",
          "[swap_environment]") {
    swap_problem const p(support::figure_4());
    swap_environment const env(p, {.limit = 199, .link = support::figure_4_link});
    CHECK(env.features(3) == node_features{100, 150, 100, 500, 1, 1});
    CHECK(env.features(2) == node_features{100, 150, 100, 100, 2, 1});
    CHECK(env.features(9) == node_features{100, 150, 100, 1000, 0, 0});  // point 6: no row after it
    CHECK(env.features(4) == node_features{100, 150, 0, 100, 0, 0});
    CHECK(env.variable(3) == 0U);
    CHECK(env.begin(3) == 300);
    CHECK(env.time_once() == 1000);
}

TEST_CASE("point 8: no node stands for two actions, and node 0 for none", "[swap_environment][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        swap_problem const p(support::random_trace(random, 10));
        RC_PRE(p.row_count() > 0U);
        swap_environment const env(p, support::random_swap_options(random, p));
        std::size_t offloads = 0, removes = 0, removable = 0;
        for (std::size_t v = 0; v < env.node_count(); ++v) {
            auto const action = env.features(v)[node_feature::action];
            offloads += action == 1 ? 1U : 0U;
            removes += action == 2 ? 1U : 0U;
        }
        for (auto const& i : p.intervals()) removable += i.is_removable ? 1U : 0U;
        RC_ASSERT(env.features(0)[node_feature::action] == 0);
        RC_ASSERT(offloads + 1 >= p.intervals().size());
        RC_ASSERT(removes <= removable);
    }));
}

TEST_CASE("point 18: rewards sum to minus the overhead, exactly, in every episode", "[swap_environment][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        swap_problem const p(support::random_trace(random, 10));
        RC_PRE(p.row_count() > 0U);
        auto const options = support::random_swap_options(random, p);
        swap_environment env(p, options,
                             {.only_helpful = support::chance(random, 50), .skip_rows = support::chance(random, 50)});
        for (int episode = 0; episode < 3; ++episode) {
            env.reset();
            bool const was_over = env.terminal();
            std::int64_t sum = 0;
            std::size_t steps = 0;
            while (!env.terminal()) {
                auto const before = env.current();
                auto const action = support::pick(random, env.valid_actions());
                RC_ASSERT(action == 0U || env.features(action)[node_feature::valid] == 1);
                sum += env.act(action);
                RC_ASSERT(env.current() >= before);
                RC_ASSERT(++steps <= env.node_count() + 2 * p.intervals().size());
            }
            auto plain = options;
            plain.timeline = false;
            RC_ASSERT(env.result() == simulate_swaps(p, env.plan(), plain));
            RC_ASSERT(env.feasible() == env.result().feasible);
            bool const dead_end = !env.feasible() && !was_over;
            RC_ASSERT(sum == -env.result().overhead - (dead_end ? 2 * env.time_once() : 0));
        }
    }));
}
