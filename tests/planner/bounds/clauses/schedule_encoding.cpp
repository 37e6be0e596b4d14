// Covers planner/detail/bounds/clauses/schedule_encoding.hpp.
// What the clauses allow, and at which cost, against all schedules and all choices of checkpoints.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/detail/satisfiability/conflict_search.hpp>
#include <repebble/detail/satisfiability/knapsack_rows.hpp>
#include <repebble/detail/satisfiability/literal.hpp>
#include <repebble/planner/detail/bounds/clauses/schedule_encoding.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

#include "planner/cuts.hpp"
#include "support/brute_pebbling.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

using detail::conflict_search;
using detail::satisfaction;
using detail::schedule_encoding;
using cuts = std::vector<detail::first_run_cut>;

constexpr std::size_t any_number = 1'000'000;

/// Whether the clauses are satisfiable with recomputations of no more than that time.
auto is_satisfiable(detail::planning_model const& m, cuts const& chain, bytes budget, std::int64_t overhead) -> bool {
    conflict_search search;
    schedule_encoding const encoding(m, chain, budget, search);
    std::vector<detail::weighted_literal> costs;
    for (auto const& r : encoding.recomputations()) costs.push_back({r.time, r.runs});
    search.add_row(std::move(costs), overhead + encoding.objective_offset());
    return search.solve({}, any_number) == satisfaction::satisfiable;
}
/// The least time of recomputations that the clauses allow.
auto least_overhead(detail::planning_model const& m, cuts const& chain, bytes budget) -> std::optional<std::int64_t> {
    std::int64_t high = 0;
    for (auto const& o : m.operations) high += o.again * static_cast<std::int64_t>(chain.size() + 1);
    if (!is_satisfiable(m, chain, budget, high)) return std::nullopt;
    std::int64_t low = 0;
    while (low < high) {
        auto const middle = low + (high - low) / 2;
        if (is_satisfiable(m, chain, budget, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/// The least time of recomputations after one cut, over all sets of operations that may run again.
auto least_encoded(detail::first_run_cut const& cut, bytes budget) -> std::optional<std::int64_t> {
    auto const& m = cut.model();
    std::optional<std::int64_t> best;
    for (std::uint32_t set = 0; set < (1U << m.operation_count()); ++set) {
        auto const c = detail::choice_of(cut, [&](operation_index v) {
            return (set >> v & 1U) == 1 && (m.operations[v].recomputable || !cut.is_before(v));
        });
        if (c.size <= cut.capacity(budget)) best = std::min(best.value_or(c.time), c.time);
    }
    return best;
}

}  // namespace

TEST_CASE("schedule_encoding: satisfiable exactly where a schedule exists, at its time", "[bounds]") {
    auto const net = support::make_three_alike();
    auto const m = detail::make_planning_model(net.flow);
    operation_index const last = 4;
    auto const chain = support::chain_of(m, {net.wide, last});
    for (bytes budget = 0; budget <= 15; ++budget) {
        CAPTURE(budget);
        auto const least = support::brute_pebbling::least_time(net.flow, budget);
        auto const found = least_overhead(m, chain, budget);
        REQUIRE(found.has_value() == least.has_value());
        if (found) CHECK(*found == *least - m.time_once);
    }
    CHECK(least_overhead(m, chain, 10) == 12);
    CHECK(least_overhead(m, chain, 11) == 6);
    CHECK(least_overhead(m, chain, 14) == 0);
}

TEST_CASE("schedule_encoding: what is read after a cut is kept there or runs again", "[bounds]") {
    auto const net = support::make_three_alike();
    auto const m = detail::make_planning_model(net.flow);
    auto const chain = support::chain_of(m, {net.wide});
    conflict_search search;
    schedule_encoding const encoding(m, chain, 10, search);
    auto const& again = encoding.recomputations();
    CHECK(encoding.objective_offset() == 0);
    std::vector<detail::literal> costly;
    for (auto const& r : again)
        if (r.time == 6) costly.push_back(r.runs);
    REQUIRE(costly.size() == 3);
    auto const allowed = [&](std::vector<detail::literal> const& assumed) {
        return search.solve(assumed, any_number) == satisfaction::satisfiable;
    };
    CHECK(allowed({}));
    CHECK(allowed({costly[0], costly[1], !costly[2]}));
    CHECK_FALSE(allowed({!costly[1], !costly[2]}));  // 6 bytes, where 5 are left
    CHECK(allowed({costly[0], costly[1], costly[2]}));
}

TEST_CASE("schedule_encoding: at one cut the cost is that of the best checkpoints", "[bounds][property]") {
    std::size_t positive = 0, infeasible = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = support::random_small(random);
        auto const m = detail::make_planning_model(flow);
        for (operation_index at = 0; at < m.operation_count(); ++at) {
            if (!m.required[at]) continue;
            auto const chain = support::chain_of(m, {at});
            auto const budget = detail::floor_of(m).size + support::between(random, -2, 3);
            auto const exact = least_encoded(chain.front(), budget);
            RC_ASSERT(least_overhead(m, chain, budget) == exact);
            infeasible += exact ? 0U : 1U;
            positive += exact && *exact > 0 ? 1U : 0U;
        }
    }));
    CHECK(positive > 2);
    CHECK(infeasible > 0);
}

TEST_CASE("schedule_encoding: a schedule within the budget satisfies the clauses at every chain of cuts",
          "[bounds][property]") {
    std::size_t tried = 0;
    support::for_each_optimum(40, 6, [&](auto&, auto const& m, bytes budget, auto const& exact, auto const& chain) {
        if (!exact.schedule) return;
        CHECK(is_satisfiable(m, chain, budget, exact.time - m.time_once));
        ++tried;
    });
    CHECK(tried > 50);
}
