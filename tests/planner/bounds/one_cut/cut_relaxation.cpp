// Covers planner/detail/bounds/one_cut/cut_relaxation.hpp.
// The Lagrangian bound at one cut, against all choices of checkpoints.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/planner/detail/bounds/one_cut/cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

#include "planner/cuts.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

using detail::cut_decision;
using detail::cut_relaxation;

constexpr auto beyond_any = detail::most_time;

/// The least time of recomputations over all sets of operations that may run again, by enumeration; with a decision,
/// over those that keep the value, or do not.
auto least_of_one_cut(detail::first_run_cut const& cut, bytes budget, std::optional<cut_decision> decided = {})
    -> std::optional<std::int64_t> {
    auto const& m = cut.model();
    std::optional<std::int64_t> best;
    for (std::uint32_t set = 0; set < (1U << m.operation_count()); ++set) {
        auto const c = detail::choice_of(cut, [&](operation_index v) {
            return (set >> v & 1U) == 1 && (m.operations[v].recomputable || !cut.is_before(v));
        });
        if (c.size > cut.capacity(budget)) continue;
        if (decided && (c.kept[decided->value] != 0) != decided->kept) continue;
        best = std::min(best.value_or(c.time), c.time);
    }
    return best;
}

}  // namespace

TEST_CASE("cut_relaxation: of three values of which five thirds fit, by hand", "[bounds]") {
    auto const net = support::make_three_alike();
    auto const m = detail::make_planning_model(net.flow);
    detail::first_run_cut const cut(m, net.wide);
    auto const solve = [&](bytes budget, bytes unit, std::vector<cut_decision> const& decided) {
        return cut_relaxation(cut, budget, unit, decided).solve(beyond_any);
    };
    auto const x = net.values;
    // Each value costs 6: 18 - 5/3 · 6.
    auto const half = solve(10, 1, {});
    CHECK((half.feasible && half.bound == 8));
    REQUIRE(half.beyond);
    CHECK((half.fits && half.fits->time == 18 && half.beyond->time == 0));
    CHECK(solve(10, 3, {}).bound == 12);  // in units of 3 bytes one fits
    CHECK(solve(10, 2, {}).bound == 6);   // in units of 2 each value takes one, and two fit
    auto const all = solve(14, 1, {});
    CHECK((all.bound == 0 && all.fits && all.fits->size == 9));
    CHECK_FALSE(solve(4, 1, {}).feasible);
    SECTION("under decisions") {
        CHECK(solve(10, 1, {{x[0], true}}).bound == 8);   // 12 - 2/3 · 6
        CHECK(solve(10, 1, {{x[0], false}}).bound == 8);  // 6 + 12 - 5/3 · 6
        CHECK(solve(10, 1, {{x[0], false}, {x[1], false}, {x[2], false}}).bound == 18);
        CHECK(solve(10, 1, {{x[0], false}, {x[1], false}}).bound == 12);
        CHECK_FALSE(solve(10, 1, {{x[0], true}, {x[1], true}}).feasible);
        CHECK_FALSE(solve(10, 2, {{x[0], true}, {x[1], true}}).feasible);  // 6 bytes in 5, though two units in two
    }
    SECTION("no further than asked") {
        auto const enough = cut_relaxation(cut, 10, 1, {}).solve(3);
        CHECK((enough.bound >= 3 && enough.bound <= 8));
        CHECK(cut_relaxation(cut, 10, 1, {}).solve(beyond_any, -1, [] { return true; }).bound == 0);
    }
}

TEST_CASE("cut_relaxation: a choice that fills the capacity fits, and is the bound", "[bounds]") {
    // Two values of 3 bytes, one made in 9 and one in 3, live across an operation of 5 bytes.
    dataflow_builder builder;
    auto const slow = builder.add_operation(9), fast = builder.add_operation(3), first = builder.add_operation(0),
               wide = builder.add_operation(1, 4), last = builder.add_operation(1);
    auto const x = builder.add_value(slow, 3), y = builder.add_value(fast, 3), nothing = builder.add_value(first, 0),
               a = builder.add_value(wide, 1);
    for (auto const read : {x, y}) builder.add_read(first, read);
    builder.add_read(wide, nothing);
    for (auto const read : {x, y, a}) builder.add_read(last, read);
    auto const m = detail::make_planning_model(std::move(builder).build());
    detail::first_run_cut const cut(m, wide);
    auto const found = cut_relaxation(cut, 8, 1, {}).solve(beyond_any);
    CHECK(found.bound == 3);
    REQUIRE(found.fits);
    CHECK((found.fits->time == 3 && found.fits->size == 3 && found.fits->kept[x] != 0 && found.fits->kept[y] == 0));
}

TEST_CASE("cut_relaxation: never above the least choice, and feasible where there is one", "[bounds][property]") {
    std::size_t told = 0, positive = 0, infeasible = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = support::random_small(random);
        auto const m = detail::make_planning_model(flow);
        for (operation_index at = 0; at < m.operation_count(); ++at) {
            if (!m.required[at]) continue;
            detail::first_run_cut const cut(m, at);
            auto const budget = detail::floor_of(m).size + support::between(random, -2, 3);
            auto const unit = support::between(random, 1, 3);
            auto const exact = least_of_one_cut(cut, budget);
            auto const most = exact.value_or(std::numeric_limits<std::int64_t>::max());
            cut_relaxation relaxed(cut, budget, unit, {});
            auto const found = relaxed.solve(beyond_any);
            if (exact) RC_ASSERT(found.feasible);
            if (unit == 1) RC_ASSERT(found.feasible == exact.has_value());
            infeasible += found.feasible ? 0U : 1U;
            if (!found.feasible) continue;
            RC_ASSERT(found.bound <= most);
            ++told;
            positive += found.bound > 0 ? 1U : 0U;
            if (!found.fits || unit > 1) continue;
            RC_ASSERT((found.fits->size <= cut.capacity(budget) && found.fits->time >= most));
            RC_ASSERT(relaxed.size(*found.fits) <= found.fits->size);
        }
    }));
    CHECK(told > 20);
    CHECK(positive > 2);
    CHECK(infeasible > 0);
}

TEST_CASE("cut_relaxation: under a decision never above the least choice that follows it", "[bounds][property]") {
    std::size_t kept = 0, excluded = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = support::random_small(random);
        auto const m = detail::make_planning_model(flow);
        for (operation_index at = 0; at < m.operation_count(); ++at) {
            if (!m.required[at]) continue;
            detail::first_run_cut const cut(m, at);
            auto const budget = detail::floor_of(m).size + support::between(random, 0, 3);
            for (value_index x = 0; x < m.value_count(); ++x) {
                if (!cut.can_be_made_after(x)) continue;
                cut_decision const decided{x, support::chance(random, 50)};
                auto const exact = least_of_one_cut(cut, budget, decided);
                if (!exact) continue;
                auto const found = cut_relaxation(cut, budget, 1, {decided}).solve(beyond_any);
                RC_ASSERT(found.feasible);
                RC_ASSERT(found.bound <= *exact);
                (decided.kept ? kept : excluded) += found.bound > 0 ? 1U : 0U;
            }
        }
    }));
    CHECK((kept > 0 && excluded > 0));
}

TEST_CASE("cut_relaxation: at no cut above a proven optimum, also where several operations make a value",
          "[bounds][property]") {
    std::size_t told = 0, positive = 0;
    support::for_each_optimum(60, 5, [&](auto& random, auto const&, bytes budget, auto const& exact, auto const& cuts) {
        for (auto const& cut : cuts) {
            auto const found = cut_relaxation(cut, budget, support::between(random, 1, 2), {}).solve(beyond_any);
            if (!exact.schedule) continue;
            CHECK((found.feasible && found.bound <= exact.time - cut.model().time_once));
            ++told;
            positive += found.bound > 0 ? 1U : 0U;
        }
    });
    CHECK(told > 100);
    CHECK(positive > 30);
}
