// Covers execute/copy_threads.hpp, execute/execution_backend.hpp, execute/executor.hpp.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/fit_offsets.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/execute/bind_schedule.hpp>
#include <repebble/execute/copy_threads.hpp>
#include <repebble/execute/executor.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/early_and_late_swap.hpp"
#include "support/generators.hpp"
#include "support/mixing_backend.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/random_schedules.hpp"

using namespace repebble;
using namespace std::chrono_literals;

namespace {

/// Runs a schedule step by step, then on lanes; returns the number of its copies.
auto check_lanes(support::split_mix& random, dataflow const& flow, schedule<> const& plan) -> std::size_t {
    arena a{.lifetimes = find_lifetimes(flow, plan)};
    a.offsets = fit_offsets(a.lifetimes.buffers);
    a.size = verify_offsets(a.lifetimes.buffers, a.offsets).height;
    auto const bound = bind_schedule(flow, plan, a);
    support::mixing_backend serial;
    executor expected(bound, serial, {.poison = true});
    expected.run();
    auto const results = support::mixing_backend::digest_of(bound.results(), expected.memory());
    auto const run_on = [&](auto& lanes, auto const& prepare) {
        executor run(bound, lanes,
                     {.poison = support::below(random, 2) == 0, .half_duplex = support::below(random, 2) == 0});
        for (int k = 0; k < 4; ++k) {
            prepare(k);
            std::ranges::fill(lanes.digests, 0);
            run.run();
            RC_ASSERT(lanes.digests == serial.digests);
            RC_ASSERT(support::mixing_backend::digest_of(bound.results(), run.memory()) == results);
        }
    };
    support::lane_mixing_backend threads;
    run_on(threads,
           [&](int k) { threads.set_delays({.seed = random(), .most = std::chrono::microseconds(k == 0 ? 0 : 30)}); });
    support::queued_backend queues(random());
    run_on(queues, [&](int k) {
        if (k > 0) queues.favourite = static_cast<lane>(k - 1);
    });
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
    threads.cancel();  // nothing is there to cancel
    threads.copy(lane::prefetch, b.data(), a.data(), 1);
    threads.finish();
    CHECK(b == a);
    CHECK_THROWS_AS(threads.record(lane::compute, 2), precondition_violated);
    CHECK_THROWS_AS(threads.copy(lane::compute, b.data(), a.data(), 1), precondition_violated);
}

TEST_CASE("with copies on lanes every step reads the bytes that it reads step by step, whatever the delays",
          "[execute][lanes][property]") {
    std::size_t copies = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = support::any_dataflow(random, 12);
            auto const plan = support::random_schedule(random, flow, support::below(random, 100));
            if (verify_schedule(flow, plan)) copies += check_lanes(random, flow, plan);
        }
    }));
    CHECK(copies > 125);
}

TEST_CASE("over a half duplex link copies out and in are asked of one lane", "[execute][lanes]") {
    struct listing_backend : support::queued_backend {
        using queued_backend::queued_backend;
        std::vector<lane> copies{};
        void copy_on(lane on, std::size_t i, bound_step const& s, pool_memory const& m) {
            copies.push_back(on);
            queued_backend::copy_on(on, i, s, m);
        }
    };
    auto const bound = support::bound_swap(support::two_values_and_a_reader(), false);
    for (bool const half : {false, true}) {
        listing_backend backend(1);
        executor run(bound, backend, {.half_duplex = half});
        run.run();
        CHECK(backend.copies == std::vector{lane::offload, half ? lane::offload : lane::prefetch});
    }
}

TEST_CASE("a missing wait is found: whichever lane is late, something else is computed", "[execute][lanes]") {
    auto const flow = support::two_values_and_a_reader();
    auto const bound = support::bound_swap(flow, false);
    support::mixing_backend serial;
    executor expected(bound, serial);
    expected.run();
    struct hasty_backend : support::queued_backend {
        using queued_backend::queued_backend;
        std::size_t without = 0;  // the event for which nobody waits
        void wait(lane on, std::size_t event) {
            if (event != without) queued_backend::wait(on, event);
        }
    } backend(1);
    auto right = serial.digests;
    right.resize(bound.step_count() - 1);  // a discard is the last step
    auto const goes_wrong_without = [&](std::size_t event) {
        backend.without = event;
        bool wrong = false;
        for (int k = 0; k < 30; ++k) {
            executor run(bound, backend, {.poison = true});  // in memory of its own, where no earlier run left anything
            try {
                run.run();
                wrong = wrong || backend.digests != right;
            } catch (std::logic_error const&) {
                wrong = true;  // lanes are left when computations end
            }
        }
        return wrong;
    };
    // compute a, offload a, discard, compute b over a, prefetch a, compute c, discard from the host
    for (std::size_t const event : {0U, 1U, 2U, 4U}) CHECK(goes_wrong_without(event));
    CHECK_FALSE(goes_wrong_without(99));
}

TEST_CASE("a computation that throws ends the copies of its run, and the next run is whole", "[execute][lanes]") {
    struct failing_backend : support::lane_mixing_backend {
        bool fails = true;
        void compute(std::size_t i, bound_step const& s, pool_memory const& memory) {
            if (fails && i == 3) throw std::runtime_error("fails");
            mixing_backend::compute(i, s, memory);
        }
    } backend;
    auto const flow = support::two_values_and_a_reader();
    auto const bound = support::bound_swap(flow, false);
    executor run(bound, backend);
    CHECK_THROWS_AS(run.run(), std::runtime_error);
    backend.fails = false;
    auto const written = std::max(run.run_measured(1), run.run_measured(2),
                                  [](auto const& x, auto const& y) { return x.device + x.host < y.device + y.host; });
    CHECK(written == written_bytes{.device = bound.size(pool::device), .host = 4});
}
