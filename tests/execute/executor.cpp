// Covers execute/execution_backend.hpp, execute/bind_schedule.hpp, execute/executor.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <repebble/allocate/fit_offsets.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/execute/bind_schedule.hpp>
#include <repebble/execute/executor.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/checking_backend.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/random_schedules.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

/// Only what an executor cannot do without.
struct bare_backend {
    std::vector<operation_index> ran{};

    [[nodiscard]] static auto allocate(pool, bytes size, bytes alignment) -> guarded_memory {
        return {size, alignment};
    }
    void compute(std::size_t, bound_step const& s, pool_memory const&) { ran.push_back(s.operation); }
};
static_assert(execution_backend<bare_backend> && !measuring_backend<bare_backend>);
static_assert(measuring_backend<support::checking_backend>);

/// A chain 0 -> 1 -> 2 with a workspace in the middle.
auto chain_with_workspace() -> dataflow {
    std::vector<std::vector<int>> const chain{{1}, {2}, {}};
    return make_dataflow(
        chain, weights{unit_weight{}, [](int v) { return 100 * (v + 1); }, [](int v) { return v == 1 ? 50 : 0; }});
}

/// Runs a plan twice, checks every read and every figure, and returns the bytes that were checked.
auto run_and_check(dataflow const& flow, schedule<> const& plan, arena const& a, bool poison = false) -> bytes {
    auto const bound = bind_schedule(flow, plan, a);
    support::checking_backend backend(flow);
    executor run(bound, backend, {.poison = poison});
    bytes highest = 0;
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        backend.restart();
        highest = std::max(highest, run.run_measured(seed).device);
        backend.check_results(bound, run.memory());
    }
    if (poison) {
        backend.restart();
        run.run();
        backend.check_results(bound, run.memory());
    }
    CHECK(run.record().peak_live == replay(flow, plan).peak);
    CHECK(run.record().highest_address <= a.size);
    CHECK(highest <= run.record().highest_address);
    return backend.checked;
}

/// One greedy pass: enough to be run.
auto simple_arena(dataflow const& flow, schedule<> const& plan) -> arena {
    arena a{.lifetimes = find_lifetimes(flow, plan)};
    a.offsets = fit_offsets(a.lifetimes.buffers);
    a.size = verify_offsets(a.lifetimes.buffers, a.offsets).height;
    return a;
}

}  // namespace

TEST_CASE("an executor runs the operations in the order of the schedule", "[execute]") {
    auto const flow = chain_with_workspace();
    schedule_builder plan(flow);
    for (operation_index const v : {0U, 1U, 0U, 2U}) plan.compute(v);
    bare_backend backend;
    auto const bound = bind_schedule(flow, std::move(plan).finish());
    executor run(bound, backend);
    auto const& record = run.run();
    CHECK(backend.ran == std::vector<operation_index>{0, 1, 0, 2});
    CHECK(record.live == std::vector<bytes>{100, 350, 400, 600});
    CHECK(record.peak_live == 600);
    CHECK(record.step_nanoseconds.size() == 4);
    backend.ran.clear();
    run.issue();  // the steps, and nothing else
    CHECK(backend.ran == std::vector<operation_index>{0, 1, 0, 2});
}

TEST_CASE("the highest byte written is that of the plan", "[execute]") {
    auto const flow = chain_with_workspace();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    plan.discard(0);
    plan.compute(2);
    auto const bound = bind_schedule(flow, std::move(plan).finish());
    support::checking_backend backend(flow);
    executor run(bound, backend);
    CHECK(run.run_measured(7) == written_bytes{.device = 500});
    CHECK(bound.size(pool::device) == 500);
}

TEST_CASE("every read of a random schedule finds the right bytes", "[execute][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(random, {.operations = 14, .most_bytes = 60});
        auto const plan = support::random_schedule(random, flow, support::below(random, 60));
        if (!verify_schedule(flow, plan)) return;
        bytes const alignment = support::chance(random, 50) ? 1 : 16;
        auto const a = make_arena(flow, plan, {.alignment = alignment});
        static_cast<void>(run_and_check(flow, plan, a, support::chance(random, 50)));
    }));
}

TEST_CASE("mutations, inputs, operands and results of a random schedule have the right bytes", "[execute][property]") {
    std::size_t legal = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = support::random_full_dataflow(random, {.operations = 14, .most_bytes = 60});
        auto const plan = support::random_schedule(random, flow, support::below(random, 60));
        if (!verify_schedule(flow, plan)) return;
        ++legal;
        static_cast<void>(run_and_check(flow, plan, simple_arena(flow, plan), support::chance(random, 50)));
    }));
    CHECK(legal > 5);
}

TEST_CASE("the plans of strategies run on ten thousand vertices", "[execute][long]") {
    support::split_mix random(11);
    auto const size = [](int v) { return 8 + v % 57; };
    auto const branching = make_training_graph(support::series_parallel(random, 5'000), weights{unit_weight{}, size});
    auto const chains = make_training_graph(support::parallel_chains(500, 10), weights{unit_weight{}, size});
    REQUIRE(branching.flow.operation_count() >= 10'000);
    REQUIRE(chains.flow.operation_count() == 10'000);
    for (auto const& [training, plan] :
         {std::pair(&branching, keep_all(branching).schedule), std::pair(&branching, sqrt_segments(branching).schedule),
          std::pair(&chains, forget_all(chains).schedule)})
        CHECK(run_and_check(training->flow, plan, simple_arena(training->flow, plan)) > 100'000);
}

TEST_CASE("a backend that finds other bytes fails", "[execute]") {
    auto const flow = chain_with_workspace();
    schedule_builder plan(flow);
    for (operation_index v = 0; v < 3; ++v) plan.compute(v);
    struct careless : support::checking_backend {
        using checking_backend::checking_backend;
        void compute(std::size_t i, bound_step const& s, pool_memory const& memory) {
            if (i == 2) *memory.at(s.reads.front().where) ^= std::byte{1};
            checking_backend::compute(i, s, memory);
        }
    } backend(flow);
    auto const bound = bind_schedule(flow, std::move(plan).finish());
    executor run(bound, backend);
    CHECK_THROWS_AS(run.run(), support::wrong_memory);
}

TEST_CASE("running allocates nothing", "[execute]") {
    auto const flow = chain_with_workspace();
    schedule_builder plan(flow);
    for (operation_index v = 0; v < 3; ++v) plan.compute(v);
    bare_backend backend;
    auto const bound = bind_schedule(flow, std::move(plan).finish());
    executor run(bound, backend);
    run.run();
    backend.ran.clear();  // its capacity stays
    auto const before = testing::allocations;
    run.run();
    CHECK(testing::allocations == before);
    CHECK((before > 0) == counts_allocations);
}

TEST_CASE("an executor keeps its place, and its schedule outlives it", "[execute]") {
    using run = executor<bare_backend>;
    STATIC_REQUIRE(!std::is_copy_constructible_v<run>);
    STATIC_REQUIRE(!std::is_move_constructible_v<run>);
    STATIC_REQUIRE(std::is_constructible_v<run, bound_schedule const&, bare_backend&>);
    STATIC_REQUIRE(!std::is_constructible_v<run, bound_schedule, bare_backend&>);
}

TEST_CASE("a schedule that copies needs a backend that can", "[execute]") {
    auto const flow = chain_with_workspace();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.offload(0);
    plan.compute(1);
    plan.compute(2);
    auto const bound = bind_schedule(flow, std::move(plan).finish());
    bare_backend backend;
    CHECK(support::throws<std::invalid_argument>([&] { return executor(bound, backend).record(); }, {"step 1 copies"}));
    CHECK(bound.size(pool::host) == 100);
}

TEST_CASE("storages that end are poisoned in both pools, and by a run that measures none", "[execute]") {
    auto const flow = chain_with_workspace();
    using filled = std::pair<std::byte*, bytes>;
    struct recording_backend : support::checking_backend {
        using checking_backend::checking_backend;
        std::vector<filled> fills{};
        void fill(std::byte* at, bytes size, std::uint64_t seed) {
            fills.emplace_back(at, size);
            checking_backend::fill(at, size, seed);
        }
    } backend(flow);
    schedule_builder plan(flow);
    plan.compute(0);
    plan.offload(0);
    plan.discard(0);
    plan.prefetch(0);
    plan.discard(0, pool::host);
    plan.compute(1);
    plan.compute(2);
    auto const bound = bind_schedule(flow, std::move(plan).finish());
    executor run(bound, backend, {.poison = true});
    run.run();
    auto const& memory = run.memory();
    CHECK(backend.fills == std::vector<filled>{{memory.at(bound[2].ends.front()), 100},
                                               {memory.at(bound[4].host_ends.front(), pool::host), 100}});
    backend.fills.clear();
    backend.restart();
    CHECK(run.run_measured(3).host == 100);
    CHECK(backend.fills ==
          std::vector<filled>{{memory.at({}), bound.size(pool::device)}, {memory.at({}, pool::host), 100}});
}

TEST_CASE("a backend that cannot fill memory cannot poison", "[execute]") {
    auto const flow = chain_with_workspace();
    auto const bound = bind_schedule(flow, [&] {
        schedule_builder plan(flow);
        for (operation_index v = 0; v < 3; ++v) plan.compute(v);
        return std::move(plan).finish();
    }());
    bare_backend backend;
    CHECK(support::throws<std::invalid_argument>([&] { return executor(bound, backend, {.poison = true}).record(); },
                                                 {"cannot poison"}));
}
