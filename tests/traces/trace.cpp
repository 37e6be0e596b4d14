// Covers traces/trace.hpp, traces/trace_of.hpp.
#include <cstdint>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include <repebble/execute/bind_schedule.hpp>
#include <repebble/execute/executor.hpp>
#include <repebble/execute/guarded_memory.hpp>
#include <repebble/traces/trace.hpp>
#include <repebble/traces/trace_of.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "recompute/random_training.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

using what = trace_action;

/// Two computations: 0 writes variable 0, 1 reads it and writes variable 1.
auto two_computations() -> trace {
    return {.rows = {{0, what::malloc, 0},
                     {0, what::write, 0, 0},
                     {5, what::malloc, 1},
                     {5, what::read, 0, 1},
                     {5, what::write, 1, 1},
                     {9, what::free, 0}},
            .sizes = {100, 30},
            .computations = {{}, {}},
            .duration = 9};
}

}  // namespace

TEST_CASE("a trace has the memory of its rows, frees carried out", "[trace]") {
    auto const t = two_computations();
    CHECK_NOTHROW(check_trace(t));
    CHECK(memory_of(t) == std::vector<bytes>{100, 100, 130, 130, 130, 30});
    CHECK(peak_of(t) == 130);
    CHECK(peak_of(trace{}) == 0);
}

TEST_CASE("variables without a malloc have memory from the beginning", "[trace]") {
    trace const t{
        .rows = {{0, what::read, 0, 0}, {3, what::free, 0}}, .sizes = {7, 11}, .computations = {{}}, .duration = 4};
    CHECK_NOTHROW(check_trace(t));
    CHECK(memory_of(t) == std::vector<bytes>{18, 11});
}

TEST_CASE("a wrong trace is refused, and the message names the row", "[trace]") {
    auto const refused = [](auto const& spoil, std::initializer_list<std::string_view> words) {
        auto t = two_computations();
        spoil(t);
        return support::throws<bad_trace>([&] { return check_trace(t), 0; }, words);
    };
    CHECK(refused([](trace& t) { t.rows[3].begin = 4; }, {"row 3", "begins at 4"}));
    CHECK(refused([](trace& t) { t.rows[0].begin = -1; }, {"row 0", "begins at -1"}));
    CHECK(refused([](trace& t) { t.rows[4].variable = 2; }, {"row 4", "names no variable"}));
    CHECK(refused([](trace& t) { t.rows[2] = {5, what::malloc, 0}; }, {"row 2", "has it"}));
    CHECK(refused([](trace& t) { t.rows[2] = {5, what::free, 1}; }, {"row 3", "gives memory"}) == false);
    CHECK(refused([](trace& t) { t.rows[2] = {5, what::free, 0}; }, {"row 3", "without memory"}));
    CHECK(refused([](trace& t) { t.rows.push_back({9, what::free, 0}); }, {"row 6", "without any"}));
    CHECK(refused([](trace& t) { t.rows[1].computation = 1; }, {"row 1", "computation 1"}));
    CHECK(refused([](trace& t) { t.rows[4].computation = 0; }, {"row 4", "computation 0"}));
    CHECK(refused([](trace& t) { t.rows[0].computation = 0; }, {"row 0", "only reads and writes"}));
    CHECK(refused([](trace& t) { t.rows[1].computation = no_computation; }, {"row 1"}));
    CHECK(refused([](trace& t) { t.computations.emplace_back(); }, {"computation 2 has no row"}));
    CHECK(refused([](trace& t) { t.computations.pop_back(); }, {"row 3", "names no computation"}));
    CHECK(refused([](trace& t) { t.duration = 8; }, {"takes 8"}));
    CHECK(refused([](trace& t) { t.sizes[1] = -1; }, {"variable 1", "negative"}));
    CHECK(refused([](trace& t) { t.computations[1].workspace = -4; }, {"computation 1", "negative"}));
    auto large = two_computations();
    large.sizes = {std::int64_t{1} << 62, std::int64_t{1} << 62};
    CHECK(support::throws<bad_weight>([&] { return check_trace(large), 0; }, {"overflows"}));
}

TEST_CASE("the trace of a chain of two operations, row by row", "[trace_of]") {
    dataflow_builder builder;
    auto const x = builder.add_value(builder.add_input(), 8);
    auto const a = builder.add_operation(5, 3);
    auto const y = builder.add_value(a, 16);
    builder.add_read(a, x);
    auto const b = builder.add_operation(2, 0, false);
    builder.add_value(b, 4);
    builder.add_read(b, y);
    auto const flow = std::move(builder).build();
    auto const t = trace_of(flow, make_schedule(flow));
    CHECK_NOTHROW(check_trace(t));
    // Variables: x, y, workspace of a, output of b.
    CHECK(t.sizes == std::vector<bytes>{8, 16, 3, 4});
    CHECK(t.rows.front() == trace_row{0, what::malloc, 1});
    CHECK(t.rows[1] == trace_row{0, what::malloc, 2});
    CHECK(t.rows[2] == trace_row{0, what::read, 0, 0});
    CHECK(t.rows[3] == trace_row{0, what::write, 1, 0});
    CHECK(t.rows[4] == trace_row{5, what::free, 2});
    CHECK(t.duration == 7);
    CHECK(t.computations == std::vector<trace_computation>{{3, true}, {0, false}});
    CHECK(peak_of(t) == 27);
}

TEST_CASE("the trace of a schedule is valid and has its time and its peak", "[trace_of][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_training(random, 12);
        auto const plan = make_schedule(training.flow);
        auto const cost = replay(training.flow, plan);
        auto const t = trace_of(training.flow, plan);
        check_trace(t);
        RC_ASSERT(t.duration == cost.time);
        RC_ASSERT(peak_of(t) == cost.peak);
    }));
}

TEST_CASE("a schedule that copies has no trace, and there is one time for each step", "[trace_of]") {
    dataflow_builder builder;
    builder.add_value(builder.add_operation(5), 8);
    auto const flow = std::move(builder).build();
    schedule_builder copying(flow);
    copying.compute(0);
    copying.offload(0);
    CHECK(
        support::throws<bad_trace>([&] { return trace_of(flow, std::move(copying).finish()); }, {"step 1", "copies"}));
    auto const plan = make_schedule(flow);
    CHECK(support::throws<bad_trace>([&] { return trace_of(flow, plan, std::vector<std::int64_t>{}); }, {"0 steps"}));
    std::vector<std::int64_t> const negative(plan.steps.size(), -1);
    CHECK(support::throws<bad_trace>([&] { return trace_of(flow, plan, negative); }, {"step 0", "-1"}));
}

namespace {

/// Computes nothing; step k takes 100 k + 1 nanoseconds.
struct clocked_backend {
    static auto allocate(pool, bytes size, bytes alignment) { return guarded_memory(size, alignment); }
    static void compute(std::size_t, bound_step const&, pool_memory const&) {}
    static void mark(std::size_t) {}
    static auto nanoseconds(std::size_t k) -> std::int64_t { return 100 * static_cast<std::int64_t>(k) + 1; }
};

}  // namespace

TEST_CASE("an execution is traced with the times that the executor recorded", "[trace_of]") {
    dataflow_builder builder;
    auto const first = builder.add_operation(1);
    auto const y = builder.add_value(first, 8);
    auto const second = builder.add_operation(1);
    builder.add_value(second, 8);
    builder.add_read(second, y);
    auto const flow = std::move(builder).build();
    auto const plan = make_schedule(flow);
    auto const bound = bind_schedule(flow, plan);
    clocked_backend backend;
    executor run(bound, backend);
    auto const t = trace_of(flow, plan, run.run());
    CHECK_NOTHROW(check_trace(t));
    CHECK(t.rows[1] == trace_row{0, what::write, 0, 0});
    CHECK(t.rows[2] == trace_row{1, what::malloc, 1});
    CHECK(t.rows[3].begin == 1);
    CHECK(t.rows[5].begin == 1 + 101);  // the free of y, after the second step
    CHECK(peak_of(t) == run.record().peak_live);
}
