// Covers planner/effort.hpp, planner/plan_options.hpp, planner/detail/model/usual_work.hpp.
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include <repebble/plan.hpp>
#include <repebble/planner/detail/model/usual_work.hpp>
#include <repebble/planner/effort.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

/// What set_effort says of a value; empty where it takes it.
auto refusal(std::string_view name, double value) -> std::string {
    effort e;
    try {
        set_effort(e, name, value);
    } catch (bad_option const& refused) {
        return refused.what();
    }
    return {};
}

/// Counts how often the annealing tells its progress.
struct counting {
    std::size_t calls = 0;
    void progress(double) { ++calls; }
};

auto branches() -> dataflow {
    support::split_mix random(1);
    return support::random_dataflow(random, {.operations = 90, .view_percent = 0});
}

}  // namespace

TEST_CASE("effort: each constant has a name of its own, a sentence, and a default within its range") {
    std::set<std::string_view> names;
    effort const usual;
    for (auto const& c : effort_constants) {
        INFO(c.name);
        CHECK(names.insert(c.name).second);
        CHECK(c.sentence.size() > 8);
        CHECK(c.of(usual) == c.usual);
        CHECK((c.least <= c.usual && c.usual <= c.most && c.least < c.most));
        CHECK((!c.is_whole() || (c.usual == std::floor(c.usual) && c.least >= 0)));
    }
    CHECK_NOTHROW(verify_effort(usual));
}

TEST_CASE("effort: both ends of each range can be set, and change that constant only") {
    for (auto const& c : effort_constants)
        for (double const value : {c.least, c.most}) {
            INFO(c.name << " = " << value);
            effort e;
            set_effort(e, c.name, value);
            CHECK(c.of(e) == value);
            CHECK((e == effort{}) == (value == c.usual));
            set_effort(e, c.name, c.usual);
            CHECK(e == effort{});
        }
}

TEST_CASE("effort: what is out of range is refused by name, value and range; of unknown names the nearest is named") {
    CHECK(refusal("arena_share", 1.5) == "effort arena_share is 1.5, not a number from 0 to 1");
    CHECK(refusal("children", 2.5) == "effort children is 2.5, not a whole number from 1 to 1000");
    CHECK(refusal("children", 0) == "effort children is 0, not a whole number from 1 to 1000");
    CHECK_FALSE(refusal("hot_share", std::numeric_limits<double>::quiet_NaN()).empty());
    CHECK(refusal("frist_share", 0.5) == "effort has no constant frist_share; the nearest is first_share");
    CHECK(refusal("swap_pol", 1) == "effort has no constant swap_pol; the nearest is swap_poll");
    CHECK(refusal("swap_polll", 1) == "effort has no constant swap_polll; the nearest is swap_poll");
    CHECK(refusal("", 0).starts_with("effort has no constant ; the nearest is "));
    CHECK(refusal("first_share", 0.5).empty());
}

TEST_CASE("plan: a constant out of its range is refused") {
    plan_options options;
    options.effort.hot_share = 2;
    CHECK_THROWS_AS(plan(branches(), 1000, options), bad_option);
}

TEST_CASE("plan: the constants of the options reach the search: fewer moves are told of less often") {
    auto const flow = branches();
    bytes const floor = plan(flow, 0).floor.size;
    plan_options options;
    options.effort.most_exact_operations = 0;
    options.effort.usual_max_sat_work = options.effort.flows_times_operations = 10'000;
    auto const told = [&](std::size_t moves) {
        options.effort.least_moves = options.effort.most_moves = options.effort.most_moves_large = moves;
        counting observer;
        static_cast<void>(plan(flow, floor + floor / 2, options, observer));
        return observer.calls;
    };
    CHECK(told(1000) < told(20'000));
}

TEST_CASE("usual_work: limits that contradict each other are no error, the upper one holds") {
    detail::planning_model m;
    m.operations.resize(100);
    CHECK(detail::usual_moves(m) == 3'000'000);
    m.effort.least_moves = 500;
    m.effort.most_moves = m.effort.most_moves_large = 100;
    CHECK(detail::usual_moves(m) == 100);
    m.effort.least_tried_cuts = 7;
    m.effort.most_tried_cuts = 3;
    CHECK(detail::cuts_tried(m) == 3);
}
