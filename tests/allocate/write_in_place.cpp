// Covers allocate/write_in_place.hpp, allocate/lifetimes.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/write_in_place.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/computations.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::computations;
using support::in_place_count;

namespace {

static_assert(overwrite_rule<always> && overwrite_rule<never>);
static_assert(!overwrite_rule<int> && !overwrite_rule<bool (*)(operation_index)>);

auto storage_count(dataflow const& flow, schedule<> const& plan) { return find_lifetimes(flow, plan).buffers.size(); }
/// One byte for every vertex of a graph.
auto unit_flow(std::vector<std::vector<int>> const& g) { return make_dataflow(g, weights{unit_weight{}}); }

}  // namespace

TEST_CASE("three chained sigmoids share one storage", "[in_place]") {
    auto const flow = unit_flow({{1}, {2}, {3}, {}});
    auto const plan = make_schedule(flow);
    auto const in_place = write_in_place(flow, plan, always{});
    CHECK(replay(flow, plan).peak == 2);
    CHECK(replay(flow, in_place).peak == 1);
    CHECK(storage_count(flow, in_place) == 1);
    CHECK(computations(in_place) == computations(plan));
    CHECK(write_in_place(flow, plan, never{}) == plan);
}

TEST_CASE("the in-place trap: a value that another operation reads later is not written over", "[in_place]") {
    // B is read by C = sigmoid(B), and later by F.
    enum : operation_index { a, b, c, f };
    auto const flow = unit_flow({{b}, {c, f}, {f}, {}});
    auto const in_place = write_in_place(flow, make_schedule(flow), always{});
    schedule_builder expected(flow);
    expected.compute(a);
    expected.compute_in_place(b, 0, a);
    expected.compute(c);
    expected.compute_in_place(f, 0, b);
    expected.discard(c);
    expected.discard(f);
    CHECK(in_place == std::move(expected).finish());
    CHECK(replay(flow, in_place).peak == 2);
}

TEST_CASE("a value that stays to the end is not written over", "[in_place]") {
    auto const flow = unit_flow({{1}, {}});
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    auto const kept = std::move(plan).finish();
    CHECK(write_in_place(flow, kept, always{}) == kept);
    auto const both = write_in_place(flow, kept, always{});
    CHECK(replay(flow, both, {.resident_at_end = {0, 1}}).peak == 2);
}

TEST_CASE("a late discard moves forward", "[in_place]") {
    auto const flow = unit_flow({{1}, {2}, {}});
    schedule_builder plan(flow);
    for (operation_index const v : {0U, 1U, 2U}) plan.compute(v);
    for (value_index const x : {0U, 1U}) plan.discard(x);
    auto const in_place = write_in_place(flow, std::move(plan).finish(), always{});
    CHECK(replay(flow, in_place, {.profile = true}).profile == std::vector<bytes>{1, 1, 1});
}

TEST_CASE("of several inputs the best fit is written over, the largest output first, then the longest kept",
          "[in_place]") {
    dataflow_builder builder;
    for (int i = 0; i < 5; ++i) builder.add_operation(1);
    for (auto const& [v, size] : {std::pair{0U, 4}, {1U, 8}, {2U, 8}, {3U, 4}}) builder.add_value(v, size);
    builder.add_value(4, 4);
    builder.add_value(4, 8);
    for (value_index const x : {0U, 1U, 2U, 3U}) builder.add_read(4, x);
    auto const flow = std::move(builder).build();
    auto const with_discards = [&](std::initializer_list<value_index> order) {
        schedule_builder plan(flow);
        for (operation_index v = 0; v < 5; ++v) plan.compute(v);
        for (auto const x : order) plan.discard(x);
        auto const in_place = write_in_place(flow, std::move(plan).finish(), always{});
        auto const found = std::ranges::find_if(in_place.steps, [](auto const& s) { return s.in_place; });
        return std::pair(found->output, found->over);
    };
    CHECK(with_discards({0, 1, 2, 3}) == std::pair(1U, 2U));
    CHECK(with_discards({2, 1, 0, 3}) == std::pair(1U, 1U));
    CHECK(replay(flow, write_in_place(flow, make_schedule(flow), always{})).peak == 28);  // of 36
}

TEST_CASE("a small output takes over a large storage only with slack, and only if that lowers the peak", "[in_place]") {
    // 0 and 1 take 8 and 6 bytes; 2 reads 1 again, beside a workspace.
    auto const chain = [](bytes workspace) {
        dataflow_builder builder;
        for (int i = 0; i < 3; ++i) builder.add_operation(1, i == 2 ? workspace : 0);
        for (operation_index v = 0; v < 3; ++v) builder.add_value(v, 8 - 2 * v);
        builder.add_read(1, 0);
        builder.add_read(2, 1);
        return std::move(builder).build();
    };
    auto const flow = chain(0);
    auto const plan = make_schedule(flow);
    CHECK(write_in_place(flow, plan, always{}) == plan);
    CHECK(write_in_place(flow, plan, always{}, {.slack = 1}) == plan);
    auto const loose = write_in_place(flow, plan, always{}, {.slack = 4});
    CHECK(storage_count(flow, loose) == 1);
    CHECK(replay(flow, loose).peak == 8);  // not 14
    CHECK(write_in_place(flow, loose, always{}, {.slack = 4}) == loose);

    // Beside 10 bytes of workspace 2 takes 6 + 4: all in the 8 of 0 is less, but 1 alone in them is 8 + 4.
    auto const wide = chain(10);
    CHECK(replay(wide, make_schedule(wide)).peak == 20);
    CHECK(replay(wide, write_in_place(wide, make_schedule(wide), always{}, {.slack = 4})).peak == 18);
    CHECK(write_in_place(wide, make_schedule(wide), always{}, {.slack = 2}) == make_schedule(wide));
    CHECK(write_in_place(wide, make_schedule(wide), never{}, {.slack = 4}) == make_schedule(wide));
    CHECK_THROWS_AS(write_in_place(flow, plan, always{}, {.slack = -1}), precondition_violated);
}

TEST_CASE("a value with a view that lives on is not written over; through its last name it is", "[in_place]") {
    // 1 makes a view of 0's value; 2 reads the value, 3 the view.
    dataflow_builder builder;
    for (int i = 0; i < 4; ++i) builder.add_operation(1);
    std::vector<value_index> const owner{builder.add_value(0, 4)};
    auto const view = builder.add_view(1, owner);
    builder.add_value(2, 4);
    builder.add_value(3, 4);
    builder.add_read(1, owner.front());
    builder.add_read(2, owner.front());
    builder.add_read(3, view);
    auto const flow = std::move(builder).build();
    auto const in_place = write_in_place(flow, make_schedule(flow), always{});
    CHECK(in_place_count(in_place) == 1);
    CHECK(in_place.steps.back().what == action::discard);
    CHECK(replay(flow, in_place, {.profile = true}).profile == std::vector<bytes>{4, 4, 8, 8, 8, 4, 4});
    // The owner is discarded before its view is written over, though the schedule keeps it longer.
    schedule_builder plan(flow);
    for (operation_index v = 0; v < 4; ++v) plan.compute(v);
    for (value_index const x : {2U, 1U, 0U, 3U}) plan.discard(x);
    auto const late = write_in_place(flow, std::move(plan).finish(), always{});
    CHECK(replay(flow, late, {.profile = true}).profile == std::vector<bytes>{4, 4, 8, 8, 8, 8, 4});
    CHECK(late.steps[4].in_place);
}

TEST_CASE("an operation does not write over a value that it reads by two names or makes a view of", "[in_place]") {
    dataflow_builder twice;
    for (int i = 0; i < 3; ++i) twice.add_operation(1);
    std::vector<value_index> const owner{twice.add_value(0, 4)};
    auto const view = twice.add_view(1, owner);
    twice.add_value(2, 4);
    twice.add_read(1, owner.front());
    twice.add_read(2, owner.front());
    twice.add_read(2, view);
    auto const by_two_names = std::move(twice).build();
    CHECK(in_place_count(write_in_place(by_two_names, make_schedule(by_two_names), always{})) == 0);

    dataflow_builder beside;
    for (int i = 0; i < 2; ++i) beside.add_operation(1);
    std::vector<value_index> const looked_at{beside.add_value(0, 4)};
    beside.add_value(1, 4);
    beside.add_view(1, looked_at);
    beside.add_read(1, looked_at.front());
    auto const with_a_view = std::move(beside).build();
    CHECK(in_place_count(write_in_place(with_a_view, make_schedule(with_a_view), always{})) == 0);
}

TEST_CASE("a view of an older instance is written over, though its step makes a view of the newer one", "[in_place]") {
    // 1 makes a view of 0's value; 0 runs again; 2 reads both, makes a view of the new value, and writes.
    dataflow_builder b;
    for (int i = 0; i < 3; ++i) b.add_operation(1);
    std::vector<value_index> const owner{b.add_value(0, 4)};
    auto const old_view = b.add_view(1, owner);
    auto const new_view = b.add_view(2, owner);
    auto const written = b.add_value(2, 4);
    b.add_read(1, owner.front());
    b.add_read(2, owner.front());
    b.add_read(2, old_view);
    auto const flow = std::move(b).build();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    plan.discard(owner.front());
    plan.compute(0);
    plan.compute(2);
    for (auto const x : {new_view, owner.front(), old_view, written}) plan.discard(x);
    auto const in_place = write_in_place(flow, std::move(plan).finish(), always{});
    CHECK(in_place_count(in_place) == 1);
    CHECK(replay(flow, in_place).peak == 8);  // not 12
}

TEST_CASE("a value copied between pools is not written over, a recomputed one is", "[in_place]") {
    auto const flow = unit_flow({{1}, {2}, {}});
    auto const traffic = [&](bool again) {
        schedule_builder plan(flow);
        plan.compute(0);
        plan.offload(0);
        plan.discard(0);
        again ? plan.compute(0) : plan.prefetch(0);
        plan.compute(1);
        plan.discard(0);
        if (!again) plan.discard(0, pool::host);
        plan.compute(2);
        plan.discard(1);
        return write_in_place(flow, std::move(plan).finish(), always{});
    };
    CHECK(in_place_count(traffic(false)) == 1);
    CHECK(in_place_count(traffic(true)) == 2);
    CHECK(replay(flow, traffic(true)).peak == 1);
}

TEST_CASE("each computation of a value is written over on its own", "[in_place]") {
    // 0 -> 1 -> 2 and 0 -> 3: 0 is recomputed for 3.
    auto const flow = unit_flow({{1, 3}, {2}, {3}, {}});
    auto const plan = make_schedule(flow, std::vector<operation_index>{0, 1, 2, 0, 3});
    auto const in_place = write_in_place(flow, plan, always{});
    CHECK(replay(flow, plan).peak == 3);
    CHECK(replay(flow, in_place).peak == 2);
    CHECK(in_place_count(in_place) == 3);
}

TEST_CASE("a schedule with a step that breaks a rule is refused", "[in_place]") {
    auto const flow = unit_flow({{1}, {}});
    schedule_builder plan(flow);
    plan.compute(1);
    auto const wrong = std::move(plan).finish();
    CHECK(support::throws<illegal_schedule>([&] { return write_in_place(flow, wrong, always{}); }, {"step 0"}));
    CHECK(write_in_place(flow, schedule<>{}, always{}).steps.empty());  // incomplete, but legal
}

namespace {

/// The storage of the weights' gradient in an unrolled LSTM of three time steps, Chen et al. 2016, section 5.
/// Forward h1, h2, h3 of 2 bytes; backward for t = 3, 2, 1: the gradient of h_t (2 bytes, reads that of h_{t+1} and
/// h_t), the gradient of the weights at t (10 bytes, reads the gradient of h_t and h_{t-1}), and, but for the last, an
/// addition of it to the sum so far.
struct unrolled {
    dataflow flow;
    std::vector<operation_index> additions{};
};
auto unrolled_lstm() -> unrolled {
    constexpr std::size_t steps = 3;
    unrolled u;
    dataflow_builder b;
    std::vector<value_index> h;
    for (std::size_t t = 0; t < steps; ++t) {
        auto const v = b.add_operation(1);
        if (t > 0) b.add_read(v, h.back());
        h.push_back(b.add_value(v, 2));
    }
    std::optional<value_index> next, sum;
    for (std::size_t t = steps; t-- > 0;) {
        auto const gradient = b.add_operation(1);
        b.add_read(gradient, h[t]);
        if (next) b.add_read(gradient, *next);
        next = b.add_value(gradient, 2);
        auto const of_weights = b.add_operation(1);
        b.add_read(of_weights, *next);
        if (t > 0) b.add_read(of_weights, h[t - 1]);
        auto const part = b.add_value(of_weights, 10);
        if (sum) {
            u.additions.push_back(b.add_operation(1));
            b.add_read(u.additions.back(), *sum);
            b.add_read(u.additions.back(), part);
            sum = b.add_value(u.additions.back(), 10);
        } else {
            sum = part;
        }
    }
    u.flow = std::move(b).build();
    return u;
}

}  // namespace

TEST_CASE("the gradient of an LSTM's weights is summed over time in one storage", "[in_place]") {
    auto const [flow, additions] = unrolled_lstm();
    auto const plan = make_schedule(flow);
    auto const adds_only = [&](operation_index v, std::uint32_t, value_index) {
        return std::ranges::count(additions, v) > 0;
    };
    auto const in_place = write_in_place(flow, plan, adds_only);
    // The first addition: sum, part and new sum, h1 and the gradient of h2.
    CHECK(replay(flow, plan).peak == 34);
    CHECK(replay(flow, in_place).peak == 24);
    CHECK(in_place_count(in_place) == 2);
    std::size_t cells = 0;
    auto const found = find_lifetimes(flow, in_place);
    for (auto const& b : found.buffers) cells += b.size == 10 && b.lifetime.upper - b.lifetime.lower > 3;
    CHECK(cells == 1);  // of five values
    CHECK(std::ranges::count(found.buffers, bytes{10}, &buffer::size) == 3);
}

namespace {

/// 0 writes a and b of 8 bytes each; 1 reads both, mutates a and writes 8 bytes more; 2 reads what 1 writes.
auto flow_with_mutation(bool b_stays) -> dataflow {
    dataflow_builder builder;
    for (int v = 0; v < 3; ++v) builder.add_operation(1);
    auto const a = builder.add_value(0, 8);
    auto const b = builder.add_value(0, 8);
    auto const changed = builder.add_value(1, 8);
    auto const more = builder.add_value(1, 8);
    builder.add_value(2, 8);
    for (auto const value : {a, b}) builder.add_read(1, value);
    for (auto const value : {changed, more}) builder.add_read(2, value);
    builder.add_mutation(1, 0, a);
    builder.allow_overwrite(1, 1, a);
    builder.allow_overwrite(1, 1, b);
    builder.allow_overwrite(2, 0, more);
    if (b_stays) builder.add_result(b);
    return std::move(builder).build();
}

}  // namespace

TEST_CASE("what a mutation overwrites is left to it, and another output may be in place", "[in_place]") {
    auto const flow = flow_with_mutation(false);
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    plan.discard(1);
    plan.compute(2);
    plan.discard(2);
    plan.discard(3);
    schedule_builder expected(flow);
    expected.compute(0);
    expected.compute_in_place(1, 1, 1);
    expected.compute_in_place(2, 0, 3);
    expected.discard(2);
    auto const by_dataflow = std::move(expected).finish();
    auto const steps = std::move(plan).finish();
    CHECK(write_in_place(flow, steps) == by_dataflow);
    CHECK(replay(flow, by_dataflow).peak == 16);
    CHECK(write_in_place(flow, by_dataflow) == by_dataflow);
    auto const by_rule = [](operation_index v, std::uint32_t, value_index over) { return v == 1 && over == 1; };
    CHECK(in_place_count(write_in_place(flow, steps, by_rule)) == 1);
}

TEST_CASE("a result is not written over", "[in_place]") {
    auto const flow = flow_with_mutation(true);
    auto const in_place = write_in_place(flow, make_schedule(flow), always{});
    CHECK(in_place_count(in_place) == 1);
    CHECK(verify_schedule(flow, in_place));
}
