// Covers traces/traced_dataflow.hpp, traces/swap_schedule.hpp, traces/with_views.hpp.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/traces/greedy_swaps.hpp>
#include <repebble/traces/kmeans_trace.hpp>
#include <repebble/traces/swap_schedule.hpp>
#include <repebble/traces/trace_of.hpp>
#include <repebble/traces/with_views.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "traces/hand_traces.hpp"

using namespace repebble;

namespace {

using choice = swap_choice;
using what = trace_action;

auto judged(swap_problem const& p, swap_plan const& plan, swap_options const& options) -> replay_result {
    auto const traced = make_traced_dataflow(p);
    return replay(traced.flow, make_swap_schedule(p, traced, plan, options), {}, lanes_clock(options.link));
}

/// One computation writes variable 0, which a second reads much later; between them a third needs all the room.
auto far_use(bytes small = 10, bytes large = 30) -> trace {
    return {.rows = {{0, what::malloc, 0},
                     {0, what::write, 0, 0},
                     {10, what::malloc, 1},
                     {10, what::write, 1, 1},
                     {40, what::free, 1},
                     {40, what::read, 0, 2},
                     {50, what::free, 0}},
            .sizes = {small, large},
            .computations = std::vector<trace_computation>(3),
            .duration = 50};
}

}  // namespace

TEST_CASE("a trace as a dataflow: computations, what a variable holds, idle time", "[traced_dataflow]") {
    // Variable 0 is there from the beginning, read, written over and read again; 1 is workspace of computation 1; 2 is
    // memory that nobody touches for longer than a computation.
    trace t{.rows = {{2, what::malloc, 2},
                     {2, what::read, 0, 0},
                     {5, what::malloc, 1},
                     {5, what::write, 0, 1},
                     {7, what::free, 1},
                     {9, what::free, 2},
                     {9, what::read, 0, 2}},
            .sizes = {8, 3, 5},
            .computations = {{}, {1, false}, {}},
            .duration = 12};
    auto const traced = make_traced_dataflow(swap_problem(t));
    auto const& flow = traced.flow;
    auto const c = traced.operations;
    CHECK(traced.variables == std::vector<variable_index>{0, 2, 0});
    CHECK(flow.is_input(0));
    CHECK(flow.results().size() == 1);
    CHECK(flow.is_result(2));
    CHECK(std::ranges::equal(flow.reads(c[0]), std::vector<value_index>{0}));
    CHECK(std::ranges::equal(flow.reads(c[1]), std::vector<value_index>{0, 1}));  // until the last of them
    CHECK(flow.mutations(c[1]).size() == 1);
    CHECK(flow.workspace(c[1]) == 3);
    CHECK(!flow.recomputable(c[1]));
    CHECK(std::ranges::equal(flow.reads(c[2]), std::vector<value_index>{2}));
    CHECK(flow.time(traced.idle[0]) == 2);
    CHECK(traced.idle[1] == no_operation);
    CHECK(flow.time(traced.idle[2]) == 2);
    CHECK(flow.time_once() == 12);
    CHECK(judged(swap_problem(t), swap_problem(t).keep_all(), {.limit = 100}).time == 12);
}

TEST_CASE("memory that nobody touches counts while it is there: the peak is that of the trace", "[traced_dataflow]") {
    for (bytes const scratch : {3000, 4000, 6000}) {  // twice, before the output has memory
        support::trace_by_hand t;
        auto const a = t.variable(1000), s = t.variable(scratch), b = t.variable(4000);
        t.malloc(a);
        t.compute({}, {a});
        t.compute({a}, {b}, true, [&] {
            for (int k = 0; k < 2; ++k) {
                t.malloc(s);
                t.free(s);
            }
            t.malloc(b);
        });
        t.free(b);
        swap_problem const problem(t.finish());
        auto const traced = make_traced_dataflow(problem);
        CHECK(problem.peak() == 1000 + std::max<bytes>(scratch, 4000));
        CHECK(replay(traced.flow, make_schedule(traced.flow)).peak == problem.peak());
    }
}

TEST_CASE("an offload as a schedule: out when it is written, back when there is room", "[swap_schedule]") {
    swap_problem const p(far_use());
    swap_options const options{.limit = 30, .link = {.size = 10, .time = 4}};
    auto const cost = judged(p, {choice::offload}, options);
    CHECK(cost.peak == 30);
    CHECK(cost.time == 50 + 4 + 4);  // the large variable waits for the copy out, the read for the copy in
    CHECK(cost.bytes_out == 10);
    CHECK(cost.bytes_in == 10);
    CHECK(cost.recomputations == 0);
}

TEST_CASE("a removal as a schedule: the computation runs again", "[swap_schedule]") {
    swap_problem const p(far_use());
    auto const cost = judged(p, {choice::remove}, {.limit = 30});
    CHECK(cost.peak == 30);
    CHECK(cost.time == 50 + 10);
    CHECK(cost.recomputations == 1);
}

TEST_CASE("a variable that is used before it has left is not copied", "[swap_schedule]") {
    swap_problem const p(far_use());
    auto const cost = judged(p, {choice::offload}, {.limit = 40, .link = {.size = 10, .time = 100}});
    CHECK(cost.time == 50);
    CHECK(cost.bytes_out == 0);
}

TEST_CASE("memory that nobody touches between computations, or behind all, is in the peak", "[traced_dataflow]") {
    using enum trace_action;
    auto const peak_of = [](trace t) {
        swap_problem const p(std::move(t));
        auto const kept = judged(p, p.keep_all(), {.limit = p.peak()});
        CHECK(kept.peak == p.peak());
        return kept.peak;
    };
    // Two computations write 2 bytes each, one after the other.
    std::vector<trace_row> const first{{1, malloc, 0}, {1, write, 0, 0}, {2, free, 0}};
    std::vector<trace_row> const second{{6, malloc, 1}, {6, write, 1, 1}, {7, free, 1}};
    std::vector<trace_row> const untouched{{3, malloc, 2}, {5, free, 2}}, behind{{8, malloc, 2}, {9, free, 2}};
    auto const all = [](auto const&... parts) {
        std::vector<trace_row> rows;
        (rows.insert(rows.end(), parts.begin(), parts.end()), ...);
        return trace{.rows = rows, .sizes = {2, 2, 5}, .computations = std::vector<trace_computation>(2), .duration = 9};
    };
    CHECK(peak_of(all(first, untouched, second)) == 5);
    CHECK(peak_of(all(first, second, behind)) == 5);
}

TEST_CASE("plans of traces are legal schedules within the limit, and take no longer than simulated",
          "[swap_schedule][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        swap_problem const p(support::random_trace(random, 12));
        auto const plan = support::random_plan(random, p);
        auto options = support::random_swap_options(random, p);
        options.wait_after_use = support::chance(random, 20);
        options.lookahead = support::below(random, 4);
        options.limit = std::max(options.limit, simulate_swaps(p, plan, options).least_limit);
        auto const simulated = simulate_swaps(p, plan, options);
        auto const cost = judged(p, plan, options);
        RC_ASSERT(cost.peak <= options.limit);
        // Else there may be copies that the simulator has not.
        bool const wraps = std::ranges::any_of(p.intervals(), &reuse_interval::wraps);
        if (!wraps && cost.recomputations == 0 && options.copy_out == swap_options::copy_start::last_use)
            RC_ASSERT(cost.overhead <= simulated.overhead);
        auto const kept = judged(p, p.keep_all(), {.limit = p.peak(), .link = options.link});
        RC_ASSERT(kept.peak == p.peak());
        RC_ASSERT(kept.time == p.iteration().duration);
    }));
}

TEST_CASE("a plan of a trace runs on the network that was traced, views and all", "[with_views][networks]") {
    for (auto const& [name, sizes] : {std::pair{"resnet29", networks::sizes{.batch = 1, .resolution = 16}},
                                      {"gpt2", {.batch = 1, .length = 2}},
                                      {"lstm", {.batch = 2, .length = 2}}}) {
        CAPTURE(name);
        auto const training =
            io::make_training_graph(networks::network_of(networks::by_name(name, sizes)), convention::executable);
        auto const all = make_schedule(training.flow);
        auto const operations = traced_operations(training.flow, all);
        swap_problem const p(trace_of(training.flow, all));
        auto const traced = make_traced_dataflow(p);
        REQUIRE(traced.flow.operation_count() == operations.size());
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            support::split_mix random(seed);
            auto const plan = support::random_plan(random, p);
            auto const needed = simulate_swaps(p, plan, {}).least_limit;
            auto const steps = make_swap_schedule(p, traced, plan, {.limit = needed});
            auto const whole = with_views(training.flow, map_vertices(steps, [&](auto c) { return operations[c]; }));
            auto const cost = replay(training.flow, whole), judged = replay(traced.flow, steps);
            CHECK(cost.peak == judged.peak);
            CHECK(cost.time == judged.time);
            CHECK(cost.bytes_out == judged.bytes_out);
        }
    }
}
