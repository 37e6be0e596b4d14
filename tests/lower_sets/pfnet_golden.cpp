// Covers lower_sets/evaluate_formula.hpp, lower_sets/detail/least_cached.hpp, lower_sets/detail/all_lower_sets.hpp,
// lower_sets/solve_lower_sets.hpp.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <repebble/io/json_network.hpp>
#include <repebble/lower_sets/detail/least_cached.hpp>
#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/lower_sets/lower_set_limit.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>

#include "support/catch.hpp"
#include "support/golden.hpp"

// The seven graphs of Kusumoto et al. 2019 at all recorded budgets.

using namespace repebble;

namespace {

/// The overhead of the curve at the budget is the recorded one; where none is recorded, no sequence fits.
void agrees_with(lower_set_curve const& curve, bytes budget, nlohmann::json const& recorded, char const* what) {
    auto const at = curve.best_within(budget);
    bool const feasible = !recorded.is_null() && !recorded.at(what).is_null();
    REQUIRE(at.has_value() == feasible);
    if (feasible) CHECK(curve.breakpoints()[*at].overhead == recorded.at(what).at("overhead").get<std::int64_t>());
}

void check_curve(lower_set_curve const& curve, nlohmann::json const& golden, char const* which, objective goal) {
    CHECK(curve.least_budget() == golden.at(std::string("min_budget_") + which).get<bytes>());
    for (auto const& [name, point] : golden.at("budgets").items()) {
        INFO("budget " << name);
        agrees_with(curve, point.at("budget").get<bytes>(), point.at(which), goal == objective::time ? "TC" : "MCmax");
    }
}

/// The sequence of least cached bytes has the recorded cached bytes and overhead.
void check_least_cached(std::optional<lower_set_sequence> const& found, lower_set_problem const& problem,
                        nlohmann::json const& recorded) {
    bool const feasible = !recorded.is_null() && !recorded.at("MCpareto").is_null();
    REQUIRE(found.has_value() == feasible);
    if (!feasible) return;
    bytes cached = 0;
    lower_set_family const sets(problem, found->lower_sets());
    for (std::size_t i = 0; i + 1 < sets.size(); ++i) cached += sets.cost(i, i + 1, false).cached;
    CHECK(cached == recorded.at("MCpareto").at("cached").get<bytes>());
    CHECK(evaluate_formula(problem, *found).overhead == recorded.at("MCpareto").at("overhead").get<std::int64_t>());
}

}  // namespace

TEST_CASE("pfnet: overheads and least budgets of the seven graphs at every recorded budget", "[golden][data][long]") {
    auto const golden = support::data_json("public/pfnet/golden.json");
    if (!golden) SKIP("there is no data folder public/pfnet");
    for (auto const& [name, expected] : golden->at("graphs").items()) {
        INFO(name);
        auto const net = io::read_network(*support::data_file("public/pfnet/graphs/" + name + ".json"));
        auto const problem = make_lower_set_problem(make_dataflow(net, net.weights()));
        auto const pruned = lower_set_family::pruned(problem);
        for (auto const goal : {objective::time, objective::memory})
            check_curve(solve_lower_sets(pruned, {.goal = goal}), expected, "approx", goal);
        detail::all_lower_sets const all(problem, 100'000);
        CHECK(all.size() == expected.at("lower_sets").get<std::size_t>());
        check_curve(all.curve({}, no_progress{}), expected, "exact", objective::time);
        if (all.size() < 1000)  // else minutes
            check_curve(all.curve({.goal = objective::memory}, no_progress{}), expected, "exact", objective::memory);
        for (auto const& [budget_name, point] : expected.at("budgets").items()) {
            INFO("budget " << budget_name);
            auto const budget = point.at("budget").get<bytes>();
            check_least_cached(detail::least_cached(pruned, budget), problem, point.at("approx"));
            if (all.size() < 1000)
                check_least_cached(detail::least_cached(problem, budget, default_lower_set_limit), problem,
                                   point.at("exact"));
        }
    }
}
