// Covers planner/plan_options.hpp, graph/training/value_policies.hpp, pebbling/verify_policies.hpp,
// graph/dataflow/detail/describe.hpp, graph/dataflow/edit.hpp.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/detail/describe.hpp>
#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/graph/training/value_policies.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/verify_policies.hpp>
#include <repebble/planner/find_memory_floor.hpp>

#include "support/cases.hpp"
#include "support/catch.hpp"
#include "support/plan_promises.hpp"
#include "support/random_policies.hpp"
#include "support/swap_cases.hpp"

using namespace repebble;

namespace {

auto trained_chain(int n) {
    std::vector<std::vector<int>> net(static_cast<std::size_t>(n));
    for (int v = 0; v + 1 < n; ++v) net[static_cast<std::size_t>(v)].push_back(v + 1);
    return make_training_graph(net, weights{unit_weight{}, unit_weight{}});
}
auto runs_of(automatic_plan<> const& found, operation_index v) {
    return std::ranges::count_if(found.plan->schedule.steps,
                                 [&](auto const& s) { return s.what == action::compute && s.vertex == v; });
}
template <class Graph>
auto refusal_of(Graph const& g, value_policies policies) -> std::string {
    try {
        static_cast<void>(plan(g, 100, {.policies = std::move(policies)}));
    } catch (bad_graph const& e) {
        return e.what();
    }
    return "none";
}

/// Plans a random dataflow with policies over a link, and counts plans, and those with copies.
void plan_over_a_link(std::uint64_t seed, std::size_t& plans, std::size_t& copied) {
    support::split_mix random(seed);
    support::swap_case c{.flow = support::any_full_dataflow(random), .via = support::random_link(random)};
    auto const peak = replay(c.flow, make_schedule(c.flow)).peak;
    c.budget = support::between(random, peak / 2, peak);
    auto options = c.options(300);
    options.policies = support::random_policies(random, c.flow);
    if (seed % 2 == 0) options.policies.must_recompute.clear();
    try {
        auto const found = plan(c.flow, c.budget, options);
        CHECK(support::swap_fault(c, found) == "");
        if (!found.plan) return;
        CHECK(verify_policies(c.flow, found.plan->schedule, options.policies));
        ++plans;
        copied += found.plan->cost.bytes_out > 0 ? 1U : 0U;
    } catch (bad_graph const&) {  // they contradict the graph
    }
}

}  // namespace

TEST_CASE("value policies: what must be recomputed is, though there is memory for it, and that is proven least") {
    auto const training = trained_chain(4);
    value_policies const policies{.must_recompute = {{1, 0}}};
    auto const found = plan(training, 100, {.policies = policies});
    REQUIRE(found.plan);
    CHECK(runs_of(found, 1) == 2);
    CHECK((found.plan->cost.overhead == 1 && found.lower_bound == 1 && found.proven));
    CHECK(verify_policies(training, found.plan->schedule, policies));
    CHECK(verify_policies(training, make_schedule(training.flow), policies).message() ==
          "step 4: vertex 1 must be recomputed, and is kept for the backward pass");
}

TEST_CASE("value policies: what must be kept is computed once, and the bound counts that") {
    auto const training = trained_chain(6);
    auto const budget = plan(training, 0).floor.size + 1;
    auto const freely = plan(training, budget);
    REQUIRE(freely.plan);
    operation_index again = 0;
    while (again < 6 && runs_of(freely, again) == 1) ++again;
    REQUIRE(again < 6);
    value_policies const policies{.must_keep = {{again, 0}}};
    CHECK_FALSE(verify_policies(training, freely.plan->schedule, policies));
    auto const kept = plan(training, budget + 1, {.policies = policies});
    REQUIRE(kept.plan);
    CHECK(runs_of(kept, again) == 1);
    CHECK((kept.proven && kept.lower_bound >= plan(training, budget + 1).lower_bound));
}

TEST_CASE("value policies: only what the backward pass reads is recomputed") {
    // Of a chain, value 1 is read by no gradient; of value 2, only a gradient of a reader.
    std::vector<std::vector<int>> const net{{1}, {2}, {}};
    gradient_dependencies const depends{[](int v) { return v != 2; }, [](int v) { return v == 2; }};
    auto const step = make_training_problem(net, weights{unit_weight{}, unit_weight{}}, depends);
    auto const found = plan(step, 100, {.policies = {.must_recompute = {{0, 0}, {1, 0}}}});
    auto const all = plan(step, 100);
    REQUIRE((found.plan && all.plan));
    CHECK(all.plan->cost.overhead == 0);
    CHECK((found.plan->cost.overhead == 1 && found.proven));
}

TEST_CASE("value policies: a value that must be recomputed is read in the forward pass again, where that runs again") {
    // The budget makes the operations between run again, which read values that must not be kept.
    auto const training = trained_chain(8);
    value_policies const policies{.must_recompute = {{1, 0}, {3, 0}, {5, 0}}};
    auto const most = plan(training, 100, {.policies = policies});
    REQUIRE((most.plan && most.proven && most.plan->cost.overhead == 3));
    std::vector<bytes> budgets;
    for (bytes b = most.floor.size; b <= most.plan->cost.peak; ++b) budgets.push_back(b);
    auto const curve = plan(training, budgets, {.limits = {.work = 3000}, .policies = policies});
    CHECK(support::curve_fault(curve) == "");
    CHECK(std::ranges::count_if(curve, [](auto const& found) { return found.plan.has_value(); }) > 2);
    CHECK(std::ranges::any_of(curve, [](auto const& f) { return f.plan && f.plan->cost.overhead > 3; }));
    for (auto const& found : curve)
        if (found.plan) CHECK(verify_policies(training, found.plan->schedule, policies));
}

TEST_CASE("value policies: of random dataflows with every feature plans keep them, and bounds and proofs are true") {
    constexpr std::size_t most_states = 3000;
    std::size_t plans = 0, searched = 0, proven = 0, refused = 0;
    for (std::uint64_t seed = 0; seed < support::cases(150); ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::any_full_dataflow(random);
        plan_options options{.limits = {.work = 300}};
        auto const most = replay(flow, make_schedule(flow)).peak + 2;
        auto const floor = plan(flow, most, options).floor.size;
        auto const budget = support::between(random, floor, most);
        options.policies = support::random_policies(random, flow);
        std::vector<automatic_plan<>> curve;
        policy_marks marks;
        try {
            marks = detail::mark_policies(flow, options.policies);
            curve = plan(flow, std::vector{floor, budget, most}, options);
        } catch (bad_graph const&) {
            ++refused;
            continue;
        }
        auto const truth = support::exhaustive_search(flow, budget, most_states, &marks);
        CHECK(support::plan_fault(flow, budget, curve[1], truth) == "");
        CHECK(support::curve_fault(curve) == "");
        for (auto const& found : curve)
            if (found.plan) CHECK(verify_policies(flow, found.plan->schedule, options.policies));
        searched += truth.searched ? 1U : 0U;
        plans += curve[1].plan ? 1U : 0U;
        proven += curve[1].plan && curve[1].proven ? 1U : 0U;
    }
    CHECK(searched > support::cases(60));
    CHECK(plans > support::cases(40));
    CHECK(proven > support::cases(25));
    CHECK(refused > support::cases(5));
}

TEST_CASE("value policies: of small graphs, circles of producers among them, the plan is the fastest that keeps them") {
    std::size_t planned = 0, impossible = 0;
    for (std::uint64_t seed = 0; seed < support::cases(150); ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::any_small_dataflow(random);
        auto const most = replay(flow, make_schedule(flow)).peak;
        auto const budget = support::between(random, find_memory_floor(flow).size, most);
        auto const policies = support::random_policies(random, flow);
        policy_marks marks;
        automatic_plan<> found;
        try {
            marks = detail::mark_policies(flow, policies);
            found = plan(flow, budget, {.policies = policies});
        } catch (bad_graph const&) {  // refused: of that, another test
            continue;
        }
        auto const truth = support::exhaustive_search(flow, budget, 10'000, &marks);
        if (!truth.searched) continue;
        CHECK(support::plan_fault(flow, budget, found, truth) == "");
        CHECK(found.plan.has_value() == truth.least_time.has_value());
        ++(found.plan ? planned : impossible);
        if (!found.plan || !truth.least_time) continue;
        CHECK(found.plan->cost.time == *truth.least_time);
        CHECK(verify_policies(flow, found.plan->schedule, policies));
    }
    CHECK(planned > support::cases(50));
    CHECK(impossible > support::cases(10));
}

TEST_CASE("value policies: a producer that runs once is no obstacle where another makes the value again") {
    dataflow_builder b;
    auto const once = b.add_operation(1, 0, false), other = b.add_operation(5), use = b.add_operation(1),
               back = b.add_operation(1);
    auto const x = b.add_value(once, 4);
    b.add_producer(other, x);
    auto const y = b.add_value(use, 1), end = b.add_value(back, 1);
    for (auto const& [reader, read] : {std::pair{use, x}, {back, x}, {back, y}}) b.add_read(reader, read);
    b.add_result(end);
    auto const flow = std::move(b).build();
    auto const found = plan(flow, 100, {.policies = {.must_recompute = {{once, 0}}, .backward = {back}}});
    REQUIRE(found.plan);
    CHECK(found.plan->cost.time == 8);
    CHECK(found.proven);
    // The other one may run once, too: it is that once.
    auto const each_once = edit(flow, {.run_once = {other}});
    CHECK(plan(each_once, 100, {.policies = {.must_recompute = {{once, 0}}, .backward = {back}}}).time_least());
}

TEST_CASE("value policies: over a link, too, plans keep them") {
    std::size_t plans = 0, copied = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        INFO("seed " << seed);
        plan_over_a_link(seed, plans, copied);
    }
    CHECK(plans > 30);
    CHECK(copied > 5);
}

TEST_CASE("value policies: what must be kept is not copied to the host, though its views may go") {
    dataflow_builder builder;
    for (std::int64_t const time : {50, 0, 50, 1, 1}) builder.add_operation(time);
    auto const x = builder.add_value(0, 4);
    builder.add_read(1, x);
    auto const view = builder.add_view(1, std::array{x});
    builder.add_read(3, builder.add_value(2, 8));
    builder.add_read(4, builder.add_value(3, 1));
    builder.add_read(4, view);
    for (operation_index const u : {0U, 1U}) builder.add_control_edge(u, 2);
    builder.add_control_edge(3, 4);
    auto const flow = std::move(builder).build();
    plan_options options{.link = host_link{.size = 4, .time = 1}};
    auto const copied = plan(flow, 12, options);
    REQUIRE(copied.plan);
    CHECK(copied.plan->cost.bytes_out == 4);
    options.policies.must_keep = {{0, 0}};
    CHECK(!plan(flow, 12, options).plan);
    CHECK(plan(flow, 13, options).plan);
}

TEST_CASE("value policies: what cannot be kept is refused, and the message names the vertex") {
    auto training = trained_chain(3);
    CHECK(refusal_of(training, {.must_recompute = {{99, 0}}}) ==
          "output 0 of vertex 99 has a policy and does not exist");
    CHECK(refusal_of(training, {.must_keep = {{1, 0}}, .must_recompute = {{1, 0}}}) ==
          "vertex 1 must be kept and must be recomputed");
    CHECK(refusal_of(training, {.must_recompute = {{4, 0}}}) ==
          "vertex 4 must be recomputed, and is of the backward pass");
    CHECK(refusal_of(training, {.must_recompute = {{1, 0}}, .backward = {4}}) ==
          "vertex 4 is named for the backward pass of a training graph, which knows its own");
    CHECK(refusal_of(training.flow, {.must_recompute = {{1, 0}}}) ==
          "vertex 1 must be recomputed in the backward pass, and there is none");
    CHECK(refusal_of(training.flow, {.must_recompute = {{1, 0}}, .backward = {99}}) ==
          "vertex 99 is said to be of the backward pass and does not exist");
    CHECK(refusal_of(training.flow, {.backward = {99}}) ==
          "vertex 99 is said to be of the backward pass and does not exist");
    CHECK(refusal_of(training.flow, {.must_recompute = {{1, 0}}, .backward = {0}}) ==
          "vertex 1 of the forward pass comes after vertex 0 of the backward pass");
    auto const once = edit(training, {.run_once = {1}});
    CHECK(refusal_of(once, {.must_recompute = {{1, 0}}}) == "vertex 1 must be recomputed, and its operation runs once");
    CHECK_THROWS_AS(edit(training.flow, {.run_once = {99}}), bad_graph);
    training.origin.pop_back();
    CHECK(refusal_of(training, {.must_keep = {{1, 0}}}) == "the training graph has the origin of 5 of 6 operations");
}

TEST_CASE("value policies: a view of what must be recomputed is recomputed with it, and a result at the end") {
    // 0 -> view 1 -> 2 in the forward pass; the backward pass reads the view, and makes another of the same value.
    dataflow_builder builder;
    for (int v = 0; v < 5; ++v) builder.add_operation(v == 1 ? 0 : 1);
    auto const x = builder.add_value(0, 8);
    auto const view = builder.add_view(1, std::vector{x});
    builder.add_value(2, 1);
    auto const late = builder.add_view(3, std::vector{x});
    builder.add_value(4, 1);
    builder.add_read(1, x);
    builder.add_read(2, view);
    builder.add_read(3, x);
    for (auto const read : {view, late}) builder.add_read(4, read);
    builder.add_control_edge(2, 3);
    builder.add_result(x);
    auto const flow = std::move(builder).build();
    CHECK(detail::describe(flow, view) == "vertex 1");
    value_policies const policies{.must_recompute = {{0, 0}}, .backward = {3, 4}};
    auto const found = plan(flow, 100, {.policies = policies});
    REQUIRE(found.plan);
    CHECK((runs_of(found, 0) == 2 && runs_of(found, 1) == 2 && found.plan->cost.overhead == 1 && found.proven));
    CHECK(refusal_of(flow, {.must_keep = {{1, 0}}, .must_recompute = {{0, 0}}, .backward = {3, 4}}) ==
          "vertex 1 must be kept and must be recomputed, as what it is a view of");
}

TEST_CASE("value policies: what must be recomputed is, with what the forward pass overwrote for it") {
    // 1 writes over the value of 0; the backward pass reads what 1 wrote.
    dataflow_builder builder;
    for (int v = 0; v < 4; ++v) builder.add_operation(1);
    auto const x = builder.add_value(0, 4), y = builder.add_value(1, 4);
    builder.add_value(2, 1);
    builder.add_value(3, 1);
    builder.add_read(1, x);
    builder.add_mutation(1, 0, x);
    builder.add_read(2, y);
    builder.add_read(3, y);
    builder.add_control_edge(2, 3);
    auto const flow = std::move(builder).build();
    value_policies const policies{.must_recompute = {{1, 0}}, .backward = {3}};
    auto const found = plan(flow, 5, {.policies = policies});
    REQUIRE(found.plan);
    CHECK((found.plan->cost.overhead == 2 && found.proven));
    auto const once = edit(flow, {.run_once = {0}});
    CHECK(refusal_of(once, policies) ==
          "vertex 0, which the forward pass overwrites, is read by what must be recomputed, and its operation runs "
          "once");
}

TEST_CASE("value policies: the bound does not count what may be made twice before the backward pass") {
    // 2 writes over the value of 1, which reads 0: where 1 runs twice before, 0 runs once.
    dataflow_builder builder;
    for (int v = 0; v < 4; ++v) builder.add_operation(1);
    auto const x = builder.add_value(0, 1), y = builder.add_value(1, 1), z = builder.add_value(2, 1);
    builder.add_value(3, 1);
    builder.add_read(1, x);
    builder.add_read(2, y);
    builder.add_mutation(2, 0, y);
    builder.add_read(3, z);
    auto const flow = std::move(builder).build();
    value_policies const policies{.must_recompute = {{0, 0}, {2, 0}}, .backward = {3}};
    auto const marks = detail::mark_policies(flow, policies);
    auto const truth = support::exhaustive_search(flow, 10, 1000, &marks);
    CHECK(truth.least_time == 6);
    auto const found = plan(flow, 10, {.policies = policies});
    CHECK(support::plan_fault(flow, 10, found, truth) == "");
    CHECK((found.plan && found.lower_bound == 2));
}

TEST_CASE("verify_policies: a copy in the host pool is kept for the backward pass, and is not kept in place") {
    auto const training = trained_chain(2);
    schedule_builder steps(training.flow);
    auto const x = training.flow.writes(0).front();
    steps.compute(0);
    steps.offload(x);
    steps.discard(x);
    steps.prefetch(x);
    steps.compute(1);
    steps.discard(x);
    steps.compute(2);
    auto const made = std::move(steps).finish();
    CHECK(verify_policies(training, made, {.must_keep = {{0, 0}}}).message() ==
          "step 3: vertex 0 must be kept, and was not");
    CHECK(verify_policies(training, made, {.must_recompute = {{0, 0}}}).message() ==
          "step 6: vertex 0 must be recomputed, and is kept for the backward pass");
    CHECK(verify_policies(training, {{{.vertex = 99}}}, {.must_keep = {{0, 0}}}).message() ==
          "step 0: vertex 99 or its output does not exist");
}
