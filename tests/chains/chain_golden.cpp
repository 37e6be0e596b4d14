// Covers chains/chain_dataflow.hpp, chains/solve_chain.hpp, chains/bytes_to_keep_all.hpp,
// chains/solve_chain.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/chains/bytes_to_keep_all.hpp>
#include <repebble/chains/chain_dataflow.hpp>
#include <repebble/chains/solve_chain.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/io/json_chain.hpp>
#include <repebble/io/parse_json.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/folders.hpp"

// Chains of real networks and random ones, with times that other programs found: tests/data/chain;
// two of the networks are in examples/data.

using namespace repebble;

namespace {

using golden_time = std::optional<std::int64_t>;

auto golden_chain_path(std::string const& name) {
    std::filesystem::path const root = support::source_dir();
    auto const example = root / "examples/data" / name;
    return (std::filesystem::exists(example) ? example : root / "tests/data/chain" / name).string();
}
auto golden_chain(std::string const& name) -> chain { return io::read_chain(golden_chain_path(name + ".json")).chain; }
auto golden_json(std::string const& name) -> nlohmann::json {
    return io::parse_json(io::read_file(golden_chain_path(name)), name);
}
auto recorded_time(nlohmann::json const& value) -> golden_time {
    return value.is_null() ? std::nullopt : golden_time(value.get<std::int64_t>());
}
auto recorded_curve(nlohmann::json const& list) -> std::vector<budget_and_time> {
    std::vector<budget_and_time> curve;
    for (auto const& point : list) curve.push_back({point.at(0).get<bytes>(), point.at(1).get<std::int64_t>()});
    return curve;
}
/// Whether one curve is nowhere above another: compared at the breakpoints of the upper one.
auto never_above(chain_frontier const& low, chain_frontier const& high) -> bool {
    return std::ranges::all_of(high.curve(), [&](auto const& p) {
        auto const found = low.time_within(p.budget);
        return found && *found <= p.time;
    });
}

}  // namespace

TEST_CASE("chains: every recorded curve, to the last budget", "[chain][data][long]") {
    auto const golden = golden_json("golden_heterogeneous.json");
    std::size_t steps = 0;
    for (auto const& [name, recorded] : golden.at("random").items()) {
        if (name == "rand_L100_1") continue;
        INFO(name);
        auto const of = golden_chain(name);
        auto expected = recorded_curve(recorded.at("staircase"));
        bool const is_long = of.stages.size() > 60;
        if (is_long) expected.resize(expected.size() / 6);
        auto const last = is_long ? std::optional(expected.back().budget) : std::nullopt;
        auto const published = solve_chain(of, {.test = memory_test::published, .last_budget = last});
        CHECK(published.curve() == expected);
        CHECK(bytes_to_keep_all(of, memory_test::published) == recorded_curve(recorded.at("staircase")).back().budget);
        steps += expected.size();
        if (is_long) continue;
        auto const tight = solve_chain(of);
        CHECK(never_above(tight, published));
        CHECK(bytes_to_keep_all(of) == tight.curve().back().budget);
    }
    CHECK(steps == 903);
}

TEST_CASE("chains: the recorded frontiers of networks", "[chain][data]") {
    auto const golden = golden_json("golden_heterogeneous.json");
    std::size_t networks = 0;
    for (auto const& [name, recorded] : golden.at("nets").items()) {
        if (!recorded.contains("frontier")) continue;
        INFO(name);
        auto const of = golden_chain("net_" + name);
        auto const published = solve_chain(of, {.test = memory_test::published});
        CHECK(published.curve() == recorded_curve(recorded.at("frontier")));
        CHECK(published.curve().front().budget == recorded.at("min_budget").get<bytes>());
        CHECK(bytes_to_keep_all(of, memory_test::published) == recorded.at("noremat_budget").get<bytes>());
        auto const tight = solve_chain(of);
        CHECK(never_above(tight, published));
        CHECK(bytes_to_keep_all(of) == tight.curve().back().budget);
        for (auto const& point : recorded.at("budgets"))
            CHECK(published.time_within(point.at("M").get<bytes>()) == recorded_time(point.at("exact")));
        ++networks;
    }
    CHECK(networks == 7);
}

TEST_CASE("chains: the published program's times with 500 slots", "[chain][data]") {
    auto const golden = golden_json("golden_heterogeneous.json");
    std::size_t infeasible = 0, missed = 0;
    for (auto const& [name, recorded] : golden.at("nets").items()) {
        if (!recorded.contains("frontier")) continue;  // a long one
        auto const of = golden_chain("net_" + name);
        for (auto const& point : recorded.at("budgets")) {
            INFO(name << " " << point.dump());
            auto const budget = point.at("M").get<bytes>();
            auto const solved = solve_chain(of, {.test = memory_test::published, .slots = 500, .last_budget = budget});
            auto const expected = recorded_time(point.at("rotor500"));
            CHECK(solved.slot() == point.at("unit").get<bytes>());
            CHECK(solved.time_within(budget) == expected);
            if (!expected) ++infeasible;
            if (expected && *expected > point.at("exact").get<std::int64_t>()) ++missed;
        }
    }
    CHECK(infeasible == 7);  // the least budget of each network, at which there is a plan
    CHECK(missed == 44);
}

TEST_CASE("chains: true optima of small chains, and how often persistent plans are as good", "[chain][data][long]") {
    auto const golden = golden_json("golden_optimal_small.json.gz");
    std::size_t feasible = 0, persistent = 0, dropping = 0, cases = 0;
    for (auto const& entry : golden.at("cases")) {
        auto const of = io::parse_chain(entry.dump()).chain;
        auto const published = solve_chain(of, {.test = memory_test::published});
        auto const tight = solve_chain(of);
        auto const dropped = solve_chain(of, {.drop_saved_inputs = true});
        chain_dataflow const judge(of);
        ++cases;
        for (auto const& row : entry.at("budgets_true_persistent_floating")) {
            auto const budget = row.at(0).get<bytes>();
            auto const optimum = recorded_time(row.at(1));
            auto const found = dropped.time_within(budget);
            INFO(entry.dump() << " " << budget);
            REQUIRE(published.time_within(budget) == recorded_time(row.at(2)));
            REQUIRE(tight.time_within(budget) == recorded_time(row.at(4)));
            if (!optimum) REQUIRE_FALSE(found);
            if (!optimum) continue;
            ++feasible;
            if (found) REQUIRE(*found >= *optimum);
            if (tight.time_within(budget) == optimum) ++persistent;
            if (found == optimum) ++dropping;
            if (budget % 4 != 0 || !found) continue;
            auto const cost = judge.replay(dropped.actions_within(budget).value());
            REQUIRE((cost.peak <= budget && cost.time == *found));
        }
    }
    CHECK(cases == 160);
    CHECK(feasible == 4127);
    CHECK(persistent == 2749);
    CHECK(dropping == 4037);
}
