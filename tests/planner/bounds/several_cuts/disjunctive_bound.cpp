// Covers planner/detail/model/tight_operations.hpp, planner/detail/bounds/one_cut/best_cut_bound.hpp,
// planner/detail/bounds/several_cuts/disjunctive_bound.hpp, planner/detail/model/memory_floor.hpp,
// planner/detail/bounds/several_cuts/violated_cuts.hpp, planner/detail/bounds/several_cuts/branching_orders.hpp.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/optimal_pebbling.hpp>
#include <repebble/planner/detail/bounds/one_cut/best_cut_bound.hpp>
#include <repebble/planner/detail/bounds/several_cuts/branching_orders.hpp>
#include <repebble/planner/detail/bounds/several_cuts/disjunctive_bound.hpp>
#include <repebble/planner/detail/bounds/several_cuts/violated_cuts.hpp>
#include <repebble/planner/detail/model/memory_floor.hpp>
#include <repebble/planner/detail/model/tight_operations.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

constexpr auto never_stops = [] { return false; };

/// A trunk and two heads: their losses are added before either goes backward, and whichever goes first leaves no
/// capacity for the inputs of the other.
struct two_heads {
    operation_index trunk, a, b, loss, a_back, b_back;
    dataflow<> flow;
};
auto make_two_heads() -> two_heads {
    dataflow_builder<std::int64_t> builder;
    auto const trunk = builder.add_operation(1), a = builder.add_operation(3), b = builder.add_operation(3),
               loss = builder.add_operation(1), a_back = builder.add_operation(1, 5),
               b_back = builder.add_operation(1, 5);
    auto const x = builder.add_value(trunk, 2), y = builder.add_value(a, 4), z = builder.add_value(b, 4),
               e = builder.add_value(loss, 1);
    builder.add_read(a, x);
    builder.add_read(b, x);
    for (auto const v : {y, z}) builder.add_read(loss, v);
    for (auto const v : {y, e}) builder.add_read(a_back, v);
    for (auto const v : {z, e}) builder.add_read(b_back, v);
    return {trunk, a, b, loss, a_back, b_back, std::move(builder).build()};
}

/// The same with more heads of other sizes, some of which read outputs of others.
auto random_heads(support::split_mix& random) -> dataflow<> {
    dataflow_builder<std::int64_t> builder;
    auto const number = [&](std::size_t from, std::size_t to) {
        return static_cast<std::int64_t>(from + support::below(random, to - from + 1));
    };
    auto const heads = static_cast<std::size_t>(number(2, 3));
    auto const trunk = builder.add_operation(number(1, 3));
    std::vector<value_index> made{builder.add_value(trunk, number(1, 4))}, ends;
    for (std::size_t k = 0; k < heads; ++k) {
        auto const v = builder.add_operation(number(1, 6), number(0, 3));
        builder.add_read(v, made[support::below(random, made.size())]);
        for (std::size_t outputs = 1 + support::below(random, 2); outputs > 0; --outputs)
            ends.push_back(builder.add_value(v, number(1, 6)));
        made.push_back(ends.back());
    }
    auto const loss = builder.add_operation(1);
    for (auto const x : ends) builder.add_read(loss, x);
    auto const e = builder.add_value(loss, 1);
    for (auto const x : ends) {
        auto const back = builder.add_operation(1, number(0, 6));
        builder.add_read(back, x);
        builder.add_read(back, e);
        builder.add_value(back, number(0, 2));
    }
    return std::move(builder).build();
}

/// Least overhead of a schedule that runs all required operations under these orders, by a search over the sets of
/// operations that ran and values that are resident; nothing where there is none, or where the state limit is reached.
struct ordered_optimum {
    std::optional<std::int64_t> least{};
    bool proven = true;
};
auto optimum_in_order(detail::planning_model const& m, bytes budget, std::span<detail::first_run_order const> orders)
    -> ordered_optimum {
    constexpr std::size_t most_states = 20'000;
    struct state {
        std::uint32_t ran, kept;
        auto operator<=>(state const&) const = default;
    };
    auto const has = [](std::uint32_t set, std::size_t i) { return (set >> i & 1U) != 0; };
    auto const bit = [](std::size_t i) { return std::uint32_t{1} << i; };
    std::map<state, std::int64_t> times{{{0, 0}, 0}};
    std::set<std::pair<std::int64_t, state>> open{{0, {0, 0}}};
    auto const reach = [&](state s, std::int64_t time) {
        auto const [at, is_new] = times.try_emplace(s, time);
        if (!is_new && at->second <= time) return;
        open.erase({at->second, s});
        at->second = time;
        open.insert({time, s});
    };
    while (!open.empty() && times.size() < most_states) {
        auto const [time, s] = *open.begin();
        open.erase(open.begin());
        bool over = true;
        for (operation_index v = 0; v < m.operation_count(); ++v) over = over && (!m.required[v] || has(s.ran, v));
        if (over) return {time - m.time_once};
        bytes kept = 0;
        for (value_index x = 0; x < m.value_count(); ++x) {
            if (!has(s.kept, x)) continue;
            kept += m.sizes[x];
            reach({s.ran, s.kept & ~bit(x)}, time);
        }
        for (operation_index v = 0; v < m.operation_count(); ++v) {
            bool may = m.operations[v].recomputable || !has(s.ran, v);
            for (auto const x : m.reads[v]) may = may && has(s.kept, x);
            for (auto const& o : orders) may = may && (o.second != v || has(s.ran, v) || has(s.ran, o.first));
            auto after = s.kept;
            auto beside = kept + m.operations[v].own;
            for (auto const x : m.writes[v]) {
                if (has(s.kept, x)) beside -= m.sizes[x];
                after |= bit(x);
            }
            if (may && beside <= budget) reach({s.ran | bit(v), after}, time + m.operations[v].time);
        }
    }
    return {{}, open.empty()};
}

}  // namespace

TEST_CASE("first_run_cut: under an order constraint the other operation is before or after the cut") {
    auto const net = make_two_heads();
    auto const m = detail::make_planning_model(net.flow);
    detail::first_run_cut const any(m, net.a_back);
    CHECK_FALSE((any.is_after(net.b_back) || any.is_before(net.b_back)));
    detail::first_run_order const first{net.a_back, net.b_back};
    detail::first_run_cut const before(m, net.a_back, std::span(&first, 1));
    CHECK(before.is_after(net.b_back));
    CHECK(before.live_values().size() == any.live_values().size() + 1);  // z
    detail::first_run_cut const after(m, net.b_back, std::span(&first, 1));
    CHECK(after.is_before(net.a_back));
    CHECK(after.is_before(net.a));
}

TEST_CASE("branching_orders: finds two operations of which either order raises the bound of a cut") {
    auto const net = make_two_heads();
    auto const m = detail::make_planning_model(net.flow);
    auto const told = detail::branching_orders(m, 10, std::vector{net.a_back}, {}, 10, never_stops);
    REQUIRE(told.size() == 1);
    CHECK(told.front().first == net.a_back);
    CHECK(told.front().second == net.b_back);
    CHECK(detail::branching_orders(m, 15, std::vector{net.a_back}, {}, 10, never_stops).empty());  // all fits
    CHECK(detail::branching_orders(m, 10, std::vector{net.loss}, {}, 10, never_stops).empty());    // all have an order
    CHECK(detail::branching_orders(m, 10, std::vector{net.a_back}, {}, 10, [] { return true; }).empty());
    detail::first_run_order const given{net.b_back, net.a_back};
    CHECK(detail::branching_orders(m, 10, std::vector{net.a_back}, std::span(&given, 1), 10, never_stops).empty());
    // The opposite order is the same branching.
    CHECK(detail::branching_orders(m, 10, std::vector{net.a_back, net.b_back}, {}, 10, never_stops).size() == 1);
}

TEST_CASE("disjunctive_bound: whichever head goes backward first, the other one is recomputed") {
    auto const net = make_two_heads();
    auto const m = detail::make_planning_model(net.flow);
    std::vector const at{net.a_back, net.b_back};
    detail::multi_cut_bound together(m, 10, 1, at, 0);
    together.improve(detail::most_time, 1000, never_stops);
    CHECK(together.bound() == 0);
    detail::disjunctive_bound cases(m, 10, 1, at, 0);
    CHECK(cases.size() == 1);
    CHECK(cases.improve(detail::most_time, 10'000, never_stops) > 0);
    CHECK(cases.size() == 2);
    CHECK(cases.bound() == 4);  // the trunk and a head
    CHECK_FALSE(cases.infeasible());
    auto const exact = optimal_pebbling(net.flow, 10);
    REQUIRE(exact.schedule);
    CHECK(exact.time == m.time_once + 4);

    detail::disjunctive_bound known(m, 10, 1, at, 0);
    known.improve(0, 10'000, never_stops);  // cutoff of a plan without overhead
    CHECK(known.size() == 1);
}

TEST_CASE("violated_cuts: first runs with more resident bytes than the budget, largest first") {
    auto const net = make_two_heads();
    auto const m = detail::make_planning_model(net.flow);
    // Both heads are resident when the first goes backward: 4 + 4 + 1 + 5 bytes; beside the second only its own.
    std::vector const once{net.trunk, net.a, net.b, net.loss, net.a_back, net.b_back};
    CHECK(detail::violated_cuts(m, once, 14).empty());
    CHECK(detail::violated_cuts(m, once, 13) == std::vector{net.a_back});
    CHECK(detail::violated_cuts(m, once, 9) == std::vector{net.a_back, net.b_back, net.b});
    std::vector const again{net.trunk, net.a, net.b, net.loss, net.a_back, net.trunk, net.b, net.b_back};
    CHECK(detail::violated_cuts(m, again, 9) == std::vector{net.b_back, net.a_back, net.b});
}

TEST_CASE("disjunctive_bound: never above the optimum, and infeasible only where nothing fits") {
    std::size_t optima = 0, divided = 0, exactly = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = random_heads(random);
        auto const m = detail::make_planning_model(flow);
        auto const floor = detail::floor_of(m).size;
        for (bytes const budget : {floor, floor + 2, floor + 5}) {
            auto const exact = optimal_pebbling(flow, budget, {.state_limit = 5000});
            if (!exact.proven) continue;
            ++optima;
            auto const least = exact.schedule ? exact.time - m.time_once : std::numeric_limits<std::int64_t>::max();
            auto const all = detail::tight_operations(m, m.operation_count());
            detail::best_cut_bound const alone(m, budget, all);
            if (alone.infeasible_at()) continue;
            detail::disjunctive_bound cases(m, budget, 1, alone.moments(), alone.bound());
            for (int round = 0; round < 2; ++round) cases.improve(detail::most_time, 500, never_stops);
            CHECK((cases.infeasible() || cases.bound() <= least));
            CHECK(cases.bound() >= alone.bound());
            if (cases.infeasible()) CHECK_FALSE(exact.schedule);
            if (cases.size() > 1) ++divided;
            if (cases.bound() == least) ++exactly;
        }
    }
    UNSCOPED_INFO(optima << " optima, " << divided << " divided, " << exactly << " exactly");
    CHECK(optima > 60);
    CHECK(divided > 5);
    CHECK(exactly > 30);
}

TEST_CASE("multi_cut_bound: under order constraints, contradictory ones too, the bound holds for those schedules") {
    std::size_t judged = 0, impossible = 0, above = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(
            random,
            {.operations = 6, .view_percent = 0, .alternative_percent = 10 * (seed % 3), .run_once_percent = 8});
        auto const m = detail::make_planning_model(flow);
        auto const all = detail::tight_operations(m, m.operation_count());
        auto const budget = detail::floor_of(m).size + static_cast<bytes>(support::below(random, 4));
        detail::best_cut_bound const alone(m, budget, all);
        if (all.empty() || alone.infeasible_at() || m.value_count() > 24) continue;
        std::optional<detail::multi_cut_bound> some(std::in_place, m, budget, 1, alone.moments(), alone.bound());
        for (int k = 0; k < 2; ++k) {
            detail::first_run_order const order{support::pick(random, all), support::pick(random, all)};
            if (order.first == order.second) continue;
            auto longer = some->with_order(order);
            some.emplace(std::move(longer));
            some->improve(detail::most_time, 200, never_stops);
            auto const exact = optimum_in_order(m, budget, some->orders());
            if (!exact.proven) continue;
            ++judged;
            if (exact.least) CHECK_FALSE(some->infeasible());
            if (exact.least && !some->infeasible()) CHECK(some->bound() <= *exact.least);
            if (!exact.least) ++impossible;
            if (some->bound() > alone.bound()) ++above;
        }
    }
    UNSCOPED_INFO(judged << " judged, " << impossible << " impossible, " << above << " above");
    CHECK(judged > 30);
    CHECK(impossible > 0);
    CHECK(above > 0);
}
