#ifndef KUSUMOTO_SOLVING_TIMES_HPP
#define KUSUMOTO_SOLVING_TIMES_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/lower_sets/lower_sets.hpp>
#include <repebble/io/network.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>

#include "../measure/in_child.hpp"
#include "../measure/user_clock.hpp"
#include "subjects.hpp"

namespace repebble::kusumoto {

/// CPU seconds, and megabytes, of the program that the authors published, on such a machine. Its "exact" search is not
/// optimal. Of graphs where little was measured: at most that.
struct published_program {
    char const* exact;
    char const* exact_memory;
    char const* approximate;
};
inline constexpr published_program little{"≤ 0.10 s", "–", "≤ 0.08 s"};
/// In the order of `paper`: PSPNet, U-Net, ResNet50, ResNet152, VGG19, DenseNet161, GoogLeNet.
inline constexpr std::array<published_program, paper.size()> published_programs{{
    {"27 s", "536 MB", "0.32 s"},
    little,
    little,
    {"0.67 s", "–", "0.60 s"},
    little,
    {"1.42 s", "38 MB", "1.43 s"},
    {"131 s", "1160 MB", "0.03 s"},
}};

/// What a process with one way to solve a graph says.
struct solving {
    double milliseconds;  ///< median of five
    double megabytes;
    std::vector<std::int64_t> said;
};

/// Reads the graph and solves it five times; `solve` says some numbers.
template <class Solve>
[[nodiscard]] auto solving_of(paper_row const& row, Solve&& solve) -> solving {
    constexpr std::size_t times = 5;
    auto report = measure::in_child(120, [&] {
        auto const read = published(row).value();
        auto const problem = make_lower_set_problem(make_dataflow(read.net, read.net.weights()));
        std::array<double, times> seconds{};
        std::vector<std::int64_t> said;
        for (auto& s : seconds) {
            auto const [numbers, taken] = measure::timed_often([&] { return solve(problem); });
            said = numbers;
            s = taken;
        }
        std::ranges::sort(seconds);
        said.push_back(std::llround(1e9 * seconds[times / 2]));
        return said;
    });
    if (!report) throw std::runtime_error(std::string(row.title) + " takes too long");
    auto const median = 1e-6 * static_cast<double>(report->said.back());
    report->said.pop_back();
    return {median, report->megabytes, std::move(report->said)};
}

/// The published graphs, where they are there: ours beside what the authors' program takes.
inline void print_solving_times(std::size_t lower_set_limit) {
    if (!published(paper.front())) {
        std::puts("The graphs of Kusumoto et al. are not there.");
        return;
    }
    std::printf(
        "| network | vertices | edges | lower sets | one budget, exact | memory | curve, exact | memory | curve, "
        "pruned "
        "family | published \"exact\" | memory | published approximate |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (std::size_t i = 0; i < paper.size(); ++i) {
        auto const& row = paper[i];
        auto const size = solving_of(row, [](lower_set_problem const& problem) -> std::vector<std::int64_t> {
            std::int64_t sets = 0;
            auto view = lower_sets(problem.graph);
            for (auto it = view.begin(); it != view.end(); ++it) ++sets;
            return {static_cast<std::int64_t>(problem.vertex_count()),
                    static_cast<std::int64_t>(problem.graph.edge_count()), sets};
        });
        auto const whole = solving_of(row, [&](lower_set_problem const& problem) -> std::vector<std::int64_t> {
            return {*solve_lower_sets(problem, {.choice = family_choice::all, .limits = {.work = lower_set_limit}})
                         .least_budget()};
        });
        lower_set_options const options{.choice = family_choice::all,
                                        .budget = whole.said.front() / 10 * 13,
                                        .best_only = true,
                                        .limits = {.work = lower_set_limit}};
        auto const one = solving_of(row, [&](lower_set_problem const& problem) -> std::vector<std::int64_t> {
            return {solve_lower_sets(problem, options).breakpoints().front().overhead};
        });
        auto const pruned = solving_of(row, [](lower_set_problem const& problem) -> std::vector<std::int64_t> {
            auto const family = lower_set_family::pruned(problem);
            return {*solve_lower_sets(family, {}).least_budget()};
        });
        auto const& theirs = published_programs[i];
        std::printf("| %s | %lld | %lld | %lld | %.2f ms | %.0f MB | %.2f ms | %.0f MB | %.2f ms | %s | %s | %s |\n",
                    row.title, static_cast<long long>(size.said[0]), static_cast<long long>(size.said[1]),
                    static_cast<long long>(size.said[2]), one.milliseconds, one.megabytes, whole.milliseconds,
                    whole.megabytes, pruned.milliseconds, theirs.exact, theirs.exact_memory, theirs.approximate);
        std::fflush(stdout);
    }
}

}  // namespace repebble::kusumoto

#endif
