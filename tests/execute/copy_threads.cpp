// Covers execute/copy_threads.hpp, execute/backend.hpp, execute/executor.hpp.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include <rapidcheck.h>

#include <repebble/allocate/first_fit.hpp>
#include <repebble/execute/bind_schedule.hpp>
#include <repebble/execute/copy_threads.hpp>
#include <repebble/execute/executor.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/mixing_backend.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/random_schedules.hpp"

using namespace repebble;
using namespace std::chrono_literals;

namespace {

/// Runs a schedule step by step, then on lanes; returns the number of its copies.
auto check_lanes(support::split_mix& random, dataflow<> const& flow, schedule<> const& plan) -> std::size_t {
    arena a{.lifetimes = lifetimes(flow, plan)};
    a.offsets = first_fit(a.lifetimes.buffers);
    a.size = verify_offsets(a.lifetimes.buffers, a.offsets).height;
    auto const bound = bind_schedule(flow, plan, a);
    support::mixing_backend serial;
    executor expected(bound, serial, {.poison = true});
    expected.run();
    auto const results = support::mixing_backend::digest_of(bound.results(), expected.memory());
    support::lane_mixing_backend lanes;
    executor run(bound, lanes,
                 {.poison = support::below(random, 2) == 0, .half_duplex = support::below(random, 2) == 0});
    for (int const most : {0, 30, 30}) {
        lanes.set_delays({.seed = random(), .most = std::chrono::microseconds(most)});
        std::ranges::fill(lanes.digests, 0);
        run.run();
        RC_ASSERT(lanes.digests == serial.digests);
        RC_ASSERT(support::mixing_backend::digest_of(bound.results(), run.memory()) == results);
    }
    return static_cast<std::size_t>(std::ranges::count_if(
        plan.steps, [](auto const& s) { return s.what == action::offload || s.what == action::prefetch; }));
}

}  // namespace

TEST_CASE("copies run in order on each thread, behind the events for which they wait", "[execute][lanes]") {
    std::array<std::byte, 4> a{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}}, b{}, c{};
    copy_threads threads;
    threads.reserve_events(3);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        threads.set_delays({.seed = seed, .most = 200us});
        a[0] = static_cast<std::byte>(seed);
        b = c = {};
        threads.wait(lane::offload, 0);
        threads.copy(lane::offload, b.data(), a.data(), 4);
        threads.record(lane::offload, 1);
        threads.wait(lane::prefetch, 1);
        threads.copy(lane::prefetch, c.data(), b.data(), 4);
        threads.record(lane::prefetch, 2);
        a[1] = std::byte{9};  // nothing runs before event 0
        threads.record(lane::compute, 0);
        threads.wait(lane::compute, 2);
        CHECK(c == a);
        threads.finish();
    }
}

TEST_CASE("a round that is cancelled leaves out what waits, and the next one runs", "[execute][lanes]") {
    std::array<std::byte, 1> a{std::byte{1}}, b{};
    copy_threads threads;
    threads.reserve_events(2);
    for (bool const started : {false, true}) {
        threads.wait(lane::offload, 1);
        threads.copy(lane::offload, b.data(), a.data(), 1);
        if (started) threads.record(lane::compute, 0);
        threads.cancel();
        CHECK(b[0] == std::byte{0});
    }
    threads.copy(lane::prefetch, b.data(), a.data(), 1);
    threads.finish();
    CHECK(b == a);
    CHECK_THROWS_AS(threads.record(lane::compute, 2), precondition_violated);
    CHECK_THROWS_AS(threads.copy(lane::compute, b.data(), a.data(), 1), precondition_violated);
}

TEST_CASE("with copies on other threads every step reads the bytes that it reads step by step, whatever the delays",
          "[execute][lanes][property]") {
    std::size_t copies = 0;
    CHECK(rc::check([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = support::any_dataflow(random, 12);
            auto const plan = support::random_schedule(random, flow, support::below(random, 100));
            if (judge(flow, plan).legal()) copies += check_lanes(random, flow, plan);
        }
    }));
    CHECK(copies > 500);
}

TEST_CASE("a computation that throws ends the copies of its run, and the next run is whole", "[execute][lanes]") {
    struct failing_backend : support::lane_mixing_backend {
        bool fails = true;
        void compute(std::size_t i, bound_step const& s, pool_memory const& memory) {
            if (fails && i == 2) throw std::runtime_error("fails");
            mixing_backend::compute(i, s, memory);
        }
    } backend;
    dataflow_builder<> builder;
    auto const a = builder.add_value(builder.add_operation(1), 4);
    builder.add_value(builder.add_operation(1), 4);
    auto const reader = builder.add_operation(1);
    builder.add_value(reader, 4);
    builder.add_read(reader, a);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.offload(a);
    plan.compute(1);
    plan.discard(a);
    plan.prefetch(a);
    plan.compute(reader);
    auto const bound = bind_schedule(flow, std::move(plan).finish());
    executor run(bound, backend);
    CHECK_THROWS_AS(run.run(), std::runtime_error);
    backend.fails = false;
    auto const written = std::max(run.run_measured(1), run.run_measured(2),
                                  [](auto const& x, auto const& y) { return x.device + x.host < y.device + y.host; });
    CHECK(written == written_bytes{.device = bound.size(pool::device), .host = 4});
}
