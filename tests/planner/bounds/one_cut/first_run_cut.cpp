// Covers planner/detail/bounds/one_cut/closure_network.hpp, planner/detail/bounds/one_cut/sequence_of_cuts.hpp,
// planner/detail/bounds/one_cut/cut_search.hpp, planner/detail/bounds/one_cut/first_run_cut.hpp.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/detail/maximum_flow/maximum_flow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/detail/bounds/one_cut/cut_search.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/bounds/one_cut/sequence_of_cuts.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;
using support::below;
using support::between;

namespace {

struct capacity_matrix {
    std::size_t nodes;
    std::vector<std::int64_t> at;
    auto operator()(std::size_t u, std::size_t v) -> std::int64_t& { return at[u * nodes + v]; }
};

/// Minimum capacity of all cuts between node 0 and the last node, by enumeration.
auto least_cut(capacity_matrix& c) -> std::int64_t {
    auto best = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t side = 0; side < (1U << c.nodes); ++side) {
        if ((side & 1U) == 0 || (side >> (c.nodes - 1)) != 0) continue;
        std::int64_t all = 0;
        for (std::size_t u = 0; u < c.nodes; ++u)
            for (std::size_t v = 0; v < c.nodes; ++v)
                if ((side >> u & 1U) == 1 && (side >> v & 1U) == 0) all += c(u, v);
        best = std::min(best, all);
    }
    return best;
}

auto cut_by(capacity_matrix& c, std::vector<bool> const& side) -> std::int64_t {
    std::int64_t all = 0;
    for (std::size_t u = 0; u < c.nodes; ++u)
        for (std::size_t v = 0; v < c.nodes; ++v)
            if (side[u] && !side[v]) all += c(u, v);
    return all;
}

/// Least time of recomputations over all sets of operations that may be recomputed, by enumeration.
auto exhaustive_choice(detail::first_run_cut const& cut, bytes budget) -> std::optional<std::int64_t> {
    auto const& m = cut.model();
    std::optional<std::int64_t> best;
    for (std::uint32_t set = 0; set < (1U << m.operation_count()); ++set) {
        auto const choice = detail::choice_of(cut, [&](operation_index v) {
            return (set >> v & 1U) == 1 && (m.operations[v].recomputable || !cut.is_before(v));
        });
        if (choice.size <= cut.capacity(budget) && (!best || choice.time < *best)) best = choice.time;
    }
    return best;
}

}  // namespace

TEST_CASE("maximum_flow: equals the least of all cuts, also after capacities have grown") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        support::split_mix random(seed);
        auto const n = 2 + below(random, 6);
        capacity_matrix c{n, std::vector<std::int64_t>(n * n, 0)};
        detail::maximum_flow flow(n, 0, static_cast<std::uint32_t>(n - 1));
        std::vector<std::pair<detail::maximum_flow::arc, std::size_t>> arcs;
        for (std::size_t u = 0; u < n; ++u)
            for (std::size_t v = 0; v < n; ++v) {
                if (u == v || !support::chance(random, 60)) continue;
                c(u, v) = between(random, 0, 9);
                arcs.emplace_back(flow.add_arc(static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v), c(u, v)),
                                  u * n + v);
            }
        flow.build();
        for (int round = 0; round < 4; ++round) {
            auto const value = flow.maximise();
            CHECK(value == least_cut(c));
            CHECK(cut_by(c, flow.source_side()) == value);
            CHECK(cut_by(c, flow.largest_source_side()) == value);
            for (auto const& [arc, place] : arcs) {
                auto const more = between(random, 0, 4);
                flow.grow(arc, more);
                c.at[place] += more;
            }
        }
    }
}

TEST_CASE("maximum_flow: unlimited arcs contract into the source, and residual paths stay short") {
    constexpr std::uint32_t n = 2000, source = 0, sink = n + 1;
    detail::maximum_flow flow(n + 2, source, sink);
    flow.add_arc(source, 1, detail::maximum_flow::unlimited);
    std::vector<detail::maximum_flow::arc> arcs;
    for (std::uint32_t v = 1; v < n; ++v) arcs.push_back(flow.add_arc(v, v + 1, 0));
    for (std::uint32_t v = 2; v <= n; ++v) flow.add_arc(v, sink, 1);
    flow.build();
    CHECK(flow.maximise() == 0);
    CHECK(flow.source_side()[1]);
    for (auto const arc : arcs) flow.grow(arc, n);
    CHECK(flow.maximise() == n - 1);
    CHECK(flow.source_side()[n]);

    detail::maximum_flow open(3, source, 2);
    open.add_arc(source, 1, detail::maximum_flow::unlimited);
    open.add_arc(1, 2, detail::maximum_flow::unlimited);
    open.build();
    CHECK(open.maximise() == detail::maximum_flow::unlimited);
}

TEST_CASE("cut_search: solved, its bound is the least time of all choices; before, never above it") {
    std::size_t solved = 0, infeasible = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow =
            support::random_dataflow(random, {.operations = 4 + seed % 7, .alternative_percent = seed % 3 * 6});
        auto const model = detail::make_planning_model(flow);
        for (operation_index v = 0; v < model.operation_count(); ++v) {
            if (!model.required[v]) continue;
            detail::first_run_cut const cut(model, v);
            for (bytes budget = 0; budget <= 40; budget += 8) {
                auto const exact = exhaustive_choice(cut, budget);
                detail::cut_search search(cut, budget);
                if (!search.feasible()) {
                    ++infeasible;
                    CHECK_FALSE(exact);
                    continue;
                }
                auto const least = exact.value_or(std::numeric_limits<std::int64_t>::max());
                CHECK(search.bound() <= least);
                search.choose_unit(detail::byte_units(model), [] { return false; });
                CHECK(search.bound() <= least);
                search.branch(1000, [] { return false; });
                CHECK(search.bound() <= least);
                if (!search.is_solved() || !search.best()) continue;
                ++solved;
                CHECK(search.best()->time == least);
                CHECK(search.best()->size <= cut.capacity(budget));
            }
        }
    }
    CHECK(solved > 300);
    CHECK(infeasible > 50);
}

namespace {

/// Whether a budget of 8 bytes is enough for this order, and what the bound at the first run of `at` says then.
struct order_and_bound {
    bool fits = false;
    std::int64_t overhead = 0;
    std::optional<std::int64_t> bound{};
};
auto with_order(dataflow const& flow, operation_index at, std::vector<operation_index> const& order)
    -> order_and_bound {
    auto const model = detail::make_planning_model(flow);
    detail::first_run_cut const cut(model, at);
    detail::cut_search search(cut, 8);
    search.branch(1000, [] { return false; });
    auto const found = replay(flow, make_schedule(flow, order));
    return {found.peak <= 8, found.time - model.time_once,
            search.feasible() ? std::optional(search.bound()) : std::nullopt};
}

}  // namespace

TEST_CASE("cut_search: of a value with two producers none is taken to have run before its reader") {
    dataflow_builder builder;
    auto const made = builder.add_operation(5), at = builder.add_operation(1, 4), reader = builder.add_operation(1),
               other = builder.add_operation(1);
    auto const x = builder.add_value(made, 1), y = builder.add_value(made, 4);
    auto const z = builder.add_value(at, 2);
    builder.add_value(reader, 1);
    builder.add_producer(other, x);
    builder.add_read(at, x);
    builder.add_read(reader, y);
    builder.add_read(reader, z);
    auto const [fits, overhead, bound] = with_order(std::move(builder).build(), at, {other, at, made, reader});
    CHECK(fits);
    CHECK(overhead == 1);
    CHECK(bound == 0);
}

TEST_CASE("cut_search: a reader of a value with two producers is not taken to run after one of them") {
    dataflow_builder builder;
    auto const made = builder.add_operation(5), at = builder.add_operation(1, 4), other = builder.add_operation(1),
               reader = builder.add_operation(1), last = builder.add_operation(1);
    auto const v = builder.add_value(made, 1), y = builder.add_value(made, 4);
    auto const x = builder.add_value(at, 1), u = builder.add_value(at, 1);
    builder.add_producer(other, x);
    builder.add_read(at, v);
    builder.add_read(reader, x);
    builder.add_read(reader, y);
    builder.add_value(reader, 1);
    builder.add_read(last, u);
    builder.add_value(last, 1);
    auto const [fits, overhead, bound] = with_order(std::move(builder).build(), at, {made, other, reader, at, last});
    CHECK(fits);
    CHECK(overhead == 1);
    CHECK(bound == 0);
}

TEST_CASE("cut_search: a value with two producers costs nothing where it is made again") {
    dataflow_builder builder;
    auto const made = builder.add_operation(5), at = builder.add_operation(1, 4), other = builder.add_operation(1),
               reader = builder.add_operation(1);
    auto const v = builder.add_value(made, 1), x = builder.add_value(made, 4);
    auto const z = builder.add_value(at, 1);
    builder.add_producer(other, x);
    builder.add_read(at, v);
    builder.add_read(reader, x);
    builder.add_read(reader, z);
    builder.add_value(reader, 1);
    auto const [fits, overhead, bound] = with_order(std::move(builder).build(), at, {made, at, other, reader});
    CHECK(fits);
    CHECK(overhead == 1);
    CHECK(bound == 0);
}

TEST_CASE("cut_search: an operation that may run once is not recomputed after the cut") {
    dataflow_builder builder;
    auto const once = builder.add_operation(1, 0, false), at = builder.add_operation(1, 4),
               reader = builder.add_operation(1);
    auto const v = builder.add_value(once, 1), y = builder.add_value(once, 4);
    auto const z = builder.add_value(at, 1);
    builder.add_read(at, v);
    builder.add_read(reader, y);
    builder.add_read(reader, z);
    auto const model = detail::make_planning_model(std::move(builder).build());
    detail::first_run_cut const cut(model, at);
    CHECK(!detail::cut_search(cut, 9).feasible());
    CHECK(detail::cut_search(cut, 10).feasible());
}

TEST_CASE("sequence_of_cuts: runs all required operations, each after its inputs") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(random, {.operations = 4 + seed % 9});
        auto const model = detail::make_planning_model(flow);
        for (operation_index v = 0; v < model.operation_count(); ++v) {
            if (!model.required[v]) continue;
            detail::first_run_cut const cut(model, v);
            detail::cut_search const search(cut, 25);
            if (!search.best()) continue;
            for (auto const what : {detail::recomputed_until::last_use, detail::recomputed_until::next_use}) {
                auto const sequence = detail::sequence_of_cuts(cut, *search.best(), what, 10'000);
                if (!sequence) continue;
                std::vector<bool> there(model.value_count(), false), ran(model.operation_count(), false);
                for (auto const w : *sequence) {
                    for (auto const x : model.reads[w]) CHECK(there[x]);
                    CHECK((!ran[w] || model.operations[w].recomputable));
                    for (auto const x : model.writes[w]) there[x] = true;
                    ran[w] = true;
                }
                for (operation_index w = 0; w < model.operation_count(); ++w) CHECK((ran[w] || !model.required[w]));
            }
        }
    }
}

TEST_CASE("sequence_of_cuts: an operation that may run once is not rerun for a value that another one writes, too") {
    dataflow_builder builder;
    auto const once = builder.add_operation(1, 0, false);
    for (int k = 0; k < 4; ++k) builder.add_operation(1);
    auto const z = builder.add_value(once, 1), w = builder.add_value(1, 1);
    builder.add_producer(1, z);
    for (operation_index v = 2; v < 5; ++v) builder.add_read(v, w);
    builder.add_read(4, z);
    auto const m = detail::make_planning_model(std::move(builder).build());
    detail::first_run_cut const cut(m, 2);
    auto const choice = detail::choice_of(cut, [](operation_index) { return true; });
    auto const sequence = detail::sequence_of_cuts(cut, choice, detail::recomputed_until::next_use, 100);
    REQUIRE(sequence);
    CHECK(std::ranges::count(*sequence, once) == 1);
}
