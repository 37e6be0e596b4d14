// What do the optima over all lower sets of real networks cost, with times in nanoseconds? By the formulas of Kusumoto
// et al. 2019, exact and within half a per cent of the forward time; and by the replay of the real schedule. A row for
// every graph file that is named, as Markdown; each figure from a process of its own, which may take so many seconds.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/lower_sets/lower_set_limit.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>

#include "measure/cheap.hpp"
#include "measure/in_child.hpp"
#include "measure/user_clock.hpp"

namespace {

using namespace repebble;

constexpr std::array least_times{1.1, 1.3, 1.6};
constexpr std::array keep_all_shares{0.6, 0.4};

auto percent(std::int64_t part, std::int64_t whole) -> double {
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// "44.34 (44.16) 0.71 s": overhead, in brackets the bound where it is less, user-CPU seconds. What is said is
/// overhead, bound, nanoseconds.
void print_cell(std::optional<measure::child_report> const& report, std::int64_t whole) {
    if (!report) {
        std::printf(" – |");
    } else if (report->said.size() < 3) {
        std::printf(" does not fit |");
    } else {
        auto const& said = report->said;
        std::printf(" %.3f", percent(said[0], whole));
        if (said[1] < said[0]) std::printf(" (%.3f)", percent(said[1], whole));
        std::printf(", %.2f s |", 1e-9 * static_cast<double>(said[2]));
    }
    std::fflush(stdout);
}
auto nanoseconds(double seconds) -> std::int64_t { return std::llround(1e9 * seconds); }

/// The best by the formulas within a budget.
auto by_formula(lower_set_problem const& problem, bytes budget, std::int64_t resolution, unsigned limit) {
    return measure::in_child(limit, [&]() -> std::vector<std::int64_t> {
        auto const [best, seconds] = measure::timed(
            [&] { return solve_lower_sets(problem, {.resolution = resolution, .budget = budget, .best_only = true}); });
        auto const at = best.best_within(budget);
        if (!at) return {};
        auto const& b = best.breakpoints()[*at];
        return {b.overhead, b.bound, nanoseconds(seconds)};
    });
}

/// The best by replay within a budget, within half a per cent.
auto by_replay(training_graph const& training, bytes budget, std::int64_t forward_time, unsigned limit) {
    return measure::in_child(limit, [&]() -> std::vector<std::int64_t> {
        auto const [plan, seconds] = measure::timed([&] { return lower_set_plan(training, budget); });
        if (!plan) return {};
        auto const loss = std::llround(plan->epsilon * static_cast<double>(forward_time));
        return {plan->cost.overhead, plan->cost.overhead - loss, nanoseconds(seconds)};
    });
}

void print_row(char const* file, unsigned limit) {
    auto const training = io::make_training_graph(io::read_network(file));
    planning_graph const graph(training);
    auto const& problem = graph.problem();
    auto const forward_time = vertex_set::full(problem.vertex_count()).sum(problem.time);
    auto const name = std::string_view(file).substr(std::string_view(file).find_last_of('/') + 1);
    detail::best_lower_set_search const search(problem, default_lower_set_limit);
    std::printf("| %.*s | %zu | %s%zu |", static_cast<int>(name.find('.')), name.data(), problem.vertex_count(),
                search.has_all() ? "" : "some: ", search.size());
    auto const least = solve_lower_sets(problem, {.resolution = forward_time / 1000}).least_budget().value();
    for (auto const times : least_times) {
        auto const budget = static_cast<bytes>(static_cast<double>(least) * times);
        print_cell(by_formula(problem, budget, 0, limit), forward_time);
        print_cell(by_formula(problem, budget, forward_time / 200, limit), forward_time);
    }
    auto const kept = keep_all(training).cost;
    for (auto const share : keep_all_shares)
        print_cell(by_replay(training, static_cast<bytes>(static_cast<double>(kept.peak) * share), forward_time, limit),
                   kept.time);
    std::puts("");
}

}  // namespace

int main(int argc, char** argv) {
    static_cast<void>(measure::take_cheap(argc, argv));  // what a graph costs is known from its name
    if (argc < 3) {
        std::fprintf(stderr, "usage: benchmark_lower_set_tables SECONDS GRAPH.json…\n");
        return 2;
    }
    std::printf("| network | vertices | lower sets |");
    for (auto const times : least_times) std::printf(" %.1f ×, exact | %.1f ×, ε |", times, times);
    for (auto const share : keep_all_shares) std::printf(" replayed, %.0f %% of keep_all |", 100 * share);
    std::printf("\n|---|--:|--:|");
    for (std::size_t k = 0; k < 2 * least_times.size() + keep_all_shares.size(); ++k) std::printf("--:|");
    std::puts("");
    for (int k = 2; k < argc; ++k) print_row(argv[k], static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)));
    return 0;
}
