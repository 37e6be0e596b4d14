// Covers traces/stochastic_depth.hpp, traces/shortened_schedule.hpp.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/traces/greedy_swaps.hpp>
#include <repebble/traces/shortened_schedule.hpp>
#include <repebble/traces/stochastic_depth.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"
#include "traces/hand_traces.hpp"
#include "traces/residual_network.hpp"

using namespace repebble;

TEST_CASE("point 29: the plan of the full network fits under every subset of dropped blocks", "[stochastic_depth]") {
    support::residual_network const net(5);
    auto const& p = *net.problem;
    for (auto const percent : {55, 70, 85})
        for (auto const& link : {host_link{.size = 1, .time = 1}, {.size = 1, .time = 8}}) {
            swap_options const options{.limit = p.peak() * percent / 100, .link = link};
            auto const full = greedy_swaps(p, options);
            if (!full.result.feasible) continue;
            auto const nothing = without_computations(p, full.plan, net.dropped(0), options);
            CHECK(nothing.trace == p.iteration());
            CHECK(nothing.plan == full.plan);
            CHECK(nothing.result == full.result);
            for (std::uint32_t subset = 1; subset < 32; ++subset) {
                auto const r = without_computations(p, full.plan, net.dropped(subset), options);
                CHECK_NOTHROW(check_trace(r.trace));
                CHECK(r.trace.duration < p.iteration().duration);
                CHECK(r.result.feasible);
                CHECK(r.result.peak <= options.limit);
            }
        }
}

TEST_CASE("a block that is dropped takes no time and its values no memory", "[stochastic_depth]") {
    support::residual_network const net(2);
    auto const& p = *net.problem;
    auto const r = without_computations(p, p.keep_all(), net.dropped(1), {.limit = p.peak()});
    // Two layers of time 20 forward and 40 backward.
    CHECK(r.trace.duration == p.iteration().duration - 120);
    CHECK(r.result.overhead == 0);
    CHECK(peak_of(r.trace) < p.peak());
    for (std::size_t row = 0; row < r.trace.rows.size(); ++row) {
        CHECK(r.trace.rows[row].what == p.iteration().rows[r.row_of[row]].what);
        CHECK(r.trace.rows[row].variable == p.iteration().rows[r.row_of[row]].variable);
    }
}

TEST_CASE("a parameter that is on the host and not used stays there", "[stochastic_depth]") {
    support::trace_by_hand t;
    auto const w = t.variable(8), x = t.variable(8);
    t.compute({w}, {});
    t.malloc(x);
    t.compute({}, {x});
    t.free(x);
    swap_problem const p(t.finish());
    REQUIRE(p.intervals().size() == 1);
    swap_options const options{.limit = 8, .link = {.size = 8, .time = 1}};
    swap_plan const plan{swap_choice::offload};
    CHECK(simulate_swaps(p, plan, options).feasible);
    auto const r = without_computations(p, plan, {true, false}, options);
    CHECK(r.result.feasible);
    CHECK(r.trace.sizes[w] == 0);
    CHECK(support::throws<bad_option>([&] { return without_computations(p, plan, {true}, options); }, {"1 answers"}));
}

TEST_CASE("where the full plan fits, it fits whatever is dropped", "[stochastic_depth][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        swap_problem const p(support::random_trace(random, 10));
        auto const plan = support::random_plan(random, p);
        auto options = support::random_swap_options(random, p);
        options.limit = simulate_swaps(p, plan, options).least_limit;
        std::vector<bool> is_dropped;
        auto const percent = support::below(random, 101);
        for (std::size_t c = 0; c < p.iteration().computations.size(); ++c)
            is_dropped.push_back(support::chance(random, percent));
        auto const r = without_computations(p, plan, is_dropped, options);
        check_trace(r.trace);
        RC_ASSERT(r.result.feasible);
        RC_ASSERT(r.trace.duration <= p.iteration().duration);
    }));
}

TEST_CASE("a plan of the automatic planner is legal for each of 256 subsets of dropped blocks", "[shortened_schedule]") {
    support::residual_network const net(8);
    auto const& p = *net.problem;
    auto const traced = make_traced_dataflow(p);
    host_link const link{.size = 1, .time = 2};
    auto const limit = p.peak() * 60 / 100;
    auto const found = plan(traced.flow, limit, {.limits = {.work = 2'000}, .link = link});
    REQUIRE(found.plan);
    CHECK(found.plan->cost.bytes_out > 0);
    for (std::uint32_t subset = 0; subset < 256; ++subset) {
        CAPTURE(subset);
        auto const shorter = without_computations(p, p.keep_all(), net.dropped(subset), {.limit = p.peak()});
        auto const there = make_traced_dataflow(swap_problem(shorter.trace));
        auto const steps = make_shortened_schedule(p, traced, found.plan->schedule, shorter, there);
        auto const cost = replay(there.flow, steps, {}, lanes_clock(link));
        CHECK(cost.peak <= limit);
        CHECK(cost.time <= found.plan->cost.time);
        if (subset == 0) CHECK(steps == found.plan->schedule);
    }
}
