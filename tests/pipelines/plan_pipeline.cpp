// Covers pipelines/plan_pipeline.hpp, pipelines/pipeline_bounds.hpp, pipelines/pipeline_orders.hpp,
// pipelines/detail/block_order.hpp, pipelines/detail/choice_fitter.hpp, pipelines/detail/improve_choices.hpp,
// pipelines/detail/improve_order.hpp, pipelines/detail/insert_weight_gradients.hpp.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/pipelines/detail/block_order.hpp>
#include <repebble/pipelines/detail/improve_order.hpp>
#include <repebble/pipelines/pipeline_bounds.hpp>
#include <repebble/pipelines/pipeline_orders.hpp>
#include <repebble/pipelines/plan_pipeline.hpp>

#include "support/cases.hpp"
#include "support/catch.hpp"
#include "support/pipeline_cases.hpp"
#include "support/throws.hpp"

namespace {

using namespace repebble;
using support::throws;

/// Stages of unit passes that keep a byte; with choices, or nothing for two time units.
auto unit_pipeline(std::size_t ranks, std::size_t chunks, std::size_t microbatches, bool with_choices = false)
    -> pipeline {
    pipeline p{.ranks = ranks, .microbatches = microbatches};
    for (std::size_t s = 0; s < ranks * chunks; ++s) {
        p.stages.push_back({.rank = rank_in_loop(s, ranks), .forward = 1, .input_gradient = 1, .weight_gradient = 1});
        p.stages.back().choices = {{.kept = 1, .for_weights = 1}};
        if (with_choices) p.stages.back().choices.push_back({.recomputation = 2, .kept = 0, .for_weights = 0});
    }
    return p;
}
auto unit_v(std::size_t ranks, std::size_t microbatches) -> pipeline {
    auto p = unit_pipeline(ranks, 2, microbatches);
    for (std::size_t s = 0; s < p.stages.size(); ++s) p.stages[s].rank = rank_in_v(s, ranks);
    return p;
}
auto unlimited(pipeline const& p) -> std::vector<bytes> { return std::vector<bytes>(p.ranks, 1'000'000); }

auto cost_of(pipeline const& p, std::optional<pass_orders> const& orders) -> pipeline_cost {
    REQUIRE(orders);
    return replay_pipeline(p, {*orders, std::vector<std::uint32_t>(p.stages.size() * p.microbatches, 0)});
}

}  // namespace

TEST_CASE("1F1B takes (m + p - 1) (F + B), with p - i microbatches in flight on rank i", "[pipelines]") {
    for (auto const m : {std::size_t{4}, std::size_t{9}}) {
        auto const p = unit_pipeline(4, 1, m);
        auto const cost = cost_of(p, make_one_forward_one_backward(p));
        CHECK(cost.makespan == static_cast<std::int64_t>(m + 3) * 3);
        CHECK(cost.peaks == std::vector<bytes>{4, 3, 2, 1});
    }
}

TEST_CASE("Interleaved 1F1B has the idle time of 1F1B, divided by the chunks", "[pipelines]") {
    auto const p = unit_pipeline(4, 2, 8);
    auto const cost = cost_of(p, make_one_forward_one_backward(p));
    CHECK(cost.makespan == 2 * 8 * 3 + 3 * 3);
    CHECK(cost.peaks == std::vector<bytes>{11, 9, 7, 5});  // (2 (p - 1 - i) + (v - 1) p + 1)
    CHECK_FALSE(make_one_forward_one_backward(unit_pipeline(4, 2, 6)));
    CHECK_FALSE(make_one_forward_one_backward(unit_v(4, 8)));
}

TEST_CASE("Zero bubble takes m (F + B + W) and the first forward passes", "[pipelines]") {
    auto const p = unit_pipeline(4, 1, 8);
    auto const plan = plan_pipeline(p, unlimited(p), {.order = pipeline_order::zero_bubble});
    CHECK(plan.cost.makespan == 8 * 3 + 3);
    CHECK(plan.lower_bound == 8 * 3 + 3);
    CHECK(plan.order_bound == 8 * 3 + 3);
    CHECK(plan.gap() <= 0);
}

TEST_CASE("V-shaped orders are at the bound with the memory of 1F1B", "[pipelines]") {
    auto const p = unit_v(4, 8);
    std::vector<bytes> const budgets(4, 8);  // twice as many stages of half the bytes as 1F1B
    auto const plan = plan_pipeline(p, budgets, {.order = pipeline_order::v_shaped});
    REQUIRE(plan.schedule);
    CHECK(plan.cost.makespan <= 8 * 6 + 5);
    CHECK(plan.lower_bound == 8 * 6 + 3);
}

TEST_CASE("The least bytes of a rank are those of its stages for one microbatch", "[pipelines]") {
    auto const p = unit_v(3, 5);
    CHECK(find_least_bytes(p) == std::vector<bytes>{2, 2, 2});
    std::vector<bytes> const least(3, 2);
    auto const plan = plan_pipeline(p, least, {.limits = {.work = 50}});
    REQUIRE(plan.schedule);
    CHECK(plan.cost.makespan <= 5 * 6 * 3);
    auto below = least;
    below[1] = 1;
    auto const none = plan_pipeline(p, below);
    CHECK_FALSE(none.schedule);
    CHECK(none.least == least);
    CHECK_FALSE(find_pipeline_bound(p, below));
}

TEST_CASE("Of an order with too little memory, what is computed again lies in idle time", "[pipelines]") {
    // Rank 0: F F | idle for the first gradients | B. One of two microbatches is computed again, the first for nothing.
    auto p = unit_pipeline(2, 1, 2, true);
    auto const orders = make_one_forward_one_backward(p).value();
    std::vector<bytes> const budgets{1, 1};
    auto const plan = plan_pipeline(p, orders, budgets);
    REQUIRE(plan.schedule);
    CHECK(plan.schedule->choices == std::vector<std::uint32_t>{1, 0, 0, 0});
    CHECK(plan.cost.makespan == 9);
    CHECK(plan.order_bound == 9);
    CHECK(plan.made_by == pipeline_order::given);
    p.stages[0].constant = 2;
    CHECK_FALSE(plan_pipeline(p, orders, budgets).schedule);
    CHECK(find_order_bound(p, orders, budgets) == std::nullopt);
}

TEST_CASE("The bound of an order adds what moments far apart need", "[pipelines]") {
    // One rank that keeps one byte of two, again and again: each pair computes one again.
    auto p = unit_pipeline(1, 1, 6, true);
    pass_orders orders(1);
    for (std::uint32_t k = 0; k < 6; k += 2) {
        orders[0].push_back({pass_kind::forward, 0, k});
        orders[0].push_back({pass_kind::forward, 0, k + 1});
        orders[0].push_back({pass_kind::backward, 0, k});
        orders[0].push_back({pass_kind::backward, 0, k + 1});
    }
    std::vector<bytes> const one{1};
    auto const plan = plan_pipeline(p, orders, one);
    CHECK(plan.cost.makespan == 6 * 3 + 3 * 2);
    CHECK(plan.order_bound == plan.cost.makespan);
    CHECK(plan.lower_bound == 6 * 3);
}

TEST_CASE("Bytes times time bound the makespan where memory is short", "[pipelines]") {
    auto p = unit_pipeline(2, 1, 4);
    // A microbatch is on rank 0 for five passes: its own three, and two of rank 1.
    CHECK(find_pipeline_bound(p, std::vector<bytes>{1, 1}) == 4 * 5);
    CHECK(plan_pipeline(p, std::vector<bytes>{1, 1}).cost.makespan == 4 * 5);
    // Ten time units longer, two at a time.
    p.stages[0].transfer = 5;
    CHECK(find_pipeline_bound(p, std::vector<bytes>{2, 2}) == 4 * 15 / 2);
    CHECK(plan_pipeline(p, std::vector<bytes>{2, 2}).cost.makespan >= 30);
}

TEST_CASE("A bound counts on gradients of weights that wait with the fewest bytes of any choice", "[pipelines]") {
    // The last gradients take 101 from rank 1 to the end of rank 0. Meanwhile rank 1 has its gradients of weights, all
    // of which wait if each keeps 1 byte: it takes 101 + 3 · (1 + 2 + 50).
    pipeline const p{
        .ranks = 2,
        .microbatches = 3,
        .stages = {{.rank = 0, .forward = 1, .input_gradient = 1, .transfer = 100},
                   {.rank = 1,
                    .forward = 1,
                    .input_gradient = 1,
                    .weight_gradient = 50,
                    .choices = {{.kept = 10, .for_weights = 10}, {.recomputation = 1, .kept = 1, .for_weights = 1}}}}};
    std::vector<bytes> const budgets{0, 10};
    pipeline_schedule made{{{}, {}}, {0, 0, 0, 1, 1, 1}};
    for (auto const kind : {pass_kind::forward, pass_kind::input_gradient, pass_kind::weight_gradient})
        for (std::uint32_t k = 0; k < 3; ++k) made.orders[0].push_back({kind, 0, k});
    for (std::uint32_t k = 0; k < 3; ++k)
        for (auto const kind : {pass_kind::forward, pass_kind::input_gradient}) made.orders[1].push_back({kind, 1, k});
    for (std::uint32_t k = 0; k < 3; ++k) made.orders[1].push_back({pass_kind::weight_gradient, 1, k});
    auto const cost = replay_pipeline(p, made);
    CHECK(cost.makespan == 101 + 3 * 53);
    CHECK(cost.peaks[1] <= budgets[1]);
    auto const bound = find_pipeline_bound(p, budgets);
    REQUIRE(bound);
    CHECK(*bound >= 101 + 3 * 52);  // without what is computed again
    CHECK(*bound <= cost.makespan);
}

TEST_CASE("A block has its passes one period after the other", "[pipelines]") {
    auto const p = unit_v(2, 2);
    CHECK(detail::block_groups(p) == 3);
    auto const orders = detail::make_block_order(p, {.forward = {1, 1, 1}, .backward = {1, 1, 1}});
    using enum pass_kind;
    // F of stages 0 to 3 at 0, 1, 2, 3; B of 3 to 0 at 4, 5, 6, 7; again from 6 on.
    CHECK(orders == pass_orders{{{forward, 0, 0},
                                 {forward, 3, 0},
                                 {input_gradient, 3, 0},
                                 {forward, 0, 1},
                                 {input_gradient, 0, 0},
                                 {forward, 3, 1},
                                 {input_gradient, 3, 1},
                                 {input_gradient, 0, 1}},
                                {{forward, 1, 0},
                                 {forward, 2, 0},
                                 {input_gradient, 2, 0},
                                 {input_gradient, 1, 0},
                                 {forward, 1, 1},
                                 {forward, 2, 1},
                                 {input_gradient, 2, 1},
                                 {input_gradient, 1, 1}}});
}

TEST_CASE("A search of passes moves a pass from the longest path, and chooses again", "[pipelines]") {
    // Rank 0 computes its second forward pass last, though rank 1 waits for it, and keeps what it need not lack.
    auto const p = unit_pipeline(2, 1, 2, true);
    using enum pass_kind;
    pipeline_schedule const late{{{{forward, 0, 0},
                                   {input_gradient, 0, 0},
                                   {weight_gradient, 0, 0},
                                   {forward, 0, 1},
                                   {input_gradient, 0, 1},
                                   {weight_gradient, 0, 1}},
                                  {{forward, 1, 0},
                                   {input_gradient, 1, 0},
                                   {weight_gradient, 1, 0},
                                   {forward, 1, 1},
                                   {input_gradient, 1, 1},
                                   {weight_gradient, 1, 1}}},
                                 {1, 1, 1, 1}};
    auto const better = detail::improve_order(p, late, unlimited(p), {.tries = 1'000}, [] { return false; });
    CHECK(replay_pipeline(p, better).makespan == 2 * 3 + 1);
    CHECK(better.choices == std::vector<std::uint32_t>(4, 0));
}

TEST_CASE("A search of passes keeps to the budgets, and is never slower", "[pipelines]") {
    for (std::uint64_t seed = 0; seed < support::cases(40); ++seed) {
        CAPTURE(seed);
        support::split_mix random(seed);
        auto const p = support::random_pipeline(random);
        auto const schedule = support::random_schedule(random, p);
        auto const before = replay_pipeline(p, schedule);
        auto const after = detail::improve_order(p, schedule, before.peaks, {.tries = 200}, [] { return false; });
        auto const time = support::time_within(p, after, before.peaks);
        REQUIRE(time);
        CHECK(*time <= before.makespan);
    }
}

TEST_CASE("A search of blocks begins, however much work is allowed", "[pipelines]") {
    auto const p = unit_pipeline(1, 1, 1);
    pipeline_options options{.order = pipeline_order::found};
    for (auto const less : {std::size_t{0}, std::size_t{8}, std::size_t{9}}) {
        int asked = 0;
        options.limits = {.work = std::numeric_limits<std::size_t>::max() - less, .stop = [&] { return ++asked > 9; }};
        CHECK(plan_pipeline(p, unlimited(p), options).schedule);
    }
}

TEST_CASE("Plans of pipelines refuse budgets that cannot be", "[pipelines]") {
    auto const p = unit_pipeline(2, 1, 2);
    CHECK(throws<bad_option>([&] { return plan_pipeline(p, std::vector<bytes>{1}); }, {"1 budgets for 2 ranks"}));
    CHECK(throws<bad_weight>([&] { return plan_pipeline(p, std::vector<bytes>{1, -1}); }, {"budget of rank 1"}));
    CHECK(throws<bad_option>([&] { return plan_pipeline(p, unlimited(p), {.limits = {.seconds = -1}}); }, {"seconds"}));
    CHECK(throws<illegal_pipeline>([&] { return plan_pipeline(p, pass_orders(2), unlimited(p)); }, {"rank 0 lacks"}));
}

TEST_CASE("Equal calls give equal plans", "[pipelines]") {
    support::split_mix random(5);
    auto const p = support::random_pipeline(random);
    auto budgets = find_least_bytes(p);
    for (auto& b : budgets) b += 10;
    auto const plan = plan_pipeline(p, budgets, {.limits = {.work = 100}});
    CHECK(plan == plan_pipeline(p, budgets, {.limits = {.work = 100}}));
    CHECK(plan.cost.peaks.size() == p.ranks);
}

TEST_CASE("Plans of pipelines have the least makespan of all orders and choices, or say how near", "[pipelines]") {
    std::size_t searched = 0, least = 0;
    for (std::uint64_t seed = 0; seed < support::cases(40); ++seed) {
        CAPTURE(seed);
        support::split_mix random(seed);
        auto const p = support::random_pipeline(random, {.ranks = 2, .chunks = 1, .microbatches = 2, .choices = 2});
        auto budgets = find_least_bytes(p);
        for (auto& b : budgets) b += support::between(random, 0, 20);
        auto const plan = plan_pipeline(p, budgets, {.limits = {.work = 50}});
        REQUIRE(plan.schedule);
        CHECK(support::time_within(p, *plan.schedule, budgets) == plan.cost.makespan);
        CHECK(plan.order_bound <= plan.cost.makespan);
        if (p.ranks == 2 && p.stages[0].rank == p.stages[1].rank) continue;
        auto const best = support::best_of_orders(p, budgets);
        REQUIRE(best);
        CHECK(plan.lower_bound <= *best);
        CHECK(*best <= plan.cost.makespan);
        ++searched;
        least += *best == plan.cost.makespan ? 1U : 0U;
    }
    CHECK(least * 10 >= searched * 9);
}

TEST_CASE("An order has a plan exactly where choices fit it", "[pipelines]") {
    for (std::uint64_t seed = 0; seed < support::cases(60); ++seed) {
        CAPTURE(seed);
        support::split_mix random(seed);
        auto const p = support::random_pipeline(random, {.ranks = 2, .chunks = 1, .microbatches = 2, .choices = 3});
        auto const orders = support::random_orders(random, p);
        auto budgets = find_least_bytes(p, orders);
        for (auto& b : budgets) b = std::max<bytes>(0, b + support::between(random, -1, 12));
        auto const plan = plan_pipeline(p, orders, budgets);
        auto const best = support::best_of_choices(p, orders, budgets);
        REQUIRE(plan.schedule.has_value() == best.has_value());
        if (!best) continue;
        CHECK(support::time_within(p, *plan.schedule, budgets) == plan.cost.makespan);
        CHECK(plan.order_bound <= *best);
        CHECK(*best <= plan.cost.makespan);
    }
}
