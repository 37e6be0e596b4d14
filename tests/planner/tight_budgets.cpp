// Covers plan.hpp, planner/detail/starts/exact_start.hpp, planner/detail/annealing/neighbourhood.hpp,
// planner/detail/swapping/swap_search.hpp.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/catch.hpp"
#include "recompute/branching_graphs.hpp"
#include "support/folders.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

auto tight_graph(std::string const& name) -> training_graph {
    auto const file = std::filesystem::path(support::source_dir()) / "tests/data/tight" / (name + ".json");
    return io::make_training_graph(io::read_network(file, ""));
}

void check_optimum(std::string const& name, bytes budget, std::int64_t least) {
    INFO(name << " within " << budget);
    auto const training = tight_graph(name);
    auto const found = plan(training, budget);
    REQUIRE(found.plan);
    CHECK(found.plan->cost.time == least);
    CHECK(found.proven);
    CHECK(replay(training.flow, found.plan->schedule).peak <= budget);
}

}  // namespace

TEST_CASE("plan: small graphs at tight budgets have their least times, proven, without a limit", "[long]") {
    check_optimum("small_1075", 107, 215);
    check_optimum("small_1075", 110, 210);
    check_optimum("gap_1145", 56, 270);
}

TEST_CASE("plan: where annealing has no plan, or only a slower one, the exact search has the work", "[long]") {
    check_optimum("small_1075", 100, 378);
    check_optimum("gap_1218", 64, 251);
    check_optimum("gap_1218", 76, 229);
}

TEST_CASE("plan over a link: a trace of 67 operations has the fastest plans that are known", "[long]") {
    auto const training = tight_graph("trace_cnn_cifar");
    plan_options const options{.link = host_link{.size = 121'153'575, .time = 1'000'000'000}};
    auto const full = keep_all(training.flow).cost.peak;
    for (auto const& [percent, most] : {std::pair{60, 0.02449}, {50, 0.1234}}) {
        INFO(percent << " % of " << full);
        auto const found = plan(training, full / 100 * percent, options);
        REQUIRE(found.plan);
        auto const& cost = found.plan->cost;
        CHECK(static_cast<double>(cost.overhead) <= most * static_cast<double>(training.flow.time_once()));
        CHECK(replay(training.flow, found.plan->schedule, {}, lanes_clock(*options.link)).time == cost.time);
    }
}

TEST_CASE("plan: a view that takes time is not made again for nobody: 15 time units, not 25") {
    check_optimum("viewtime", 17, 15);
}

TEST_CASE("plan: of two sinks that compute the same value one runs, in a graph beyond the exact search") {
    dataflow_builder builder;
    auto last = builder.add_value(builder.add_operation(1), 1);
    for (int i = 1; i < 70; ++i) {
        auto const v = builder.add_operation(1);
        builder.add_read(v, last);
        last = builder.add_value(v, 1);
    }
    auto const slow = builder.add_operation(100), fast = builder.add_operation(3);
    builder.add_producer(fast, builder.add_value(slow, 1));
    auto const found = plan(std::move(builder).build(), 8, {.limits = {.work = 20'000}});
    REQUIRE(found.plan);
    CHECK(found.plan->cost.time == 73);
}

TEST_CASE("plan: a bound is that of the budget, whatever arenas make attempts ask for less") {
    std::size_t slower = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::branching_modules(random, 2, 2, 2, 99, false).training(gradient_dependencies{}).flow;
        auto const most = replay(flow, make_schedule(flow)).peak;
        auto const budget = most * support::between(random, 55, 80) / 100;
        auto const free = plan(flow, budget, {.limits = {.work = 1000}});
        plan_options options{.limits = {.work = 1000}, .arena = true};
        options.effort.arena_effort = 0;
        auto const found = plan(flow, budget, options);
        if (!free.plan) continue;
        CHECK(found.lower_bound <= free.plan->cost.overhead);
        slower += !found.plan || found.plan->cost.overhead > free.plan->cost.overhead ? 1U : 0U;
    }
    CHECK(slower > 1);
}
