// Covers graph/dataflow/detail/needed_operations.hpp, recompute/keep_all.hpp, plan.hpp.
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/graph/dataflow/detail/needed_operations.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/verify_schedule.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/swap_cases.hpp"

using namespace repebble;

namespace {

/// Layers of 50 units, whose gradients of 100 read their input, or a copy of a quarter of the bytes that one unit
/// makes.
auto layers_with_copies(int count) -> dataflow {
    dataflow_builder b;
    std::vector<value_index> inputs{b.add_value(b.add_operation(1, 0, false), 100)};
    for (int l = 0; l < count; ++l) {
        auto const layer = b.add_operation(50);
        b.add_read(layer, inputs.back());
        inputs.push_back(b.add_value(layer, 100));
    }
    auto const loss = b.add_operation(1);
    b.add_read(loss, inputs.back());
    auto gradient = b.add_value(loss, 100);
    for (int l = count; l-- > 0;) {
        auto const input = inputs[static_cast<std::size_t>(l)];
        auto const rounding = b.add_operation(1);
        b.add_read(rounding, input);
        auto const copy = b.add_value(rounding, 25);
        auto const of_input = b.add_operation(100), of_copy = b.add_operation(100);
        b.add_read(of_input, gradient);
        b.add_read(of_input, input);
        b.add_read(of_copy, gradient);
        b.add_read(of_copy, copy);
        gradient = b.add_value(of_input, 100);
        b.add_producer(of_copy, gradient);
    }
    return std::move(b).build();
}

/// Adds a loss of one unit, and for each layer, from the last on, a gradient of so much time that reads its input.
auto with_gradients(dataflow_builder b, std::vector<value_index> const& inputs, std::int64_t time) -> dataflow {
    auto const loss = b.add_operation(1);
    b.add_read(loss, inputs.back());
    auto gradient = b.add_value(loss, 100);
    for (auto l = inputs.size() - 1; l-- > 0;) {
        auto const of_layer = b.add_operation(time);
        b.add_read(of_layer, gradient);
        b.add_read(of_layer, inputs[l]);
        gradient = b.add_value(of_layer, 100);
    }
    b.add_result(gradient);
    return std::move(b).build();
}

/// The same layers, whose inputs are made again of the copies, each by one unit: in a circle.
auto layers_made_again_of_copies(int count) -> dataflow {
    dataflow_builder b;
    std::vector<value_index> inputs{b.add_value(b.add_operation(1, 0, false), 100)};
    for (int l = 0; l < count; ++l) {
        auto const layer = b.add_operation(50);
        b.add_read(layer, inputs.back());
        inputs.push_back(b.add_value(layer, 100));
        auto const rounding = b.add_operation(1), widening = b.add_operation(1);
        b.add_read(rounding, inputs.back());
        b.add_read(widening, b.add_value(rounding, 25));
        b.add_producer(widening, inputs.back());
    }
    return with_gradients(std::move(b), inputs, 100);
}

/// Reversible layers of 10 units and 100 bytes: the input of each comes again of its output, in as much time. Gradients
/// take 20 units and read the input.
auto reversible_layers(int count) -> dataflow {
    dataflow_builder b;
    std::vector<value_index> inputs{b.add_value(b.add_operation(1, 0, false), 100)};
    for (int l = 0; l < count; ++l) {
        auto const layer = b.add_operation(10), inverse = b.add_operation(10);
        b.add_read(layer, inputs.back());
        inputs.push_back(b.add_value(layer, 100));
        b.add_read(inverse, inputs.back());
        b.add_producer(inverse, inputs[inputs.size() - 2]);
    }
    return with_gradients(std::move(b), inputs, 20);
}

/// Least time of a set of operations that makes a legal schedule, each once: by trying all sets.
auto least_of_all_sets(dataflow const& flow) -> std::int64_t {
    auto least = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t set = 0; set < 1U << flow.operation_count(); ++set) {
        std::vector<operation_index> some;
        std::int64_t time = 0;
        for (auto const v : flow.order())
            if ((set >> v & 1U) != 0) {
                some.push_back(v);
                time += flow.time(v);
            }
        if (time < least && verify_schedule(flow, make_schedule(flow, some))) least = time;
    }
    return least;
}

/// A dataflow without views, mutations and alternatives with one more operation, which makes a value that one has made
/// so far, of the same inputs, but takes longer. As it is where it has no operation that is no input.
auto with_slow_maker(dataflow const& flow, support::split_mix& random) -> dataflow {
    dataflow_builder b;
    std::vector<value_index> made;
    for (operation_index v = 0; v < flow.operation_count(); ++v) b.add_copy(flow, v);
    for (value_index x = 0; x < flow.value_count(); ++x) {
        b.add_value(flow.producers(x).front(), flow.size(x));
        if (!flow.is_input(flow.producers(x).front())) made.push_back(x);
    }
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        for (auto const x : flow.operands(v)) b.add_read(v, x);
        for (auto const u : flow.control_predecessors(v)) b.add_control_edge(u, v);
        for (auto const& o : flow.allowed_overwrites(v)) b.allow_overwrite(v, o.output, o.over);
    }
    for (auto const x : flow.results()) b.add_result(x);
    if (!made.empty()) {
        auto const x = made[support::below(random, made.size())];
        auto const maker = flow.producers(x).front();
        auto const slow = b.add_operation(flow.time(maker) + 100, flow.workspace(maker));
        for (auto const read : flow.operands(maker)) b.add_read(slow, read);
        for (auto const u : flow.control_predecessors(maker)) b.add_control_edge(u, slow);
        b.add_producer(slow, x);
    }
    return std::move(b).build();
}

}  // namespace

TEST_CASE("copies that only some alternatives read are neither counted nor made where nothing is recomputed") {
    auto const flow = layers_with_copies(8);
    CHECK(flow.time_once() == 1202);
    auto const kept = keep_all(flow);
    CHECK(kept.cost.time == 1202);
    CHECK(kept.cost.overhead == 0);
    CHECK(kept.cost.peak == 1000);
}

TEST_CASE("plan: the fastest alternatives are proven least where they fit, and a smaller budget takes copies") {
    auto const flow = layers_with_copies(8);
    auto const full = plan(flow, 1000);
    REQUIRE(full.plan);
    CHECK(full.plan->cost.time == 1202);
    CHECK(full.proven);
    auto const half = plan(flow, 500);
    REQUIRE(half.plan);
    CHECK(half.plan->cost.time == 1209);
    CHECK(half.lower_bound >= 0);
}

TEST_CASE("no set of operations takes less than the time that every schedule takes, and the cheapest is legal",
          "[property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(random, {.operations = 9, .alternative_percent = 50});
        auto const least = least_of_all_sets(flow);
        RC_ASSERT(flow.time_once() <= least);
        auto const kept = keep_all(flow);
        RC_ASSERT(kept.cost.time >= least);
    }));
}

TEST_CASE("plan: values that come again of copies made of them, in a circle") {
    auto const flow = layers_made_again_of_copies(8);
    CHECK(flow.time_once() == 1202);
    CHECK(keep_all(flow).cost.overhead == 0);
    auto const full = plan(flow, 1000);
    REQUIRE(full.plan);
    CHECK(full.plan->cost.overhead == 0);
    CHECK(full.proven);
    auto const half = plan(layers_made_again_of_copies(24), 1100, {.limits = {.work = 400'000}});
    REQUIRE(half.plan);
    CHECK(half.plan->cost.overhead <= 2 * 24);  // each layer is rounded and widened once
    CHECK(half.lower_bound >= 0);
}

TEST_CASE("a producer that reads a view of what it makes makes nothing new in the model, where that holds its bytes") {
    dataflow_builder b;
    auto const make = b.add_operation(1), look = b.add_operation(0), again = b.add_operation(1, 2),
               last = b.add_operation(1);
    auto const x = b.add_value(make, 8);
    b.add_read(look, x);
    auto const view = b.add_view(look, std::vector{x});
    b.add_producer(again, x);
    auto const y = b.add_value(again, 4);
    b.add_read(again, view);
    for (auto const read : {x, y}) b.add_read(last, read);
    auto const flow = std::move(b).build();
    auto const contracted = detail::contract_views(flow);
    auto const m = detail::make_planning_model(contracted.flow());
    auto const v = contracted.representative[again];
    CHECK(m.writes[v].size() == 1);
    CHECK(m.operations[v].own == 14);
    CHECK(m.producers[m.reads[v].front()].size() == 1);
    CHECK(plan(flow, 22).time_least());
}

TEST_CASE("keep_all: what a producer needs is made before it, though a later producer is cheaper") {
    dataflow_builder b;
    auto const one = b.add_operation(10), other = b.add_operation(12), between = b.add_operation(1),
               back = b.add_operation(1), last = b.add_operation(1);
    auto const x = b.add_value(one, 8);
    b.add_producer(other, x);
    b.add_read(between, x);
    auto const made = b.add_value(between, 4);
    b.add_read(back, made);
    b.add_producer(back, x);
    b.add_read(last, x);
    b.add_read(last, made);
    auto const flow = std::move(b).build();
    auto const kept = keep_all(flow);
    CHECK(verify_schedule(flow, kept.schedule));
    CHECK(kept.cost.time <= 13);
    auto const found = plan(flow, 100);
    REQUIRE(found.plan);
    CHECK(found.plan->cost.time == 12);
    CHECK(found.proven);
}

TEST_CASE("plan: the inputs of reversible layers are computed again of their outputs") {
    auto const flow = reversible_layers(8);
    CHECK(flow.time_once() == 242);
    for (auto const& [budget, time] : {std::pair{400, 302}, {300, 312}}) {
        auto const found = plan(flow, budget);
        REQUIRE(found.plan);
        CHECK(found.plan->cost.time == time);
        CHECK(found.proven);
    }
    auto const none = plan(flow, 299);
    CHECK_FALSE(none.plan);
    CHECK(none.proven);
}

TEST_CASE("plan over a link: where values have several makers, they are copied as others are") {
    auto const flow = layers_with_copies(8);
    plan_options const options{.limits = {.work = 2'000}, .link = host_link{.size = 10, .time = 1}};
    auto const found = plan(flow, 500, options);
    REQUIRE(found.plan);
    CHECK(found.plan->cost.overhead == 0);
    CHECK(found.plan->cost.bytes_out > 0);
    CHECK(found.proven);
}

TEST_CASE("plan over a link: a bound holds for the makers, too, that no plan with copies runs") {
    for (int const count : {2, 3, 8})
        for (bytes const budget : {250, 300, 350, 400, 450, 500, 600}) {
            INFO(count << " layers within " << budget);
            auto const flow = layers_with_copies(count);
            auto const alone = plan(flow, budget, {.limits = {.work = 2'000}});
            support::swap_case const slow{.flow = flow, .via = {.size = 1, .time = 10}, .budget = budget};
            for (std::size_t const moves : {std::size_t{0}, std::size_t{5}, std::size_t{2'000}}) {
                auto const found = plan(flow, budget, slow.options(moves));
                CHECK(support::swap_fault(slow, found) == "");
                if (alone.plan) CHECK(found.lower_bound <= alone.plan->cost.overhead);
            }
        }
}

TEST_CASE("plan over a link: beside several makers no bound of few moves is above what more moves find") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        support::full_shape const shape{.operations = 3 + support::below(random, 6),
                                        .view_percent = 0,
                                        .alternative_percent = 60,
                                        .mutation_percent = 0,
                                        .overwrite_percent = 0,
                                        .most_bytes = 9};
        support::swap_case c{.flow = support::random_full_dataflow(random, shape), .via = support::random_link(random)};
        auto const high = replay(c.flow, make_schedule(c.flow)).peak;
        c.budget = support::between(random, high / 2, high);
        auto const few = plan(c.flow, c.budget, c.options(10)), many = plan(c.flow, c.budget, c.options(2'000));
        if (!few.plan || !many.plan) continue;
        CHECK(few.lower_bound <= many.plan->cost.overhead);
        auto const alone = plan(c.flow, c.budget, {.limits = {.work = 2'000}});
        if (alone.plan) CHECK(few.lower_bound <= alone.plan->cost.overhead);
    }
}

TEST_CASE("plan over a link: a plan may begin with the producer that it would not run where everything is kept") {
    dataflow_builder b;
    auto const fast = b.add_operation(1, 20), slow = b.add_operation(5), middle = b.add_operation(1),
               last = b.add_operation(1);
    auto const x = b.add_value(fast, 2), y = b.add_value(middle, 2);
    b.add_producer(slow, x);
    b.add_read(middle, x);
    for (auto const read : {y, x}) b.add_read(last, read);
    b.add_value(last, 2);
    support::swap_case c{.flow = std::move(b).build(), .via = {.size = 1, .time = 1}};
    for (c.budget = 4; c.budget < 26; ++c.budget) {
        INFO("within " << c.budget);
        auto const found = plan(c.flow, c.budget, c.options(200));
        CHECK(support::swap_fault(c, found) == "");
        CHECK(found.plan.has_value() == (c.budget >= 6));
        if (found.plan) CHECK(found.plan->cost.time == (c.budget >= 22 ? 3 : 7));
    }
}

TEST_CASE("plan over a link: nothing is proven of the producers that plans with copies do not run") {
    dataflow_builder b;
    auto const make = b.add_operation(10), use = b.add_operation(1), fast = b.add_operation(1, 20),
               slow = b.add_operation(5), wide = b.add_operation(5, 8), last = b.add_operation(1);
    auto const kept = b.add_value(make, 4), small = b.add_value(use, 1), x = b.add_value(fast, 2);
    b.add_producer(slow, x);
    auto const y = b.add_value(wide, 1);
    for (auto const& [reader, read] : {std::pair{use, kept}, {wide, small}, {wide, x}, {last, y}, {last, kept}})
        b.add_read(reader, read);
    b.add_result(b.add_value(last, 1));
    auto const flow = std::move(b).build();
    host_link const via{.size = 4, .time = 1};
    // The fast producer does not fit. Beside the slow one, what is kept is copied out.
    schedule_builder list(flow);
    list.compute(make);
    list.compute(use);
    list.offload(kept);
    list.compute(slow);
    list.discard(kept);
    list.compute(wide);
    list.discard(x);
    list.discard(small);
    list.prefetch(kept);
    list.compute(last);
    auto const [best, broken] = verify_schedule(flow, std::move(list).finish(), {}, lanes_clock(via));
    REQUIRE_FALSE(broken);
    CHECK((best.time == 23 && best.peak == 12));
    auto const found = plan(flow, 12, {.link = via});
    REQUIRE(found.plan);
    CHECK(found.lower_bound <= best.overhead);
    CHECK(found.base_order_bound <= best.overhead);
}

TEST_CASE("plan over a link: where the best plan with copies breaks a policy, that without a link counts") {
    dataflow_builder b;
    auto const first = b.add_operation(5), second = b.add_operation(3), third = b.add_operation(4, 1);
    b.add_value(second, 6);
    auto const read = b.add_value(second, 0), both = b.add_value(first, 6);
    b.add_value(first, 4);
    b.add_value(first, 1);
    b.add_read(third, read);
    b.add_producer(third, both);
    auto const flow = std::move(b).build();
    plan_options options{.limits = {.work = 2'000},
                         .policies = {.must_recompute = {{second, 0}, {first, 2}}, .backward = {third}}};
    auto const alone = plan(flow, 11, options);
    REQUIRE(alone.plan);
    CHECK(alone.plan->cost.time == 5);
    options.link = host_link{.size = 2, .time = 2};
    auto const found = plan(flow, 11, options);
    REQUIRE(found.plan);
    CHECK(found.plan->cost.time == 5);
}

TEST_CASE("plan over a link: inputs alone are a plan, whatever views of them there are") {
    dataflow_builder b;
    auto const x = b.add_value(b.add_input(), 3);
    b.add_result(x);
    for (int k = 0; k < 3; ++k) {
        auto const v = b.add_operation(0);
        b.add_read(v, x);
        b.add_result(b.add_view(v, std::span(&x, 1)));
    }
    auto const found = plan(std::move(b).build(), 3, {.link = host_link{}});
    CHECK((found.plan && found.proven && found.plan->cost.peak == 3));
}

TEST_CASE("plan over a link: another maker of a value, which takes longer, changes nothing") {
    std::size_t plans = 0, same = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto c = support::random_swap_case(random, 14);
        auto const options = c.options(2'000);
        auto const expected = plan(c.flow, c.budget, options);
        c.flow = with_slow_maker(c.flow, random);
        auto const found = plan(c.flow, c.budget, options);
        CHECK(support::swap_fault(c, found) == "");
        if (!expected.plan) continue;
        REQUIRE(found.plan);
        ++plans;
        same += found.plan->cost.time <= expected.plan->cost.time ? 1U : 0U;
    }
    CHECK(plans > 40);
    CHECK(100 * same >= 97 * plans);
}
