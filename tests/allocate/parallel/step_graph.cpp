// Covers allocate/buffer_walk.hpp, allocate/lifetimes.hpp, allocate/step_graph.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/step_graph.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/random_schedules.hpp"
#include "support/step_program.hpp"

using namespace repebble;

namespace {

using edge_list = std::vector<csr_graph::edge>;

auto edges_of(step_graph const& steps) -> edge_list {
    edge_list edges;
    for (std::size_t s = 0; s < steps.dependencies.vertex_count(); ++s)
        for (auto const t : steps.dependencies.successors(s)) edges.emplace_back(static_cast<step_index>(s), t);
    return edges;
}

}  // namespace

TEST_CASE("readers wait for the producers of their inputs, discards for no step", "[allocate]") {
    std::vector<std::vector<int>> const fork{{1, 2}, {3}, {3}, {}};
    auto const flow = make_dataflow(fork, weights{unit_weight{}, unit_weight{}, [](int v) { return v == 1 ? 5 : 0; }});
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);  // has a workspace
    plan.compute(2);
    plan.discard(0);
    plan.compute(3);
    auto const steps = make_step_graph(flow, std::move(plan).finish());
    CHECK(edges_of(steps) == edge_list{{0, 1}, {0, 2}, {1, 4}, {2, 4}});
    CHECK(steps.touches == std::vector<std::vector<step_index>>{{0, 1, 2}, {1, 4}, {1}, {2, 4}, {4}});
}

TEST_CASE("a second computation does not wait for the first, nor its readers for other instances", "[allocate]") {
    std::vector<std::vector<int>> const g{{1, 2}, {}, {}};
    auto const flow = make_dataflow(g, weights{unit_weight{}});
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    plan.compute(0);
    plan.compute(2);
    auto const steps = make_step_graph(flow, std::move(plan).finish());
    CHECK(edges_of(steps) == edge_list{{0, 1}, {2, 3}});
    CHECK(steps.touches == std::vector<std::vector<step_index>>{{0, 1}, {1}, {2, 3}, {3}});
}

TEST_CASE("a step that overwrites a value waits for all its readers, also through views", "[allocate]") {
    dataflow_builder builder;
    for (int v = 0; v < 5; ++v) builder.add_operation(1);
    auto const a = builder.add_value(0, 8);
    auto const view = builder.add_view(1, std::vector{a});
    auto const b = builder.add_value(2, 8);  // reads the view
    auto const c = builder.add_value(3, 8);  // reads b, is written over a
    builder.add_value(4, 8);                 // reads c
    builder.add_read(1, a);
    builder.add_read(2, view);
    builder.add_read(3, b);
    builder.add_read(4, c);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    plan.compute(2);
    plan.discard(view);
    plan.compute_in_place(3, 0, a);
    plan.compute(4);
    auto const steps = make_step_graph(flow, std::move(plan).finish());
    CHECK(edges_of(steps) == edge_list{{0, 1}, {0, 4}, {1, 2}, {1, 4}, {2, 4}, {4, 5}});
    CHECK(steps.touches == std::vector<std::vector<step_index>>{{0, 1, 2, 4, 5}, {2, 4}, {5}});
}

TEST_CASE("a mutation waits for all readers, and an operation for those with a control edge to it", "[allocate]") {
    dataflow_builder builder;
    for (int v = 0; v < 4; ++v) builder.add_operation(1);
    auto const a = builder.add_value(0, 8);
    builder.add_value(1, 2);                      // reads a
    auto const change = builder.add_value(2, 8);  // mutates it
    builder.add_value(3, 2);                      // reads nothing, and runs after 1
    builder.add_read(1, a);
    builder.add_read(2, a);
    builder.add_mutation(2, 0, a);
    builder.add_control_edge(1, 3);
    builder.add_result(change);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    for (operation_index const v : {0U, 1U, 1U, 2U, 3U}) plan.compute(v);
    auto const steps = make_step_graph(flow, std::move(plan).finish());
    CHECK(edges_of(steps) == edge_list{{0, 1}, {0, 2}, {0, 3}, {1, 3}, {1, 4}, {2, 3}});
    CHECK(steps.touches == std::vector<std::vector<step_index>>{{0, 1, 2, 3}, {1}, {2}, {4}});
}

TEST_CASE("a prefetch waits for its offload and fills a buffer of its own", "[allocate]") {
    std::vector<std::vector<int>> const chain{{1}, {}};
    auto const flow = make_dataflow(chain, weights{unit_weight{}});
    schedule_builder plan(flow);
    plan.compute(0);
    plan.offload(0);
    plan.discard(0);
    plan.prefetch(0);
    plan.compute(1);
    auto const steps = make_step_graph(flow, std::move(plan).finish());
    CHECK(edges_of(steps) == edge_list{{0, 1}, {1, 3}, {3, 4}});
    CHECK(steps.touches == std::vector<std::vector<step_index>>{{0, 1}, {3, 4}, {4}});
}

TEST_CASE("an illegal schedule has no step graph", "[allocate]") {
    std::vector<std::vector<int>> const chain{{1}, {}};
    auto const flow = make_dataflow(chain, weights{unit_weight{}});
    schedule_builder plan(flow);
    plan.compute(1);
    auto const wrong = std::move(plan).finish();
    CHECK_THROWS_AS(make_step_graph(flow, wrong), illegal_schedule);
}

TEST_CASE("every order that the graph allows computes the same if no memory is shared", "[allocate][property]") {
    std::size_t legal = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 5; ++i) {
            auto const flow = support::chance(random, 50) ? support::any_dataflow(random, 10)
                                                          : support::random_full_dataflow(random, {.operations = 9});
            auto const plan = support::random_schedule(random, flow, support::below(random, 60));
            if (!verify_schedule(flow, plan)) continue;
            ++legal;
            auto const steps = make_step_graph(flow, plan);
            support::step_program const program(flow, plan);
            RC_ASSERT(steps.touches.size() == program.buffers().size());
            std::vector<bytes> apart{0};
            for (auto const& b : program.buffers()) apart.push_back(apart.back() + b.size);
            apart.pop_back();
            auto const reference = program.reference();
            for (int k = 0; k < 3; ++k)
                RC_ASSERT(program.run(support::random_order(random, steps.dependencies, {}), apart) == reference);
        }
    }));
    CHECK(legal > 25);
}

TEST_CASE("a step graph satisfies its invariant", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = support::any_dataflow(random, 12);
        auto const plan = support::random_schedule(random, flow, support::below(random, 60));
        if (!verify_schedule(flow, plan)) return;
        auto const steps = make_step_graph(flow, plan);
        auto const buffers = find_lifetimes(flow, plan).buffers;
        for (auto const& [s, t] : edges_of(steps)) {
            RC_ASSERT(s < t);
            RC_ASSERT((plan.steps[s].what != action::discard && plan.steps[t].what != action::discard));
        }
        for (std::size_t b = 0; b < buffers.size(); ++b) {
            auto const& touching = steps.touches[b];
            RC_ASSERT(buffers[b].lifetime.contains({touching.front(), touching.back() + std::int64_t{1}}));
            RC_ASSERT(buffers[b].lifetime.lower == touching.front());
            std::vector<bool> after(plan.steps.size(), false);
            after[touching.front()] = true;
            for (auto const& [s, t] : edges_of(steps))
                if (after[s]) after[t] = true;  // edges ascend
            for (auto const s : touching) RC_ASSERT(after[s]);
        }
    }));
}
