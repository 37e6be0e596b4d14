// Covers plan.hpp, planner/detail/model/listener.hpp, planner/detail/plan_freely.hpp.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/detail/plan_freely.hpp>

#include "support/catch.hpp"

using namespace repebble;

namespace {

using lists = std::vector<std::vector<int>>;

/// Each is read by the next, and 0 by 3 as well.
lists const skip_of_five{{1, 3}, {2}, {3}, {4}, {}};

/// Hears of better plans.
struct door_listener {
    int calls = 0;
    void improved(std::int64_t, std::int64_t) { ++calls; }
};

}  // namespace

TEST_CASE("plan: a graph is planned as it is, in terms of its vertices; make_training_problem makes its gradients") {
    auto const forward = plan(make_problem(skip_of_five), 3);
    REQUIRE(forward.plan);
    CHECK((forward.plan->cost.overhead == 0 && forward.plan->cost.peak == 3 && forward.proven));
    CHECK(forward.floor.size == 3);
    CHECK(forward.floor.vertex == 3);
    CHECK(forward.plan->schedule.steps.front().vertex == 0);
    auto const trained = plan(make_training_problem(skip_of_five), 9);
    CHECK(trained.plan->cost.time > forward.plan->cost.time);
    CHECK(trained.plan->schedule.steps.front().vertex == training_vertex<int>{0, pass::forward});
}

TEST_CASE("plan: results by a weight are resident at the end, and the bounds count them") {
    auto const all = [](int) { return true; };
    auto const costs = weights{unit_weight{}, [](int) { return 100; }, zero_weight{}, always{}, all};
    CHECK(plan(make_problem(skip_of_five, costs), 500).plan->cost.peak == 500);
    auto const less = plan(make_problem(skip_of_five, costs), 499);
    CHECK((!less.plan && less.proven && less.floor.size == 500));
    CHECK(plan(make_problem(skip_of_five, weights{unit_weight{}, [](int) { return 100; }}), 499).plan);
}

TEST_CASE("plan: a problem, its dataflow and its training graph have one plan; an observer hears of it") {
    plan_options const options{.limits = {.work = 1000}};
    door_listener heard;
    auto const step = make_training_problem(skip_of_five);
    auto const found = plan(step, 7, options, heard);
    CHECK(heard.calls > 0);
    REQUIRE(step.training());
    auto const of_graph = plan(*step.training(), 7, options);
    CHECK(map_vertices(*of_graph.plan, step) == found.plan);
    problem const unnamed = step;
    CHECK(plan(unnamed, 7, options) == of_graph);
    auto const forward = make_problem(skip_of_five);
    CHECK(map_vertices(*plan(forward.flow(), 3, options).plan, forward) == plan(forward, 3, options).plan);
    CHECK(forward.training() == nullptr);
}

TEST_CASE("plan: planners within a planner hear that the search is called off") {
    int asked = 0;
    std::function<bool()> const second_time = [&] { return ++asked == 2; };
    auto const outer = detail::listener().with_stop(second_time);
    detail::reporting_observer const quiet{{outer}};
    detail::listener const inner(quiet);
    CHECK_FALSE(inner.cancelled());
    CHECK(inner.cancelled());
    CHECK(outer.cancelled());  // from then on
    CHECK(asked == 2);
}

TEST_CASE("plan: several budgets, each as by one call, in the order of the budgets") {
    std::array<bytes, 3> const budgets{4, 2, 3};
    auto const forward = make_problem(skip_of_five);
    auto const curve = plan(forward, budgets);
    REQUIRE(curve.size() == 3);
    CHECK(!curve[1].plan);
    CHECK(curve[2].plan->cost == plan(forward, 3).plan->cost);
    auto const step = make_training_problem(skip_of_five);
    CHECK(plan(step, std::vector<bytes>{7, 9})[1].plan->cost == plan(step, 9).plan->cost);
    CHECK(plan(step, std::vector<bytes>{}).empty());
}

TEST_CASE("plan: that there is no plan holds for smaller budgets, that a plan is the fastest does not") {
    std::array<std::size_t, 2> const ascending{0, 1};
    auto const of_smaller = [&](automatic_plan<> smaller, automatic_plan<> const& larger) {
        std::vector all{std::move(smaller), larger};
        detail::raise_smaller_bounds(all, ascending);
        return all.front();
    };
    auto const slow = recompute_plan<>{.cost = {.time = 12, .overhead = 2, .profile = {}}};
    auto const fast = recompute_plan<>{.cost = {.time = 11, .overhead = 1, .profile = {}}};
    automatic_plan<> const unknown, none{.proven = true};
    automatic_plan<> const best{.plan = fast, .lower_bound = 1, .proven = true};
    CHECK_FALSE(of_smaller({.plan = slow}, best).proven);
    CHECK(of_smaller({.plan = slow}, best).lower_bound == 1);
    CHECK_FALSE(of_smaller(unknown, best).proven);
    CHECK(of_smaller({.plan = fast}, best).proven);
    CHECK_FALSE(of_smaller(unknown, unknown).proven);
    CHECK(of_smaller(unknown, none).proven);
}

TEST_CASE("plan: what little work finds, is found with other work, too") {
    // One of few small graphs where the usual search ends without a plan, and the search for any plan does not.
    constexpr std::size_t count = 13;
    detail::split_mix random(299);
    lists net(count);
    std::vector<std::int64_t> sizes, times;
    for (std::size_t v = 0; v < count; ++v) {
        sizes.push_back(1 + static_cast<std::int64_t>(random.below(9)));
        times.push_back(1 + static_cast<std::int64_t>(random.below(9)));
        for (auto w = v + 1; w < count; ++w)
            if (random.below(10) < 3) net[v].push_back(static_cast<int>(w));
    }
    auto const step = make_training_problem(net, weights{[&](int v) { return times[static_cast<std::size_t>(v)]; },
                                                         [&](int v) { return sizes[static_cast<std::size_t>(v)]; }});
    REQUIRE(plan(step, 86, detail::for_any_plan({})).plan);
    CHECK(plan(step, 86, {.limits = {.work = 0}}).plan);
}

TEST_CASE("plan: of a joint graph whose four gradients are results, the peak has room for all of them") {
    // Four layers of 100 bytes and the loss, then per layer the gradient that goes on and the weight's, a result.
    dataflow_builder builder;
    std::vector<value_index> layers, of_weights;
    for (operation_index v = 0; v < 4; ++v) {
        builder.add_operation(1);
        layers.push_back(builder.add_value(v, 100));
        if (v > 0) builder.add_read(v, layers[v - 1]);
    }
    auto gradient = layers.back();
    for (std::size_t layer = 4; layer-- > 0;) {
        auto const of_weight = builder.add_operation(1);
        builder.add_read(of_weight, layers[layer]);
        if (gradient != layers[layer]) builder.add_read(of_weight, gradient);
        of_weights.push_back(builder.add_value(of_weight, 100));
        auto const next = builder.add_operation(1);
        builder.add_read(next, gradient);
        gradient = builder.add_value(next, 10);
    }
    auto const flow = std::move(builder).build();
    auto const kept = edit(flow, {.results = of_weights});
    auto const found = plan(kept, 1000);
    REQUIRE(found.plan);
    CHECK(found.floor.size >= 400);
    CHECK(replay(kept, found.plan->schedule, {.resident_at_end = of_weights}).peak >= 400);
    auto const none = plan(kept, 399);
    CHECK((!none.plan && none.proven));
    CHECK(plan(flow, 399).plan);
}

TEST_CASE("plan: eight operations in place need the bytes of one, and within those of one and a half there is a plan") {
    dataflow_builder builder;
    for (operation_index v = 0; v < 8; ++v) {
        builder.add_operation(1);
        auto const made = builder.add_value(v, 100);
        if (v == 0) continue;
        builder.add_read(v, made - 1);
        builder.allow_overwrite(v, 0, made - 1);
    }
    auto const flow = std::move(builder).build();
    for (bytes const budget : {150, 100}) {
        auto const found = plan(flow, budget);
        REQUIRE(found.plan);
        CHECK((found.plan->cost.peak == 100 && found.plan->cost.overhead == 0 && found.floor.size == 100));
    }
    auto const none = plan(flow, 99);
    CHECK((!none.plan && none.proven));
}

TEST_CASE("plan: what runs again in less time than the unit of its rounding is not proven to take none") {
    std::vector<double> const times{1e9, 1e9, 1e-9, 1e9, 1e9};
    lists const net{{1}, {2}, {3}, {4}, {}};
    auto const step =
        make_training_problem(net, weights{[&](int v) { return times[static_cast<std::size_t>(v)]; }, unit_weight{}});
    std::size_t again = 0;
    for (bytes budget = 3; budget <= 9; ++budget) {
        auto const found = plan(step, budget);
        if (!found.plan || found.plan->cost.overhead != 0) continue;
        for (auto const& s : found.plan->schedule.steps) {
            if (s.what != action::compute || s.repetition == 0) continue;
            ++again;
            CHECK_FALSE(found.time_least());
        }
    }
    CHECK(again > 0);
}
