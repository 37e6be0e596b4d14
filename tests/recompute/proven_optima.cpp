// Covers recompute/forget_all.hpp, recompute/greedy_eviction.hpp, recompute/keep_all.hpp,
// recompute/lower_set_plan.hpp, recompute/lower_set_plan.hpp,
// recompute/save_set.hpp, recompute/sqrt_segments.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <repebble/lower_sets/solve_lower_sets.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/save_set.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "recompute/lower_set_question.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

// Proven optima of small training graphs. Strategies run the backward pass once: the game "once".

using namespace repebble;
using nlohmann::json;

namespace {

/// A proven bound: no schedule within the budget takes less time.
auto least_time(json const& point) -> std::int64_t {
    return point.at(point.at("proven").get<bool>() ? "cost" : "lower_bound").get<std::int64_t>();
}

/// Checks that no plan is better than the proven bounds.
void respects(recompute_plan<> const& plan, json const& result, std::string const& strategy) {
    INFO(strategy << ": time " << plan.cost.time << ", peak " << plan.cost.peak);
    CHECK(plan.cost.time >= result.at("cost_once").get<std::int64_t>());
    CHECK(plan.cost.peak >= result.at("min_budget").get<bytes>());
    for (auto const& point : result.at("points"))
        if (plan.cost.peak <= point.at("budget").get<bytes>()) CHECK(plan.cost.time >= least_time(point));
    if (result.contains("pareto"))
        for (auto const& point : result.at("pareto"))
            if (plan.cost.peak <= point.at(0).get<bytes>()) CHECK(plan.cost.time >= point.at(1).get<std::int64_t>());
}

void judge_all(training_graph const& training, json const& result) {
    auto const all_kept = keep_all(training);
    CHECK(all_kept.cost.time == result.at("cost_once").get<std::int64_t>());
    CHECK(all_kept.cost.peak == result.at("seq_peak").get<bytes>());
    respects(all_kept, result, "keep_all");
    respects(forget_all(training), result, "forget_all");
    respects(sqrt_segments(training), result, "sqrt_segments");
    std::vector<std::optional<bytes>> budgets{std::nullopt};
    for (auto const& point : result.at("points")) budgets.emplace_back(point.at("budget").get<bytes>());
    bool const small = training.flow.operation_count() <= 20;
    for (auto const& budget : budgets)
        for (auto const goal : {objective::time, objective::memory}) {
            lower_set_question const options{.budget = budget, .goal = goal, .nearest = true};
            if (auto const plan = ask_approximate(training, options)) respects(*plan, result, "lower_set_approximate");
            if (goal == objective::time) {
                strategy_options const nearest{.nearest = true};
                if (auto const plan = greedy_eviction(training, budget, nearest))
                    respects(*plan, result, "greedy_eviction");
                if (auto const plan = save_set(training, budget, nearest)) respects(*plan, result, "save_set");
            }
            if (!small && goal == objective::memory) continue;
            if (auto const plan = ask_exact(training, options)) respects(*plan, result, "lower_set_exact");
            if (training.flow.operation_count() > 12) continue;
            if (auto const plan = ask_exhaustive(training, options)) respects(*plan, result, "lower_set_exhaustive");
        }
}

}  // namespace

TEST_CASE("no schedule of any strategy beats a proven optimum", "[golden][data][long]") {
    auto const cases = support::proven_optima();
    if (cases.empty()) SKIP("there is no data folder own/optimal");
    for (auto const& entry : cases) {
        INFO(entry.at("name").get<std::string>() << ", " << entry.at("convention").get<std::string>());
        auto const training = support::training_from(entry);
        for (auto const& result : entry.at("results"))
            if (result.at("game") == "once") judge_all(training, result);
    }
}

TEST_CASE("the recorded optimal schedules replay to their costs", "[golden][data]") {
    auto const cases = support::proven_optima();
    if (cases.empty()) SKIP("there is no data folder own/optimal");
    std::size_t replayed = 0;
    for (auto const& entry : cases) {
        auto const training = support::training_from(entry);
        for (auto const& result : entry.at("results"))
            for (auto const& point : result.at("points")) {
                if (!point.contains("schedule") || point.at("schedule").is_null()) continue;
                INFO(entry.at("name").get<std::string>() << ", budget " << point.at("budget"));
                schedule_builder builder(training.flow);
                for (auto const& s : point.at("schedule")) {
                    auto const v = s.at(1).get<operation_index>();
                    s.at(0) == "C" ? builder.compute(v) : builder.discard(training.flow.writes(v).front());
                }
                auto const cost = replay(training.flow, std::move(builder).finish());
                CHECK(cost.time == point.at("cost").get<std::int64_t>());
                CHECK(cost.overhead == point.at("extra").get<std::int64_t>());
                CHECK(cost.peak <= point.at("budget").get<bytes>());
                ++replayed;
            }
    }
    CHECK(replayed > 100);
}

TEST_CASE("formulas (1) and (2) give the recorded optima, the last segment recomputed or kept", "[golden][data]") {
    auto const cases = support::data_json("own/optimal/canonical.json");
    if (!cases) SKIP("there is no data folder own/optimal");
    for (auto const& entry : *cases) {
        INFO(entry.at("name").get<std::string>());
        auto const problem = support::dag_from(entry).problem();
        auto const family = lower_set_family::all(problem, 100'000);
        CHECK(family.size() == entry.at("lower_sets").get<std::size_t>());
        auto const time = solve_lower_sets(family, {});
        auto const kept = solve_lower_sets(family, {.keep_last = true});
        auto const memory = solve_lower_sets(family, {.goal = objective::memory});
        for (auto const* curve : {&time, &kept, &memory})
            CHECK(curve->least_budget() == entry.at("min_budget").get<bytes>());
        for (auto const& point : entry.at("points")) {
            auto const budget = point.at("budget").get<bytes>();
            INFO("budget " << budget);
            auto const overhead = [&](lower_set_curve const& c) {
                return c.breakpoints()[c.best_within(budget).value()].overhead;
            };
            CHECK(overhead(time) == point.at("tc_formula").get<std::int64_t>());
            CHECK(overhead(kept) == point.at("tc_last_kept").get<std::int64_t>());
            if (point.contains("mc_formula")) CHECK(overhead(memory) == point.at("mc_formula").get<std::int64_t>());
        }
    }
}
