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
#include <repebble/graph/dataflow/dataflow_builder.hpp>
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

/// The least time of recomputations after the cut, over all sets of operations that may run again.
auto least_after(detail::first_run_cut const& cut, std::uint32_t ran, bytes budget) -> std::optional<std::int64_t> {
    auto const& m = cut.model();
    std::optional<std::int64_t> best;
    for (auto set = ran;; set = (set - 1) & ran) {
        auto const c = detail::choice_of(
            cut, [&](operation_index v) { return (set >> v & 1U) == 1 && m.operations[v].recomputable; });
        if (c.size <= cut.capacity(budget)) best = std::min(best.value_or(c.time), c.time);
        if (set == 0) return best;
    }
}
/// The same over all sets of operations that can have run before `at`.  Requires: all are required.
auto least_at(detail::planning_model const& m, operation_index at, bytes budget) -> std::optional<std::int64_t> {
    detail::first_run_cut const in_all(m, at);
    auto const n = m.operation_count();
    std::optional<std::int64_t> best;
    for (std::uint32_t ran = 0; ran < (1U << n); ++ran) {
        std::vector<bool> prefix(n);
        bool possible = true;
        for (operation_index v = 0; v < n; ++v) {
            prefix[v] = (ran >> v & 1U) == 1;
            possible = possible && (prefix[v] ? !in_all.is_after(v) : !in_all.is_before(v));
            if (prefix[v])
                for (auto const x : m.reads[v]) possible = possible && (ran >> m.producers[x].front() & 1U) == 1;
        }
        if (!possible) continue;
        auto const least = least_after(detail::first_run_cut(m, at, prefix), ran, budget);
        if (least) best = std::min(best.value_or(*least), *least);
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

TEST_CASE("schedule_encoding: what may run only once runs on one side of a cut", "[bounds]") {
    dataflow_builder b;
    auto const first = b.add_operation(1, 0, false), once = b.add_operation(1, 0, false), early = b.add_operation(1),
               wide = b.add_operation(1, 9), last = b.add_operation(1);
    auto const z = b.add_value(first, 3), token = b.add_value(first, 0), x = b.add_value(once, 2);
    for (auto const v : {x, z}) b.add_read(early, v);
    b.add_read(wide, token);
    b.add_read(last, b.add_value(wide, 0));
    b.add_read(last, x);
    auto const flow = std::move(b).build();
    auto const m = detail::make_planning_model(flow);
    auto const chain = support::chain_of(m, {wide});
    // Either x, 2 bytes, is kept while `wide` runs, or z, 3 bytes: `early` reads both, and neither is made again.
    CHECK_FALSE(least_overhead(m, chain, 10));
    CHECK(least_overhead(m, chain, 11) == 0);
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
            auto const exact = least_at(m, at, budget);
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
