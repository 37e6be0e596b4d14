// Covers planner/detail/baselines/baseline_plans.hpp.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/lower_sets/lower_set_limit.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/detail/baselines/baseline_plans.hpp>
#include <repebble/recompute/best_canonical.hpp>
#include <repebble/recompute/planning_graph.hpp>

#include "recompute/branching_graphs.hpp"
#include "recompute/random_training.hpp"
#include "support/catch.hpp"

using namespace repebble;

namespace {

struct at_its_end {
    static auto is_over() -> bool { return true; }
};

auto two_modules(std::uint64_t seed) -> training_graph {
    support::split_mix random(seed);
    return support::branching_modules(random, 2, 2, 2, 99, false).training(gradient_dependencies{});
}

}  // namespace

TEST_CASE("canonical_start: within the budget, as good as the best canonical schedule, and below the known overhead") {
    std::size_t found = 0;
    no_progress observer;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        INFO("seed " << seed);
        auto const training = two_modules(seed);
        bytes const budget = replay(training.flow, make_schedule(training.flow)).peak * 3 / 4;
        auto const start = [&](std::optional<std::int64_t> below) {
            return detail::canonical_start(planning_graph(training), budget, below, 1, effort{}, observer);
        };
        auto const best = best_canonical(planning_graph(training), canonical_options{.budget = budget});
        auto const operations = start(std::nullopt);
        REQUIRE(operations.has_value() == best.sequence.has_value());
        if (!operations) continue;
        ++found;
        auto const cost = replay(training.flow, make_schedule(training.flow, *operations));
        CHECK(cost.peak <= budget);
        CHECK(cost.overhead == best.overhead);
        CHECK_FALSE(start(best.overhead));
        CHECK(start(best.overhead + 1));
    }
    CHECK(found > 10);
}

TEST_CASE("canonical_start: nothing without work, or where the observer ends it") {
    auto const training = two_modules(1);
    bytes const budget = replay(training.flow, make_schedule(training.flow)).peak;
    no_progress observer;
    at_its_end ended;
    CHECK(detail::canonical_start(planning_graph(training), budget, {}, 1, effort{}, observer));
    CHECK_FALSE(detail::canonical_start(planning_graph(training), budget, {}, 0, effort{}, observer));
    CHECK_FALSE(detail::canonical_start(planning_graph(training), budget, {}, 1, effort{}, ended));
}

TEST_CASE("canonical_start: nothing of joint graphs, of large ones, and of those of many lower sets") {
    no_progress observer;
    auto const looks_at = [&](training_graph const& training) {
        bytes const budget = replay(training.flow, make_schedule(training.flow)).peak;
        return detail::canonical_start(planning_graph(training), budget, {}, 1, effort{}, observer).has_value();
    };
    auto const built = two_modules(2);
    CHECK(looks_at(built));
    std::vector<pass> passes;
    for (auto const& o : built.origin) passes.push_back(o.pass);
    CHECK_FALSE(looks_at(make_training_graph(built.flow, passes)));
    support::split_mix random(3);
    CHECK_FALSE(looks_at(support::branching_modules(random, 70, 2, 2, 99, false).training(gradient_dependencies{})));
    CHECK_FALSE(looks_at(support::branching_modules(random, 1, 10, 2, 99, false).training(gradient_dependencies{})));
}
