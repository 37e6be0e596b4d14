// Covers planner/plan_options.hpp, planner/detail/swap_planner.hpp, planner/detail/swapping/swap_gaps.hpp,
// planner/detail/swapping/swap_decoder.hpp, planner/detail/swapping/swap_search.hpp,
// planner/detail/swapping/exact_swaps.hpp, planner/detail/bounds/one_cut/swap_bound.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/arena.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/verify_schedule.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/find_memory_floor.hpp>

#include "support/brute_swapping.hpp"
#include "support/cases.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/plan_promises.hpp"
#include "support/property.hpp"
#include "support/swap_cases.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

constexpr std::size_t moves_over_link = 200;

auto any_swap_case(std::size_t most) -> support::swap_case {
    support::split_mix random(*rc::gen::arbitrary<std::uint64_t>());
    return support::random_swap_case(random, most);
}

/// 0 makes eight bytes that 2 reads; 1 takes the device for a long time in between.
auto long_gap() -> dataflow {
    dataflow_builder b;
    for (auto const time : {10, 20, 1}) b.add_operation(time);
    auto const early = b.add_value(0, 8), large = b.add_value(1, 8);
    b.add_read(2, early);
    b.add_control_edge(0, 1);
    b.add_control_edge(1, 2);
    static_cast<void>(large);
    return std::move(b).build();
}

/// A small graph over a slow link, with mutations of values of 0 bytes; nothing where there are none.
auto with_values_of_no_bytes(support::split_mix& random) -> std::optional<support::swap_case> {
    using support::below;
    using support::chance;
    support::swap_case c{.flow = {}, .via = support::random_link(random)};
    c.via.latency = 1 + static_cast<std::int64_t>(below(random, 6));
    c.via.half_duplex = chance(random, 40);
    if (chance(random, 30)) c.via.time = 0;
    support::full_shape shape{.operations = 3 + below(random, 5), .view_percent = 0, .alternative_percent = 0};
    shape.input_percent = chance(random, 50) ? 40 : 0;
    shape.mutation_percent = 45;
    shape.most_mutations = 1 + below(random, 2);
    shape.overwrite_percent = chance(random, 50) ? 60 : 0;
    shape.run_once_percent = chance(random, 40) ? 0 : 40;
    shape.dead_mutated_percent = 10;
    shape.most_bytes = chance(random, 50) ? 2 : 5;
    shape.zero_percent = 30 + below(random, 40);
    if (chance(random, 60)) shape.control_percent = 0;
    if (chance(random, 50)) shape.result_percent = 0;
    c.flow = support::random_full_dataflow(random, shape);
    bool is_ended = false;
    for (operation_index v = 0; v < c.flow.operation_count(); ++v)
        for (auto const& m : c.flow.mutations(v)) is_ended = is_ended || c.flow.size(m.over) == 0;
    if (!is_ended || !support::brute_swapping::knows(c.flow)) return std::nullopt;
    auto const high = replay(c.flow, make_schedule(c.flow)).peak, low = find_memory_floor(c.flow).size;
    if (high <= low && chance(random, 70)) return std::nullopt;
    c.budget = support::between(random, low, std::max(low, high - 1));
    if (chance(random, 25)) c.host_budget = support::between(random, 0, high);
    return c;
}

}  // namespace

TEST_CASE("plan over a link: without room for a value on the host, bounds are those without the link") {
    for (std::uint64_t seed = 0; seed < support::cases(20); ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow =
            support::random_weighted_dag(random, 9, 9, 20).training(repebble::gradient_dependencies{}).flow;
        auto const budget = find_memory_floor(flow).size + 2;
        auto const alone = plan(flow, budget, {.limits = {.work = 1000}});
        auto const none =
            plan(flow, budget, {.limits = {.work = 1000}, .link = host_link{.size = 9}, .host_budget = 0});
        CHECK(none.lower_bound == alone.lower_bound);
        CHECK(none.base_order_bound == alone.lower_bound);
        CHECK(none.proven == alone.proven);
        CHECK(none.plan == alone.plan);
    }
}

TEST_CASE("plan over a link: copies where that is faster than computing again") {
    auto const flow = long_gap();
    plan_options options{.link = host_link{.size = 8, .time = 3}};
    auto const alone = plan(flow, 8, {});
    REQUIRE(alone.plan);
    CHECK(alone.plan->cost.time == 41);
    // 1 waits for the copy out, and 2 for the copy in.
    auto const both = plan(flow, 8, options);
    REQUIRE(both.plan);
    CHECK(both.plan->cost.time == 37);
    CHECK(both.plan->cost.bytes_out == 8);
    CHECK(both.plan->cost.bytes_in == 8);
    CHECK(both.proven);
    // A slow link is not used, nor one to a host without memory.
    options.link->time = 6;
    CHECK(plan(flow, 8, options).plan->cost.time == 41);
    options.link->time = 3;
    options.host_budget = 7;
    CHECK(plan(flow, 8, options).plan->cost.time == 41);
    CHECK_FALSE(plan(flow, 7, options).plan);
    CHECK(plan(flow, 7, options).proven);
}

TEST_CASE("plan over a link: a value without bytes that a mutation ends may be copied in no time, and bounds know") {
    dataflow_builder b;
    auto const make = b.add_operation(5), use = b.add_operation(1), over = b.add_operation(1),
               wide = b.add_operation(1, 8), last = b.add_operation(1);
    auto const token = b.add_value(make, 0), kept = b.add_value(use, 4);
    b.add_read(use, token);
    b.add_read(over, token);
    b.add_value(over, 0);
    b.add_mutation(over, 0, token);
    b.add_control_edge(over, wide);
    b.add_control_edge(wide, last);
    b.add_read(last, kept);
    auto const flow = std::move(b).build();
    host_link const via{.size = 1, .time = 10};
    schedule_builder list(flow);
    list.compute(make);
    list.compute(use);
    list.offload(token);
    list.compute(over);
    list.discard(kept);
    list.compute(wide);
    list.prefetch(token);
    list.compute(use);
    list.compute(last);
    auto const [best, broken] = verify_schedule(flow, std::move(list).finish(), {}, lanes_clock(via));
    REQUIRE_FALSE(broken);
    CHECK(best.time == 10);
    auto const found = plan(flow, 8, {.link = via});
    REQUIRE(found.plan);
    CHECK(found.plan->cost.time == best.time);
    CHECK(found.proven);
    // Bounds at cuts alone do not know of it.
    effort without_exact;
    without_exact.exact_swap_operations = 0;
    auto const bounded = plan(flow, 8, {.link = via, .effort = without_exact});
    CHECK(flow.time_once() + bounded.lower_bound <= best.time);
    CHECK(flow.time_once() + bounded.base_order_bound <= best.time);
}

TEST_CASE("plan over a link: a value in a storage larger than it is copied by its own bytes, and bounds know") {
    dataflow_builder b;
    auto const input = b.add_operation(0, 0, false), over = b.add_operation(1, 0, false), first = b.add_operation(2, 4),
               last = b.add_operation(5, 1);
    auto const wide = b.add_value(input, 4), narrow = b.add_value(over, 1), y = b.add_value(over, 3),
               z = b.add_value(first, 1);
    b.add_value(last, 4);
    for (auto const& [reader, read] : {std::pair{over, wide}, {first, narrow}, {last, narrow}, {last, y}, {last, z}})
        b.add_read(reader, read);
    b.add_mutation(over, 0, wide);
    b.allow_overwrite(last, 0, narrow);
    for (auto const result : {narrow, z}) b.add_result(result);
    auto const flow = std::move(b).build();
    // A byte goes to the host and back, beside the others; four would take twice as long.
    auto const found = plan(flow, 12, {.link = host_link{.size = 4, .time = 2}});
    REQUIRE(found.plan);
    CHECK(found.plan->cost.bytes_out == 1);
    CHECK(found.plan->cost.overhead == 1);
    CHECK(found.lower_bound <= 1);
    CHECK(found.base_order_bound <= 1);
}

TEST_CASE("plan over a link: an older output without bytes does not hold up a copy when it is made again") {
    dataflow_builder b;
    auto const first = b.add_operation(1), middle = b.add_operation(0, 0, false), wide = b.add_operation(1),
               last = b.add_operation(5, 1);
    auto const token = b.add_value(first, 0), x = b.add_value(first, 2), y = b.add_value(middle, 1);
    b.add_value(wide, 2);
    auto const kept = b.add_value(wide, 1), z = b.add_value(wide, 2), end = b.add_value(last, 1);
    for (int k = 0; k < 2; ++k) b.add_value(last, 1);
    for (auto const& [reader, read] : {std::pair{middle, x}, {wide, x}, {wide, y}, {last, kept}, {last, z}})
        b.add_read(reader, read);
    b.allow_overwrite(wide, 0, x);
    b.allow_overwrite(last, 1, kept);
    for (auto const result : {token, kept, end}) b.add_result(result);
    auto const flow = std::move(b).build();
    // The first runs again beside the copy of what is kept.
    auto const found = plan(flow, 6, {.link = host_link{.size = 5, .time = 4, .half_duplex = true}});
    REQUIRE(found.plan);
    CHECK(found.plan->cost.time == 9);
    CHECK(found.proven);
}

TEST_CASE("plan over a link: a step in place beside a copy out") {
    dataflow_builder b;
    auto const first = b.add_operation(1, 0, false), second = b.add_operation(1), third = b.add_operation(1),
               fourth = b.add_operation(1), last = b.add_operation(1);
    auto const long_lived = b.add_value(first, 4), x = b.add_value(second, 4), y = b.add_value(third, 4),
               z = b.add_value(fourth, 4);
    b.add_control_edge(first, second);
    b.add_read(third, x);
    b.allow_overwrite(third, 0, x);
    b.add_read(fourth, y);
    b.add_read(last, z);
    b.add_read(last, long_lived);
    auto const flow = std::move(b).build();
    // The copy out ends at 5, and the fourth waits for it; the third does not: it writes over what it reads. The copy
    // in begins at 6.
    auto const found = plan(flow, 8, {.link = host_link{.size = 1, .time = 1}});
    REQUIRE(found.plan);
    CHECK(found.plan->cost.time == 11);
    CHECK(found.proven);
    auto const steps = found.plan->schedule.steps;
    CHECK(std::ranges::count_if(steps, [](auto const& s) { return s.in_place; }) == 1);
}

TEST_CASE("plan over a link: a plan also where the bound tries no multipliers") {
    auto const step = make_training_problem(support::chain(20));
    plan_options options{.limits = {.work = 500}, .link = host_link{.size = 3, .time = 4}};
    set_effort(options.effort, "scan_least", 1);
    auto const found = plan(step, 18, options);
    REQUIRE(found.plan);
    CHECK(found.plan->cost.peak <= 18);
}

TEST_CASE("plan over a link: what may run once only fits by copies") {
    dataflow_builder b;
    b.add_operation(10, 0, false);
    for (auto const time : {20, 1}) b.add_operation(time);
    auto const early = b.add_value(0, 8);
    b.add_value(1, 8);
    b.add_read(2, early);
    b.add_control_edge(0, 1);
    b.add_control_edge(1, 2);
    auto const flow = std::move(b).build();
    CHECK_FALSE(plan(flow, 8).plan);
    auto const found = plan(flow, 8, {.link = host_link{.size = 1, .time = 1, .half_duplex = true}});
    REQUIRE(found.plan);
    CHECK(found.plan->cost.time == 10 + 8 + 20 + 8 + 1);
}

TEST_CASE("plan over a link: a copy waits for no view of what it copies, and bounds know") {
    dataflow_builder builder;
    builder.add_operation(0);
    builder.add_input();
    builder.add_operation(2);
    builder.add_operation(4);
    builder.add_input();
    auto const a = builder.add_value(4, 3), b = builder.add_value(4, 2), owner = builder.add_value(2, 3);
    builder.add_value(2, 4);
    builder.add_view(3, std::vector{owner});
    auto const c = builder.add_value(1, 4);
    builder.add_value(0, 1);
    for (auto const result : {c, builder.add_value(0, 4)}) builder.add_result(result);
    for (auto const value : {a, b, c}) builder.add_read(0, value);
    builder.add_read(2, a);
    builder.add_read(3, owner);
    auto const flow = std::move(builder).build();
    auto const found = plan(
        flow, 14, {.limits = {.work = moves_over_link}, .link = host_link{.size = 6, .time = 3, .half_duplex = true}});
    REQUIRE(found.plan);
    CHECK(found.lower_bound <= 1);  // known by hand: the owner runs for 2, then its copy beside the view
    CHECK(found.base_order_bound <= 1);
}

TEST_CASE("plan over a link: of inputs and their views alone") {
    dataflow_builder builder;
    auto const input = builder.add_value(builder.add_input(), 1);
    auto const view = builder.add_operation(0);
    builder.add_view(view, std::vector{input});
    builder.add_read(view, input);
    auto const found = plan(std::move(builder).build(), 1, {.link = host_link{}});
    CHECK((found.plan && found.plan->cost.peak == 1));
}

TEST_CASE("plan over a link: nothing to do takes nothing, and a link without bytes is refused") {
    plan_options options{.link = host_link{}};
    auto const found = plan(dataflow_builder{}.build(), 0, options);
    REQUIRE(found.plan);
    CHECK(found.plan->schedule.steps.empty());
    CHECK(found.proven);
    options.link->size = 0;
    CHECK(support::throws<bad_weight>([&] { return plan(long_gap(), 8, options); }, {"link", "0 bytes"}));
    options = {.host_budget = 7};
    CHECK(support::throws<bad_option>([&] { return plan(dataflow_builder{}.build(), 0, options); },
                                      {"host_budget of 7", "link"}));
    options = {.link = host_link{}, .host_budget = -1};
    CHECK(support::throws<bad_option>([&] { return plan(long_gap(), 8, options); }, {"host budget"}));
}

TEST_CASE("plan over a link: of small graphs mostly the best of all lists, and never a wrong bound") {
    std::size_t plans = 0, best = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const c = support::random_swap_case(random, 8);
        try {
            auto const verdict =
                support::compared_with_all(c, plan(c.flow, c.budget, c.options(moves_over_link)), 20'000);
            CHECK(verdict.fault.empty());
            ++plans;
            best += verdict.is_optimal ? 1U : 0U;
        } catch (support::too_many_states const&) {
        }
    }
    CHECK(plans > 50);
    CHECK(100 * best >= 95 * plans);
}

TEST_CASE("plan over a link: what the floor needs is not said to be impossible where copies make room for it") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 1400; seed < 1600; ++seed) {  // in case 1453 only the last search finds a plan
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto c = support::random_swap_case(random, 6);
        c.budget = find_memory_floor(c.flow).size;
        try {
            auto const verdict =
                support::compared_with_all(c, plan(c.flow, c.budget, c.options(seed % 2 * 200)), 20'000);
            CHECK(verdict.fault == "");
            ++compared;
        } catch (support::too_many_states const&) {
        }
    }
    CHECK(compared > 180);
}

TEST_CASE("plan over a link: bounds are true where mutations end values without bytes, whose copies need no memory") {
    std::vector<std::uint64_t> seeds{12302, 12835, 13787, 15326, 7014, 8449};  // copies waited; were not planned
    for (std::uint64_t seed = 0; seed < 100; ++seed) seeds.push_back(seed);
    std::size_t compared = 0;
    for (auto const seed : seeds) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const c = with_values_of_no_bytes(random);
        if (!c) continue;
        auto const found = plan(c->flow, c->budget, c->options(support::chance(random, 50) ? 0 : 2000));
        try {
            auto const verdict = support::compared_with_all(*c, found, 20'000);
            CHECK(verdict.fault == "");
            ++compared;
        } catch (support::too_many_states const&) {
        }
        if (found.plan) CHECK(support::simulation_fault(*c, *found.plan) == "");
    }
    CHECK(compared > 20);
}

TEST_CASE("plan over a link: never slower than without, the same every time, and no promise is broken") {
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const c = support::random_swap_case(random, 40);
        auto const found = plan(c.flow, c.budget, c.options(moves_over_link));
        CHECK(support::swap_fault(c, found).empty());
        CHECK(found == plan(c.flow, c.budget, c.options(moves_over_link)));
        auto const alone = plan(c.flow, c.budget, {.limits = {.work = moves_over_link}});
        CHECK(found.floor == alone.floor);
        if (!alone.plan) continue;
        REQUIRE(found.plan);
        CHECK(found.plan->cost.time <= alone.plan->cost.time);
    }
}

TEST_CASE("plan over a link: views, alternatives, mutations and steps in place make no plan illegal") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        support::full_shape shape{.operations = 1 + support::below(random, 12)};
        if (support::chance(random, 50)) shape.alternative_percent = shape.mutation_percent = 0;
        support::swap_case c{.flow = support::random_full_dataflow(random, shape), .via = support::random_link(random)};
        auto const high = replay(c.flow, make_schedule(c.flow)).peak;
        c.budget = support::between(random, high / 2, high);
        auto const found = plan(c.flow, c.budget, c.options(moves_over_link));
        RC_ASSERT(support::swap_fault(c, found) == "");
        auto const alone = plan(c.flow, c.budget, {.limits = {.work = moves_over_link}});
        if (alone.plan) RC_ASSERT(found.plan && found.plan->cost.time <= alone.plan->cost.time);
    }));
}

TEST_CASE("plan over a link, several budgets: a larger budget never gives a slower plan or a greater bound") {
    CHECK(support::holds([] {
        auto c = any_swap_case(12);
        auto const high = replay(c.flow, make_schedule(c.flow)).peak;
        std::vector<bytes> budgets;
        for (bytes k = 0; k <= 4; ++k) budgets.push_back(c.budget + (high - std::min(high, c.budget)) * k / 4);
        auto const curve = plan(c.flow, budgets, c.options(moves_over_link));
        RC_ASSERT(support::curve_fault(curve) == "");
        for (std::size_t k = 0; k < curve.size(); ++k) {
            c.budget = budgets[k];
            RC_ASSERT(support::swap_fault(c, curve[k]) == "");
        }
    }));
}

TEST_CASE("plan over a link: the arena is within the budget where that is asked for") {
    CHECK(support::holds([] {
        auto const c = any_swap_case(16);
        auto options = c.options(moves_over_link);
        options.arena = true;
        auto const found = plan(c.flow, c.budget, options);
        RC_ASSERT(support::swap_fault(c, found) == "");
        if (found.plan) RC_ASSERT(make_arena(c.flow, found.plan->schedule).size <= c.budget);
    }));
}

TEST_CASE("plan over a link: the link of a graph with floating times is in the caller's units") {
    support::adjacency const g{{1, 3}, {2}, {3}, {}};
    weights const w{[](int v) { return v == 0 ? 5 : v == 2 ? 10 : 0.5; }, [](int v) { return v < 3 ? 8 : 0; }};
    // 0 goes out from 5 to 7, beside 1; 2 runs in its place from 7 to 17; then 0 comes in.
    auto const p = make_problem(g, w);
    auto const found = plan(p, 16, {.link = host_link{.size = 8, .time = 2}});
    REQUIRE(found.plan);
    CHECK(found.unit == time_unit{.per = 10});
    CHECK(found.unit.in_caller_units(found.plan->cost.time) == 19.5);
    CHECK(found.base_order_bound >= found.lower_bound);
    auto const late = plan(p, 16, {.link = host_link{.size = 8, .time = 1, .latency = 1}});
    CHECK(late.plan->cost == found.plan->cost);
    auto const slow = plan(p, 16, {.link = host_link{.size = 8, .time = 1000}});
    REQUIRE(slow.plan);
    CHECK(slow.unit.in_caller_units(slow.plan->cost.time) == 21);
    plan_options const endless{.link = host_link{.time = std::int64_t{1} << 60}};
    CHECK(support::throws<bad_weight>([&] { return plan(p, 16, endless); }, {"too long"}));
}

TEST_CASE("plan over a link: a link that is too slow for any copy is no fault") {
    auto const flow = long_gap();
    for (auto const& via : {host_link{.size = 1, .time = std::int64_t{1} << 62},
                            host_link{.time = 1, .latency = std::int64_t{1} << 62}}) {
        auto const found = plan(flow, 8, {.limits = {.work = moves_over_link}, .link = via});
        REQUIRE(found.plan);
        CHECK(found.plan->cost.time == 41);
        CHECK(found.lower_bound <= 10);
    }
}

TEST_CASE("plan over a link: the answer in a caller's vertices has both bounds, and observers hear no other") {
    std::vector<std::vector<int>> const net{{1, 3}, {2}, {3}, {4}, {5}, {6}, {}};
    struct {
        std::int64_t most = 0, last = std::numeric_limits<std::int64_t>::max();
        bool worse = false;
        void improved(std::int64_t overhead, std::int64_t bound) {
            most = std::max(most, bound);
            worse = worse || overhead >= last;
            last = overhead;
        }
    } hears;
    plan_options const options{.limits = {.work = moves_over_link}, .link = host_link{.size = 1, .time = 1}};
    auto const found = plan(make_training_problem(net), 7, options, hears);
    REQUIRE(found.plan);
    CHECK(found.base_order_bound >= found.lower_bound);
    CHECK(hears.most <= found.plan->cost.overhead);
    CHECK_FALSE(hears.worse);
}
