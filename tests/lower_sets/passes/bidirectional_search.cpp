// Covers lower_sets/evaluate_formula.hpp, lower_sets/detail/passes/frontier_curve.hpp,
// lower_sets/detail/lattice/lattice_segments.hpp, lower_sets/detail/lattice/serial_steps.hpp,
// lower_sets/solve_lower_sets.hpp, lower_sets/detail/passes/budget_lookup.hpp,
// lower_sets/detail/passes/bidirectional_search.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <ranges>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/lower_sets/detail/lattice/lattice_segments.hpp>
#include <repebble/lower_sets/detail/lattice/serial_steps.hpp>
#include <repebble/lower_sets/detail/passes/bidirectional_search.hpp>
#include <repebble/lower_sets/detail/passes/budget_lookup.hpp>
#include <repebble/lower_sets/detail/passes/frontier_curve.hpp>
#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>

#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;
using support::below;
using support::chance;
using support::weighted_dag;

namespace {

constexpr std::size_t far = 1'000'000;

/// Small graphs in a row, each joined to the next by a serial vertex; the last may be disjoint.
auto modules(support::split_mix& random, std::int64_t greatest_time) -> weighted_dag {
    weighted_dag g;
    for (auto count = support::between(random, 1, 3); count > 0; --count) {
        auto const first = static_cast<int>(g.size());
        for (auto const& readers : support::any_dag(random, 5)) {
            g.graph.push_back(readers);
            for (auto& w : g.graph.back()) w += first;
        }
        if (count == 1 && chance(random, 50)) break;
        auto const joint = static_cast<int>(g.size());
        g.graph.emplace_back();
        for (int v = 0; v < joint; ++v)
            if (auto& readers = g.graph[static_cast<std::size_t>(v)]; readers.empty()) readers.push_back(joint);
        if (first == 0) continue;
        std::vector<char> is_read(g.size(), 0);
        for (auto const& readers : g.graph)
            for (auto const w : readers) is_read[static_cast<std::size_t>(w)] = 1;
        for (int v = first; v < joint; ++v)
            if (is_read[static_cast<std::size_t>(v)] == 0) g.graph[static_cast<std::size_t>(first - 1)].push_back(v);
    }
    g.time = support::random_weights(random, g.size(), 0, greatest_time);
    g.memory = support::random_weights(random, g.size(), 0, 9);
    for (std::size_t v = 0; v < g.size(); ++v) g.pinned.push_back(chance(random, 5) ? 1 : 0);
    return g;
}

struct searched {
    lower_set_problem problem;
    std::shared_ptr<detail::lower_set_lattice const> lattice;

    explicit searched(weighted_dag const& g)
        : problem(g.problem()),
          lattice(std::make_shared<detail::lower_set_lattice const>(positional_problem(problem), far)) {}

    [[nodiscard]] auto serial_steps(bool used) const {
        return used ? detail::serial_steps(*lattice) : detail::serial_steps();
    }
    [[nodiscard]] auto segments(detail::serial_steps const& serial, std::int64_t most, bytes budget,
                                bool keep_last) const {
        detail::overhead_cutoff const cutoff(most, budget);
        return detail::lattice_segments(lattice, detail::block_arcs(*lattice, cutoff, far, far, serial.vertices()),
                                        serial, cutoff, objective::time, keep_last);
    }
    [[nodiscard]] auto whole() const { return lattice->time(lattice->full()); }
};

void finds_the_best(weighted_dag const& g, support::split_mix& random, std::size_t& with_serial) {
    searched const s(g);
    auto const all = lower_set_family::all(s.problem, far);
    bool const keep_last = chance(random, 30);
    auto const curve = solve_lower_sets(all, lower_set_options{.keep_last = keep_last});
    for (bool const used : {false, true}) {
        auto const serial = s.serial_steps(used);
        with_serial += serial.count() > 0 ? 1 : 0;
        auto const segments = s.segments(serial, s.whole(), std::numeric_limits<bytes>::max() / 4, keep_last);
        using frontiers = detail::frontier_curve<detail::lattice_segments>;
        std::size_t const threads = 1 + below(random, 3);
        auto const by_frontiers =
            frontiers::solve(segments, lower_set_options{.keep_last = keep_last, .threads = threads}, no_progress{});
        RC_ASSERT(std::ranges::equal(by_frontiers.breakpoints(), curve.breakpoints()));

        auto const& point = curve.breakpoints()[below(random, curve.breakpoints().size())];
        bytes const budget = std::max(bytes{0}, point.budget - support::between(random, 0, 1));
        auto const best = curve.best_within(budget);
        auto const tolerance = chance(random, 50) ? 0 : s.whole() / 10;
        auto const within = s.segments(serial, s.whole(), budget, keep_last);
        detail::bidirectional_search<detail::lattice_segments> search(within, s.whole(), budget, tolerance, {}, 500,
                                                                      threads);
        no_progress quiet;
        auto const found = search.run(quiet);
        RC_ASSERT(found.has_value() == best.has_value());
        if (!found) continue;
        auto const least = curve.breakpoints()[*best].overhead;
        RC_ASSERT(found->bound <= least);
        RC_ASSERT(found->overhead >= least);
        RC_ASSERT(found->overhead - found->bound <= tolerance);
        auto const cost = evaluate_formula(s.problem, found->sequence, keep_last);
        RC_ASSERT(cost.overhead == found->overhead);
        RC_ASSERT(cost.peak <= budget);
    }
}

}  // namespace

TEST_CASE("a budget_lookup returns the least overhead within a budget", "[bidirectional_search]") {
    detail::budget_lookup const s({{5, 3}, {2, 7}, {9, 4}, {8, 1}});
    CHECK(s.within(1) == std::nullopt);
    CHECK(s.within(2) == 7);
    CHECK(s.within(5) == 3);
    CHECK(s.within(7) == 3);
    CHECK(s.within(100) == 1);
    CHECK(detail::budget_lookup().within(100) == std::nullopt);
    std::size_t position = 0;
    for (bytes budget = 0; budget < 12; budget += 1 + budget / 4) CHECK(s.within(budget, position) == s.within(budget));
}

TEST_CASE("where times are nearly proportional to sizes the best is found, or with an entry limit a valid bound",
          "[bidirectional_search][property]") {
    std::size_t limited = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        std::size_t const n = 20 + below(random, 15);
        weighted_dag g{support::chain(n), {}, {}, std::vector<char>(n)};
        for (std::size_t v = 0; v < n; ++v) {
            if (v + 2 < n && chance(random, 25)) g.graph[v].push_back(static_cast<int>(v) + 2);
            g.memory.push_back(support::between(random, 100, 999));
            g.time.push_back(1000 * g.memory.back() + support::between(random, 0, 2000));
        }
        searched const s(g);
        bytes const budget = support::between(random, 4000, 500 * static_cast<std::int64_t>(n));
        auto const segments = s.segments({}, s.whole(), budget, false);
        auto const exact = detail::frontier_curve<detail::lattice_segments>::solve(
            segments, lower_set_options{.budget = budget}, no_progress{});
        auto const best = exact.best_within(budget);
        no_progress quiet;
        for (std::size_t const limit : {std::size_t{100'000'000}, std::size_t{300}}) {
            detail::bidirectional_search<detail::lattice_segments> search(segments, s.whole(), budget, 0, 0, 50, 1,
                                                                          limit);
            auto const found = search.run(quiet);
            RC_ASSERT(found.has_value() == best.has_value());
            if (!found) continue;
            auto const least = exact.breakpoints()[*best].overhead;
            RC_ASSERT(found->bound <= least);
            RC_ASSERT(found->overhead >= least);
            if (limit > 300) RC_ASSERT(found->bound == found->overhead);
            limited += found->bound < found->overhead ? 1 : 0;
            RC_ASSERT(evaluate_formula(s.problem, found->sequence, false).overhead == found->overhead);
        }
    }));
    CHECK(limited > 0);
}

TEST_CASE("the search ends within its tolerance at every budget", "[bidirectional_search][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        std::size_t const n = 8 + below(random, 10);
        weighted_dag g{support::chain(n), {}, {}, std::vector<char>(n)};
        for (std::size_t v = 0; v < n; ++v) {
            if (v + 2 < n && chance(random, 30)) g.graph[v].push_back(static_cast<int>(v) + 2);
            g.time.push_back(support::between(random, 1, 9900));
            g.memory.push_back(support::between(random, 1, 20));
        }
        searched const s(g);
        auto const all = lower_set_family::all(s.problem, far);
        auto const curve = solve_lower_sets(all, lower_set_options{});
        auto const tolerance = s.whole() * support::between(random, 1, 200) / 10'000;
        no_progress quiet;
        for (auto const& point : curve.breakpoints()) {
            auto const segments = s.segments({}, s.whole(), point.budget, false);
            for (std::size_t const threads : {1U, 2U}) {
                detail::bidirectional_search<detail::lattice_segments> search(segments, s.whole(), point.budget,
                                                                              tolerance, 0, 20, threads);
                auto const found = search.run(quiet);
                RC_ASSERT(found.has_value());
                RC_ASSERT(found->overhead - found->bound <= tolerance);
                RC_ASSERT(found->bound <= point.overhead);
                RC_ASSERT(found->overhead >= point.overhead);
            }
        }
    }));
}

TEST_CASE("in a chain every vertex but the last is serial", "[bidirectional_search]") {
    weighted_dag g{support::chain(4), {1, 2, 3, 4}, {1, 1, 1, 1}, {0, 0, 0, 0}};
    searched const s(g);
    detail::serial_steps const all(*s.lattice);
    REQUIRE(all.count() == 3);
    CHECK(all.set(0) == 1);
    CHECK(all.after(0) == 0);
    CHECK(all.after(1) == 1);
    CHECK(all.to_serial(0, 0) == segment_cost{1, 2, 0});
    CHECK(all.to_next(0) == segment_cost{2, 2, 0});
    CHECK(all.to_set(2, 4) == segment_cost{4, 2, 0});
    CHECK(all.may_end(0, 2));
}

TEST_CASE("a vertex with an edge past it, or with a parallel branch, is not serial", "[bidirectional_search]") {
    // 0 -> 1 -> 2 with 0 -> 2; and 2 -> 3 -> 5, 2 -> 4 -> 5.
    weighted_dag const g{
        {{1, 2}, {2}, {3, 4}, {5}, {5}, {}}, {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}, std::vector<char>(6)};
    searched const s(g);
    detail::serial_steps const all(*s.lattice);
    REQUIRE(all.count() == 2);
    CHECK(s.lattice->memory(all.set(0)) == 1);
    CHECK(s.lattice->memory(all.set(1)) == 3);
    CHECK(!all.may_end(1, all.set(1) + 1U));  // only one of its two readers
}

TEST_CASE("serial steps do not change the curve, and the bidirectional search finds its best points",
          "[bidirectional_search][property]") {
    std::size_t serial = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 2; ++i) {
            finds_the_best(modules(random, chance(random, 50) ? 9 : 500'000'000), random, serial);
        }
    }));
    CHECK(serial > 0);
}
