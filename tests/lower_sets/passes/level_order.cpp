// Covers lower_sets/lower_set_curve.hpp, lower_sets/detail/passes/level_order.hpp,
// lower_sets/detail/all_lower_sets.hpp, lower_sets/solve_lower_sets.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/lower_sets/detail/passes/level_order.hpp>
#include <repebble/lower_sets/lower_set_curve.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_plan.hpp>

#include "recompute/lower_set_question.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"

using namespace repebble;

namespace {

/// Three modules in a row, each of three parallel branches, with times in nanoseconds.
auto branches() -> support::weighted_dag {
    support::split_mix random(7);
    support::weighted_dag g;
    g.graph.emplace_back();
    for (int module = 0; module < 3; ++module) {
        auto const from = g.graph.size() - 1;
        auto const to = from + 13;
        g.graph.resize(to + 1);
        for (std::size_t branch = 0; branch < 3; ++branch)
            for (std::size_t k = 0; k < 4; ++k) {
                auto const v = from + 1 + 4 * branch + k;
                if (k == 0) g.graph[from].push_back(static_cast<int>(v));
                g.graph[v].push_back(static_cast<int>(k < 3 ? v + 1 : to));
            }
    }
    g.time = support::random_weights(random, g.graph.size(), 1'000'000, 9'000'000);
    g.memory = support::random_weights(random, g.graph.size(), 1000, 9000);
    g.pinned.assign(g.graph.size(), 0);
    return g;
}

/// Stops the search after a number of calls of is_over.
struct counting_observer {
    int left;
    int reports = 0;
    void progress(double) { ++reports; }
    auto is_over() -> bool { return left <= 0 || left-- == 0; }
};

}  // namespace

namespace {

/// Segments between four sets, of which none leads to set 1.
struct few_segments {
    std::vector<std::uint32_t> all{0, 1, 2, 3};
    std::vector<std::vector<std::uint32_t>> to{{3}, {2}, {3}, {}};

    [[nodiscard]] auto nodes() const -> std::span<std::uint32_t const> { return all; }
    template <class F>
    void for_each_from(std::uint32_t i, F&& f) const {
        for (auto const j : to[i]) f(j, 0);
    }
};

}  // namespace

TEST_CASE("passes visit all nodes but the first, each after its neighbours in the other direction", "[level_order]") {
    few_segments const segments;
    for (std::size_t const threads : {1U, 2U}) {
        detail::level_order order(segments, threads);
        std::mutex mutex;
        std::vector<std::uint32_t> visited;
        auto const visit = [&](std::uint32_t i, std::size_t) {
            std::scoped_lock const lock(mutex);
            visited.push_back(i);
        };
        no_progress quiet;
        CHECK(order.forwards(visit, quiet));
        CHECK(visited == std::vector<std::uint32_t>{1, 2, 3});
        visited.clear();
        CHECK(order.backwards(visit, quiet));
        std::ranges::sort(visited, {}, [](auto i) { return i == 0 ? 3U : i == 1 ? 2U : 1U; });
        CHECK(visited == std::vector<std::uint32_t>{2, 1, 0});
    }
}

TEST_CASE("lower sets: the same curve and the same best for any number of threads", "[level_order]") {
    auto const g = branches();
    auto const problem = g.problem();
    auto const curve = solve_lower_sets(problem, {.choice = family_choice::all, .resolution = 1'000'000});
    REQUIRE(curve.breakpoints().size() > 5);
    bytes const budget = curve.breakpoints()[curve.breakpoints().size() / 2].budget;
    auto const best = solve_lower_sets(problem, {.choice = family_choice::all, .budget = budget, .best_only = true});
    auto const family = solve_lower_sets(problem, {.budget = budget, .best_only = true, .limits = {.work = 100}});
    REQUIRE(!family.searched().all);
    for (std::size_t const threads : {2U, 4U}) {
        auto const other =
            solve_lower_sets(problem, {.choice = family_choice::all, .resolution = 1'000'000, .threads = threads});
        REQUIRE(std::ranges::equal(other.breakpoints(), curve.breakpoints()));
        for (std::size_t k = 0; k < curve.breakpoints().size(); ++k) CHECK(other.sequence(k) == curve.sequence(k));
        auto const same = solve_lower_sets(
            problem, {.choice = family_choice::all, .budget = budget, .best_only = true, .threads = threads});
        REQUIRE(std::ranges::equal(same.breakpoints(), best.breakpoints()));
        CHECK(same.sequence(0) == best.sequence(0));
        auto const also = solve_lower_sets(
            problem, {.budget = budget, .best_only = true, .threads = threads, .limits = {.work = 100}});
        REQUIRE(std::ranges::equal(also.breakpoints(), family.breakpoints()));
        CHECK(also.sequence(0) == family.sequence(0));
    }
}

TEST_CASE("lower_set_exact and lower_set_approximate plan the same with any number of threads", "[level_order][long]") {
    auto const g = branches();
    auto const training =
        make_training_graph(g.graph, weights{[&](int v) { return g.time[static_cast<std::size_t>(v)]; },
                                             [&](int v) { return g.memory[static_cast<std::size_t>(v)]; }});
    lower_set_question options{.budget = keep_all(training).cost.peak * 6 / 10};
    for (auto const judge : {judged_by::replayed, judged_by::formula}) {
        options.judge = judge;
        options.threads = 1;
        auto const exact = ask_exact(training, options);
        auto const approximate = ask_approximate(training, options);
        REQUIRE(exact.has_value());
        options.threads = 3;
        CHECK(ask_exact(training, options) == exact);
        CHECK(ask_approximate(training, options) == approximate);
    }
}

TEST_CASE("lower sets in parallel: the observer receives progress, and may stop the search", "[level_order]") {
    auto const g = branches();
    auto const problem = g.problem();
    for (std::size_t const threads : {1U, 2U}) {
        counting_observer listener{1'000'000};
        auto const curve = solve_lower_sets(
            problem, {.choice = family_choice::all, .resolution = 1'000'000, .threads = threads}, listener);
        CHECK(!curve.breakpoints().empty());
        CHECK(listener.reports > 0);
        int left = 3;
        limits const few{.stop = [&] { return left <= 0 || left-- == 0; }};
        CHECK_THROWS_AS(
            solve_lower_sets(
                problem, {.choice = family_choice::all, .resolution = 1'000'000, .threads = threads, .limits = few}),
            limit_reached);
    }
}
