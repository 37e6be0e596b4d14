// Covers plan.hpp, planner/detail/starts/eviction_start.hpp, planner/automatic_plan.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/detail/starts/eviction_start.hpp>
#include <repebble/recompute/best_canonical.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/save_set.hpp>

#include "recompute/branching_graphs.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/golden.hpp"

using namespace repebble;

namespace {

plan_options const little_work{.limits = {.work = 2000}, .arena = true};

/// From the least that is needed to what keeping everything takes.
auto budgets_of(dataflow const& flow, bytes steps) -> std::vector<bytes> {
    bytes const most = replay(flow, make_schedule(flow)).peak;
    bytes const least = plan(flow, most, little_work).floor.size;
    std::vector<bytes> all;
    for (bytes k = 0; k <= steps; ++k) all.push_back(least + (most - least) * k / steps);
    return all;
}

/// A chain with weights of all sizes, and its gradients.
auto long_chain(std::size_t operations) -> training_graph {
    support::split_mix random(operations);
    auto const n = operations / 2;
    auto const time = support::random_weights(random, n, 1, 1000), memory = support::random_weights(random, n, 1, 5000);
    return make_training_graph(support::chain(n),
                               weights{[time](int v) { return time[static_cast<std::size_t>(v)]; },
                                       [memory](int v) { return memory[static_cast<std::size_t>(v)]; }});
}

/// Modules of three branches in series, and their gradients.
auto branching_training(std::uint64_t seed, std::size_t modules) -> training_graph {
    support::split_mix random(seed);
    return support::branching_modules(random, modules, 3, 2, 999, false).training(gradient_dependencies{});
}

auto any_flow(std::uint64_t seed) -> dataflow {
    support::split_mix random(seed);
    return support::random_dataflow(random, {.operations = 2 + seed % 11});
}

}  // namespace

TEST_CASE("plan: where the least time may be 0, no share says how far a plan is above it") {
    automatic_plan<> found;
    auto& cost = found.plan.emplace().cost;
    cost.time = cost.overhead = 5;
    CHECK(found.gap() == std::numeric_limits<double>::infinity());
    cost.time = 25;
    CHECK(found.gap() == 0.25);
    found.lower_bound = 5;
    CHECK(found.gap() == 0);
}

TEST_CASE("plan: seven operations within seven bytes take two units more, and that is proven") {
    std::vector<std::vector<int>> const net{{1, 3}, {2}, {3}, {4}, {5}, {6}, {}};
    auto const found = plan(make_training_problem(net), 7);
    REQUIRE(found.plan);
    CHECK(found.plan->cost.overhead == 2);
    CHECK(found.plan->cost.peak == 7);
    CHECK(found.lower_bound == 2);
    CHECK(found.proven);
    CHECK(found.gap() == 0);
    CHECK(found.floor.size == 7);
    auto const none = plan(make_training_problem(net), 6);
    CHECK_FALSE(none.plan);
    CHECK(none.proven);
    for (bytes const enough : {bytes{9}, std::numeric_limits<bytes>::max()}) {
        auto const kept = plan(make_training_problem(net), enough);
        REQUIRE(kept.plan);
        CHECK(kept.plan->cost.overhead == 0);
        CHECK(kept.strategy == "keep_all");
    }
}

TEST_CASE("plan: without operations nothing is to be done") {
    auto const found = plan(dataflow_builder{}.build(), 0);
    REQUIRE(found.plan);
    CHECK(found.plan->schedule.steps.empty());
    CHECK(found.proven);
}

TEST_CASE("plan: of any dataflow it is legal, within the budget, not below its bound, and the same every time") {
    std::size_t plans = 0, proven = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        INFO("seed " << seed);
        auto const flow = any_flow(seed);
        for (auto const budget : budgets_of(flow, 3)) {
            auto const found = plan(flow, budget, little_work);
            CHECK(found == plan(flow, budget, little_work));
            if (!found.plan) continue;
            ++plans;
            proven += found.proven ? 1U : 0U;
            auto const cost = replay(flow, found.plan->schedule);
            CHECK(cost == found.plan->cost);
            CHECK(cost.peak <= budget);
            CHECK(make_arena(flow, found.plan->schedule).size <= budget);
            CHECK(found.lower_bound <= cost.overhead);
            CHECK(found.proven == (found.lower_bound == cost.overhead));
            CHECK(budget >= found.floor.size);
        }
    }
    CHECK(plans > 100);
    CHECK(proven > 60);
}

TEST_CASE("plan: several budgets: a larger budget never gives a slower plan or a greater bound") {
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
        INFO("seed " << seed);
        auto const flow = any_flow(seed);
        auto budgets = budgets_of(flow, 5);
        std::ranges::reverse(budgets);  // in any order
        auto const all = plan(flow, budgets, little_work);
        for (std::size_t k = 0; k + 1 < all.size(); ++k) {
            auto const& more = all[k];
            auto const& less = all[k + 1];
            CHECK(more.lower_bound <= less.lower_bound);
            if (!less.plan) continue;
            REQUIRE(more.plan);
            CHECK(more.plan->cost.time <= less.plan->cost.time);
            CHECK(less.plan->cost.peak <= budgets[k + 1]);
        }
    }
}

TEST_CASE("plan: times that are no integers give the plan of the integers, and their unit") {
    std::vector<std::vector<int>> const net{{1, 3}, {2}, {3}, {4}, {5}, {6}, {}};
    auto const time = [](int v) { return 0.125 * (1 + v % 3); };
    auto const whole = [](int v) { return 1 + v % 3; };
    for (bytes budget = 7; budget <= 9; ++budget) {
        auto const floating = plan(make_training_problem(net, weights{time, unit_weight{}}), budget);
        auto const integers = plan(make_training_problem(net, weights{whole, unit_weight{}}), budget);
        REQUIRE(floating.plan);
        REQUIRE(integers.plan);
        CHECK(floating.unit == time_unit{.per = 1000});
        CHECK(integers.unit == time_unit{});
        CHECK(floating.plan->cost.time == 125 * integers.plan->cost.time);
        CHECK(floating.lower_bound == 125 * integers.lower_bound);
        CHECK(floating.proven == integers.proven);
    }
}

TEST_CASE("plan: of times that are rounded no plan is proven to be the best, but that there is none is proven") {
    std::vector<std::vector<int>> const net{{1, 3}, {2}, {3}, {4}, {5}, {6}, {}};
    auto const third = [](int) { return 1.0 / 3; };
    auto const found = plan(make_training_problem(net, weights{third, unit_weight{}}), 7);
    REQUIRE(found.plan);
    CHECK_FALSE(found.unit.exact);
    CHECK_FALSE(found.proven);
    CHECK(found.unit.in_caller_units(found.plan->cost.overhead) == Approx(2.0 / 3));
    CHECK(found.lower_bound == found.plan->cost.overhead);
    auto const none = plan(make_training_problem(net, weights{third, unit_weight{}}), 6);
    CHECK_FALSE(none.plan);
    CHECK(none.proven);
    CHECK_FALSE(none.unit.exact);
    // What runs nothing again is the best in any unit.
    auto const once = plan(make_training_problem(net, weights{third, unit_weight{}}), 9);
    REQUIRE(once.plan);
    CHECK_FALSE(once.unit.exact);
    CHECK((once.plan->cost.overhead == 0 && once.proven));
}

TEST_CASE("plan: times that are floats are as exact as they are written; a local plan hides nothing") {
    std::vector<std::vector<int>> const net{{1, 3}, {2}, {3}, {4}, {5}, {6}, {}};
    auto const tenth = [](int) { return 0.1F; };
    auto const plan = repebble::plan(make_training_problem(net, weights{tenth, unit_weight{}}), 7);
    CHECK((plan.plan && plan.unit.exact && plan.proven));
}

TEST_CASE("plan: an observer hears of plans and can end the search") {
    struct listener {
        int heard = 0;
        void improved(std::int64_t, std::int64_t) { ++heard; }
    } listener;
    std::vector<std::vector<int>> net(30);
    for (int v = 0; v + 1 < 30; ++v) net[static_cast<std::size_t>(v)].push_back(v + 1);
    auto const training = make_training_graph(net, weights{unit_weight{}, unit_weight{}});
    auto const heard = [&] { return listener.heard > 0; };
    auto const found = plan(training, 12, {.limits = {.stop = heard}}, listener);
    REQUIRE(found.plan);
    CHECK(listener.heard == 1);
    CHECK(found.plan->cost.peak <= 12);
}

TEST_CASE("plan: never below a proven optimum, and near it", "[long]") {
    auto const cases = support::proven_optima();
    if (cases.empty()) SKIP("no ../shared/data");
    std::size_t points = 0;
    for (auto const& entry : cases) {
        auto const training = support::training_from(entry);
        if (training.flow.operation_count() > 24) continue;
        for (auto const& result : entry.at("results")) {
            if (result.at("game") != "once") continue;
            for (auto const& point : result.at("points")) {
                if (!point.at("proven").get<bool>() || point.at("cost").is_null()) continue;
                auto const budget = point.at("budget").get<bytes>();
                auto const least = point.at("cost").get<std::int64_t>();
                INFO(entry.at("name") << " within " << budget);
                // Gradients may run again here: the game "free".
                auto const found = plan(training, budget, {.limits = {.work = 3000}});
                CHECK(training.flow.time_once() + found.lower_bound <= least);
                if (!found.plan) continue;
                ++points;
                CHECK(static_cast<double>(found.plan->cost.time) <= 1.6 * static_cast<double>(least));
            }
        }
    }
    CHECK(points > 100);
}

TEST_CASE("plan: where a value has two producers the bound is not above a legal schedule") {
    // a, b, p, t, u, a again, the other producer of x, f: time 1150 + 50, with 44 bytes.
    dataflow_builder builder;
    auto const a = builder.add_operation(50), b = builder.add_operation(70), p = builder.add_operation(1000),
               q = builder.add_operation(1), t = builder.add_operation(10), u = builder.add_operation(10, 32),
               f = builder.add_operation(10);
    auto const of_a = builder.add_value(a, 10), of_b = builder.add_value(b, 10), x = builder.add_value(p, 5),
               z = builder.add_value(p, 1), of_t = builder.add_value(t, 1), of_u = builder.add_value(u, 1);
    builder.add_producer(q, x);
    for (auto const read : {of_a, of_b, z}) builder.add_read(t, read);
    builder.add_read(u, of_t);
    for (auto const read : {of_a, of_b, x, of_u}) builder.add_read(f, read);
    auto const found = plan(std::move(builder).build(), 45, little_work);
    REQUIRE(found.plan);
    CHECK(found.lower_bound <= 1050);
    CHECK(found.lower_bound <= found.plan->cost.overhead);
}

TEST_CASE("plan: a view that takes time counts in no bound where nobody has to make it") {
    dataflow_builder builder;
    auto const u = builder.add_operation(1), v = builder.add_operation(100), r = builder.add_operation(1),
               r2 = builder.add_operation(1), s = builder.add_operation(1);
    auto const x = builder.add_value(u, 1);
    builder.add_read(v, x);
    auto const y = builder.add_view(v, std::vector<value_index>{x});
    builder.add_read(r, y);
    builder.add_read(r2, x);
    auto const z = builder.add_value(r, 1);
    builder.add_producer(r2, z);
    builder.add_read(s, x);
    builder.add_read(s, z);
    auto const flow = std::move(builder).build();
    auto const fast = replay(flow, make_schedule(flow, std::vector<operation_index>{u, r2, s}));
    CHECK(plan(flow, 10, little_work).lower_bound <= fast.overhead);
}

TEST_CASE("plan: thousands of operations get a plan, however soon the search is called off", "[long]") {
    auto const training = long_chain(6000);
    auto const budget = replay(training.flow, make_schedule(training.flow)).peak / 2;
    int before = 0;
    for (int const most : {40, 80, 300}) {
        int looks = 0;
        auto const found = plan(training, budget, {.limits = {.stop = [&] { return ++looks > most; }}});
        REQUIRE(found.plan);
        CHECK(found.plan->cost.peak <= budget);
        CHECK(found.lower_bound <= found.plan->cost.overhead);
        CHECK(looks > before);
        before = looks;
    }
}

TEST_CASE("plan: whatever the time limit, thousands of operations get a plan, and later a bound", "[long]") {
    auto const training = long_chain(4000);
    auto const budget = replay(training.flow, make_schedule(training.flow)).peak / 2;
    for (double const seconds : {0.0, 0.05, 0.5, 2.0}) {
        INFO(seconds << " s");
        auto const found = plan(training, budget, {.limits = {.seconds = seconds}, .arena = true});
        REQUIRE(found.plan);
        CHECK(found.plan->cost.peak <= budget);
        CHECK(make_arena(training.flow, found.plan->schedule, {.offsets = {.capacity = budget}}).size <= budget);
        CHECK(found.lower_bound <= found.plan->cost.overhead);
        if (seconds >= 2) CHECK(found.lower_bound > 0);
    }
}

TEST_CASE("plan: without any time, too, most budgets that greedy eviction can keep get a plan") {
    std::size_t kept = 0, plans = 0;
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(random, {.operations = 8 + seed % 30, .view_percent = 0});
        bytes const most = replay(flow, make_schedule(flow)).peak;
        for (bytes const percent : {75, 90}) {
            bytes const budget = most * percent / 100;
            auto const model = detail::make_planning_model(flow);
            auto const never = [](bool) { return false; };
            auto const evicted = detail::best_eviction_start(model, budget, detail::step_limit(model), never);
            if (!evicted || make_arena(flow, make_schedule(flow, *evicted)).size > budget) continue;
            ++kept;
            if (plan(flow, budget, {.limits = {.seconds = 0}, .arena = true}).plan) ++plans;
        }
    }
    INFO(plans << " of " << kept);
    CHECK(kept > 20);
    CHECK(plans * 10 >= kept * 9);
}

TEST_CASE("plan: the same for any number of threads", "[long]") {
    auto const training = long_chain(50);
    bytes const most = replay(training.flow, make_schedule(training.flow)).peak;
    for (bytes const budget : {most * 2 / 5, most * 3 / 10}) {
        plan_options options{.limits = {.work = 3000}};
        auto const one = plan(training, budget, options);
        options.threads = 3;
        auto const other = plan(training, budget, options);
        REQUIRE(other.plan.has_value() == one.plan.has_value());
        CHECK(other.lower_bound == one.lower_bound);
        CHECK(other.strategy == one.strategy);
        if (one.plan) CHECK(other.plan->schedule == one.plan->schedule);
    }
}

TEST_CASE("plan: an observer that throws ends planning on any number of threads") {
    struct thrower {
        int looks = 0;
        void progress(double) {
            if (++looks > 3) throw std::runtime_error("no more");
        }
    };
    auto const training = long_chain(50);
    auto const budget = replay(training.flow, make_schedule(training.flow)).peak * 3 / 10;
    for (std::size_t const threads : {1U, 2U}) {
        thrower observer;
        CHECK_THROWS_AS(plan(training, budget, {.limits = {.work = 10'000}, .threads = threads}, observer),
                        std::runtime_error);
    }
}

TEST_CASE("plan: bytes of which multiples do not fit in 64 bits are planned for") {
    auto const training =
        make_training_graph(support::chain(10), weights{unit_weight{}, [](int) { return std::int64_t{1} << 58; }});
    auto const budget = replay(training.flow, make_schedule(training.flow)).peak / 10 * 7;
    auto const found = plan(training, budget, {.limits = {.work = 1000}});
    REQUIRE(found.plan);
    CHECK(found.plan->cost.peak <= budget);
    CHECK(found.lower_bound <= found.plan->cost.overhead);
}

TEST_CASE("plan: never worse than the older strategies") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        INFO("seed " << seed);
        auto const training = long_chain(20 + seed);
        bytes const most = replay(training.flow, make_schedule(training.flow)).peak;
        for (bytes const budget : {most * 3 / 4, most / 2, most * 2 / 5}) {
            auto const found = plan(training, budget, {.limits = {.work = 3}});
            for (auto const& other : {greedy_eviction(training, budget), save_set(training, budget)}) {
                if (!other) continue;
                ++compared;
                REQUIRE(found.plan);
                CHECK(found.plan->cost.time <= other->cost.time);
            }
        }
    }
    CHECK(compared > 10);
}

TEST_CASE("plan: never worse than the best canonical schedule of a small graph, however few the moves", "[long]") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
        auto const training = branching_training(seed, 5);
        planning_graph const graph(training);
        bytes const most = replay(training.flow, make_schedule(training.flow)).peak;
        for (bytes const percent : {60, 45}) {
            INFO("seed " << seed << ", " << percent << " %");
            bytes const budget = most * percent / 100;
            auto const canonical = best_canonical(graph, canonical_options{.budget = budget});
            if (!canonical.sequence) continue;
            ++compared;
            auto const found = plan(training, budget, {.limits = {.work = 300}});
            REQUIRE(found.plan);
            CHECK(found.plan->cost.overhead <= canonical.overhead);
        }
    }
    CHECK(compared > 2);
}

TEST_CASE("plan: a hundred operations that anneal to 3170 have a canonical schedule of 2962, the proven least",
          "[long]") {
    auto const training = branching_training(11, 7);
    bytes const budget = replay(training.flow, make_schedule(training.flow)).peak * 60 / 100;
    auto const found = plan(training, budget, {.limits = {.work = 3000}});
    REQUIRE(found.plan);
    CHECK(found.plan->cost.overhead == 2962);
    CHECK(found.strategy == "best_canonical");
    CHECK(found.proven);
    CHECK(plan(training, budget, {.limits = {.work = 3000}, .threads = 3}) == found);
}

TEST_CASE("plan: options that are negative or no numbers are refused, and so are times that sum to too much") {
    std::vector<std::vector<int>> const net{{1}, {2}, {}};
    auto const nan = std::numeric_limits<double>::quiet_NaN();
    auto const step = make_training_problem(net);
    auto const refused = [&](plan_options const& options, std::string const& number) {
        try {
            static_cast<void>(plan(step, 9, options));
        } catch (bad_option const& e) {
            return std::string(e.what()).find(number) != std::string::npos;
        }
        return false;
    };
    CHECK(refused({.limits = {.seconds = -1.5}}, "-1.5"));
    CHECK(refused({.limits = {.seconds = nan}}, "nan"));
    CHECK(refused({.gap = nan}, "nan"));
    CHECK(refused({.gap = -1}, "-1"));
    CHECK(refused({.threads = 0}, "thread"));
    auto const endless = weights{[](int v) { return v == 1 ? std::int64_t{1} << 58U : 1; }, unit_weight{}};
    try {
        static_cast<void>(plan(make_training_problem(net, endless), 9));
        FAIL("times beyond what can be planned for");
    } catch (bad_weight const& e) {
        CHECK(std::string(e.what()).find("operation 1 ") != std::string::npos);
    }
    auto const long_times = weights{[](int) { return std::int64_t{1} << 54U; }, unit_weight{}};
    CHECK(
        plan(make_problem(std::vector<std::vector<int>>{{1, 3}, {2}, {3}, {}}, long_times), 5, little_work).floor.size >
        0);
}
