// Covers allocate/arena.hpp, allocate/lifetimes.hpp, allocate/live_bytes.hpp.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/live_bytes.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/random_schedules.hpp"
#include "support/throws.hpp"

using namespace repebble;

TEST_CASE("a storage lives from its computation to its discard, a workspace while its operation runs", "[allocate]") {
    std::vector<std::vector<int>> const chain{{1}, {2}, {}};
    auto const flow = make_dataflow(
        chain, weights{unit_weight{}, [](int v) { return 10 * (v + 1); }, [](int v) { return v == 1 ? 5 : 0; }});
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    plan.discard(0);
    plan.compute(2);
    auto const found = find_lifetimes(flow, std::move(plan).finish(), 4);
    CHECK(found.buffers == std::vector<buffer>{{.lifetime = {0, 2}, .size = 10, .alignment = 4},
                                               {.lifetime = {1, 4}, .size = 20, .alignment = 4},
                                               {.lifetime = {1, 2}, .size = 5, .alignment = 4},
                                               {.lifetime = {3, 4}, .size = 30, .alignment = 4}});
    CHECK(found.uses[1] == buffer_use{.storage = {1, 0}});
    CHECK(found.uses[2] == buffer_use{.what = buffer_use::kind::workspace, .operation = 1});
}

TEST_CASE("a second computation of a value is a buffer of its own", "[allocate]") {
    std::vector<std::vector<int>> const chain{{1}, {}};
    auto const flow = make_dataflow(chain, weights{unit_weight{}});
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(0);  // replaces the first when it is done
    plan.compute(1);
    auto const found = find_lifetimes(flow, std::move(plan).finish());
    CHECK(found.buffers == std::vector<buffer>{{.lifetime = {0, 2}, .size = 1},
                                               {.lifetime = {1, 3}, .size = 1},
                                               {.lifetime = {2, 3}, .size = 1}});
    CHECK(found.uses[1].storage == instance{0, 1});
}

TEST_CASE("a prefetched value and its old storage, which a view keeps, end independently", "[allocate]") {
    dataflow_builder builder;
    for (int v = 0; v < 4; ++v) builder.add_operation(1);
    auto const a = builder.add_value(0, 8);
    auto const view = builder.add_view(1, std::vector{a});
    builder.add_value(2, 4);
    builder.add_value(3, 4);
    builder.add_read(1, a);
    builder.add_read(2, view);
    builder.add_read(3, a);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    plan.offload(a);
    plan.discard(a);
    plan.prefetch(a);
    plan.compute(2);
    plan.discard(view);  // the old storage ends, the new one stays
    plan.compute(3);
    CHECK(find_lifetimes(flow, std::move(plan).finish()).buffers ==
          std::vector<buffer>{{.lifetime = {0, 6}, .size = 8},
                              {.lifetime = {4, 8}, .size = 8},
                              {.lifetime = {5, 8}, .size = 4},
                              {.lifetime = {7, 8}, .size = 4}});
}

TEST_CASE("the greatest live bytes of a schedule are its peak", "[allocate][property]") {
    std::size_t legal = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = support::any_dataflow(random, 10);
            auto const plan = support::random_schedule(random, flow, support::below(random, 100));
            auto const [result, broken] = verify_schedule(flow, plan);
            if (broken) continue;
            ++legal;
            RC_ASSERT(find_live_bytes(find_lifetimes(flow, plan).buffers).most == result.peak);
        }
    }));
    CHECK(legal > 100);
}

TEST_CASE("the buffer of a mutated value lives on as that of the output", "[allocate]") {
    dataflow_builder builder;
    auto const state = builder.add_value(builder.add_input(), 8);
    for (int v = 1; v < 3; ++v) builder.add_operation(1);
    auto const changed = builder.add_value(1, 6);
    builder.add_read(1, state);
    builder.add_mutation(1, 0, state);
    builder.add_value(2, 4);
    builder.add_result(changed);
    auto const flow = std::move(builder).build();
    CHECK(find_lifetimes(flow, make_schedule(flow)).buffers ==
          std::vector<buffer>{{.lifetime = {0, 4}, .size = 8}, {.lifetime = {2, 3}, .size = 4}});
}

TEST_CASE("the live bytes of every step are the replay's, with mutations, inputs and results", "[allocate][property]") {
    std::size_t legal = 0, mutations = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = support::random_full_dataflow(random, {.operations = 1 + support::below(random, 10)});
            auto const plan = support::random_schedule(random, flow, support::below(random, 80));
            auto const [result, broken] = verify_schedule(flow, plan, {.profile = true});
            if (broken) continue;
            ++legal;
            auto const found = make_arena(flow, plan);
            auto const& buffers = found.lifetimes.buffers;
            for (std::size_t k = 0; k < plan.steps.size(); ++k) {
                // Of a computation and a prefetch; the other steps only end buffers.
                if (plan.steps[k].what == action::compute) mutations += flow.mutations(plan.steps[k].vertex).size();
                if (plan.steps[k].what == action::discard) continue;
                bytes live = 0;
                for (auto const& b : buffers)
                    if (b.lifetime.contains({static_cast<std::int64_t>(k), static_cast<std::int64_t>(k) + 1}))
                        live += b.size;
                RC_ASSERT(live == result.profile[k]);
            }
            RC_ASSERT(found.peak == result.peak);
            RC_ASSERT(!verify_offsets(buffers, found.offsets).fault);
        }
    }));
    CHECK(legal > 50);
    CHECK(mutations > 25);
}

TEST_CASE("the greatest live bytes of strategies' plans are their peaks", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_dag(random, 2 + support::below(random, 8), 40);
        auto const training = make_training_graph(g, weights{unit_weight{}});
        for (auto const& plan : {keep_all(training), forget_all(training)})
            RC_ASSERT(find_live_bytes(find_lifetimes(training.flow, plan.schedule).buffers).most == plan.cost.peak);
    }));
}

TEST_CASE("an illegal schedule has no lifetimes", "[allocate]") {
    std::vector<std::vector<int>> const chain{{1}, {}};
    auto const flow = make_dataflow(chain, weights{unit_weight{}});
    schedule_builder plan(flow);
    plan.compute(1);
    auto const wrong = std::move(plan).finish();
    CHECK_THROWS_AS(find_lifetimes(flow, wrong), illegal_schedule);
    CHECK(support::throws<bad_buffer>([&] { return find_lifetimes(flow, wrong, 0); }, {"alignment", "0"}));
}
