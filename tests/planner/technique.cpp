// Covers planner/technique.hpp, planner/plan_options.hpp, plan.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/plan_options.hpp>
#include <repebble/planner/technique.hpp>

#include "recompute/random_training.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

struct reports {
    std::vector<technique_report> all{};
    void report(technique_report const& r) { all.push_back(r); }
};

auto without(technique t) -> technique_set {
    technique_set set;
    set.insert(t);
    return set;
}

}  // namespace

TEST_CASE("technique: names are those of the enumeration, each once") {
    for (std::size_t k = 0; k < technique_count; ++k) {
        auto const t = static_cast<technique>(k);
        CHECK(technique_by_name(to_string(t)) == t);
    }
    CHECK(to_string(technique::order_of_least_peak) == "order_of_least_peak");
    CHECK_FALSE(technique_by_name("nothing"));
}

TEST_CASE("technique_set: contains the techniques that were inserted") {
    technique_set set;
    CHECK_FALSE(set.contains(technique::memetic));
    set.insert(technique::memetic);
    CHECK(set.contains(technique::memetic));
    CHECK_FALSE(set.contains(technique::annealing));
}

TEST_CASE("plan: without any one technique plans are legal and bounds hold", "[long]") {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(random, {.operations = 18, .view_percent = 10});
        auto const most = replay(flow, make_schedule(flow)).peak;
        bytes const budget = most * 3 / 4;
        plan_options const usual{.limits = {.work = 20'000}};
        auto const whole = plan(flow, budget, usual);
        for (std::size_t k = 0; k < technique_count; ++k) {
            INFO("seed " << seed << ", without " << std::string(to_string(static_cast<technique>(k))));
            auto options = usual;
            options.without = without(static_cast<technique>(k));
            auto const found = plan(flow, budget, options);
            if (found.plan) {
                CHECK(replay(flow, found.plan->schedule).peak <= budget);
                CHECK(found.plan->cost.overhead >= whole.lower_bound);
                if (whole.plan && found.proven) CHECK(found.plan->cost.overhead <= whole.plan->cost.overhead);
            }
            if (whole.plan) CHECK(found.lower_bound <= whole.plan->cost.overhead);
        }
    }
}

TEST_CASE("plan: an observer hears which technique found the plan, and of none that is switched off") {
    support::split_mix random(3);
    auto const flow = support::random_dataflow(random, {.operations = 30, .view_percent = 0});
    bytes const budget = replay(flow, make_schedule(flow)).peak * 3 / 4;
    reports heard;
    auto const found = plan(flow, budget, {.limits = {.work = 20'000}}, heard);
    REQUIRE(found.plan);
    CHECK(std::ranges::count(heard.all, true, &technique_report::found_plan) == 1);
    std::int64_t raised = 0;
    for (auto const& r : heard.all) {
        CHECK(r.seconds >= 0);
        raised += r.bound_raised;
        if (r.found_plan) CHECK(r.plans > 0);
    }
    CHECK(raised >= found.lower_bound);

    reports less;
    static_cast<void>(
        plan(flow, budget, {.limits = {.work = 20'000}, .without = without(technique::one_cut_search)}, less));
    CHECK(std::ranges::find(less.all, technique::one_cut_search, &technique_report::what) == less.all.end());
}

TEST_CASE("plan: an observer may be constant, and a stop that is true once is not asked again") {
    struct {
        void progress(double) const {}
    } const constant;
    support::split_mix random(5);
    auto const flow = support::random_dataflow(random, {.operations = 90, .view_percent = 0});
    bytes const budget = replay(flow, make_schedule(flow)).peak * 3 / 4;
    CHECK(plan(flow, budget, {.limits = {.work = 1000}}, constant).lower_bound >= 0);
    int asked = 0;
    static_cast<void>(plan(flow, budget, {.limits = {.work = 100'000, .stop = [&] { return ++asked == 3; }}}));
    CHECK(asked == 3);
}

TEST_CASE("plan: a forward graph without vertices has an empty plan, proven least") {
    std::vector<std::vector<int>> const none;
    auto const found = plan(make_problem(none), 0);
    REQUIRE(found.plan);
    CHECK(found.plan->schedule.steps.empty());
    CHECK(found.proven);
    CHECK(found.floor.size == 0);
}
