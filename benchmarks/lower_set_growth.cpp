// How does the exact whole curve of overhead against budget grow with vertices and with lower sets: all pairs of lower
// sets against irreducible blocks? And what does it cost on the graphs of Kusumoto et al. 2019, where they lie beside
// the project?  benchmark_lower_set_growth PICTURE.svg [SECONDS]   Markdown on standard output. What takes more seconds
// of CPU time, 10, is given up. The page is lower_set_growth.md.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/lower_sets/lower_sets.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/networks/unet.hpp>

#include "drawing/growth_picture.hpp"
#include "kusumoto/solving_times.hpp"
#include "measure/cheap.hpp"
#include "measure/in_child.hpp"
#include "measure/lower_set_graphs.hpp"
#include "measure/user_clock.hpp"

namespace {

using namespace repebble;

constexpr std::size_t lower_set_limit = 1'000'000;

/// That of Ronneberger et al. 2015, so many levels deep: where it crops what is skipped there is a choice.
[[nodiscard]] auto unet(int levels) -> lower_set_problem {
    networks::extent resolution = 32;
    for (int level = 0; level < levels; ++level) resolution = 2 * resolution + 4;
    auto const model = networks::unet(
        {.images = {.batch = 1, .resolution = resolution, .classes = 2, .channels = 1}, .width = 1, .levels = levels});
    return measure::problem_of(networks::network_of(model).graph());
}

/// Problems of growing size: the first, and what comes after a size.
struct growing {
    char const* name;
    lower_set_problem (*make)(int size);
    int first;
    int (*next)(int size);
};
[[nodiscard]] auto twice(int n) -> int { return 2 * n; }
/// 32, 48, 64, 96, 128 …
[[nodiscard]] auto half_octave(int n) -> int { return (n & (n - 1)) == 0 ? n + n / 2 : n / 3 * 4; }
constexpr std::array families{
    growing{"chain", [](int n) { return measure::problem_of(measure::chain(n)); }, 32, twice},
    growing{"skip connections", [](int n) { return measure::problem_of(measure::residual(n)); }, 32, twice},
    growing{"U-Net", unet, 2, [](int levels) { return levels + 1; }},
    growing{"two towers", [](int n) { return measure::problem_of(measure::towers<2>(n)); }, 16, half_octave},
    growing{"three towers", [](int n) { return measure::problem_of(measure::towers<3>(n)); }, 12, half_octave},
};

/// How long it took, and the curve.
struct run {
    double seconds = 0;
    std::vector<std::int64_t> curve{};  ///< overhead, budget, overhead, budget …
};

template <class Solve>
[[nodiscard]] auto run_of(unsigned seconds, Solve&& solve, bool cheap = false) -> std::optional<run> {
    auto const report = measure::in_child(seconds, [&] {
        auto const [curve, taken] = cheap ? measure::timed(solve) : measure::timed_often(solve);
        std::vector<std::int64_t> said{std::llround(1e9 * taken)};
        for (auto const& b : curve.breakpoints()) said.insert(said.end(), {b.overhead, b.budget});
        return said;
    });
    if (!report) return std::nullopt;
    return run{1e-9 * static_cast<double>(report->said.front()), {report->said.begin() + 1, report->said.end()}};
}

[[nodiscard]] auto by_pairs(lower_set_problem const& problem, unsigned seconds) -> std::optional<run> {
    return run_of(seconds, [&] {
        auto const family = lower_set_family::all(problem, lower_set_limit);
        auto const curve = solve_lower_sets(family, {});
        return lower_set_curve({curve.breakpoints().begin(), curve.breakpoints().end()}, nullptr);
    });
}
[[nodiscard]] auto by_blocks(lower_set_problem const& problem, unsigned seconds, bool cheap) -> std::optional<run> {
    return run_of(
        seconds,
        [&] { return solve_lower_sets(problem, {.choice = family_choice::all, .limits = {.work = lower_set_limit}}); },
        cheap);
}

/// Nothing where there are more than the limit.
[[nodiscard]] auto count_of(lower_set_problem const& problem) -> std::optional<std::size_t> {
    std::size_t count = 0;
    auto sets = lower_sets(problem.graph);
    for (auto it = sets.begin(); it != sets.end(); ++it)
        if (++count > lower_set_limit) return std::nullopt;
    return count;
}

[[nodiscard]] auto cell(std::optional<run> const& r) -> std::string {
    return r ? drawing::shown(r->seconds, r->seconds < 0.01 ? 5 : 3) + " s" : "–";
}

/// A row for each size; whether all curves were equal. Cheap: of up to 400 lower sets, by blocks alone.
[[nodiscard]] auto measured(growing const& family, unsigned seconds, std::vector<drawing::growth_line>& lines,
                            bool cheap) -> bool {
    drawing::growth_line naive{family.name, {}, true}, blocks{family.name, {}, false};
    bool equal = true;
    bool pairs_in_time = true, blocks_in_time = true;
    for (int size = family.first;; size = family.next(size)) {
        auto const problem = family.make(size);
        auto const sets = count_of(problem);
        if (!sets || (cheap && *sets > 400)) break;
        auto const fast = blocks_in_time ? by_blocks(problem, seconds, cheap) : std::nullopt;
        auto const slow = pairs_in_time && !cheap ? by_pairs(problem, seconds) : std::nullopt;
        pairs_in_time = slow.has_value();
        blocks_in_time = fast.has_value();
        if (!fast && !slow) break;
        auto const x = static_cast<double>(*sets);
        if (fast) blocks.points.push_back({x, fast->seconds});
        if (slow) naive.points.push_back({x, slow->seconds});
        std::printf("| %s | %zu | %zu | %zu | %s | %s | %s |\n", family.name, problem.vertex_count(), *sets,
                    (fast ? fast : slow)->curve.size() / 2, cheap ? measure::not_asked : cell(slow).c_str(),
                    cell(fast).c_str(),
                    cheap          ? measure::not_asked
                    : fast && slow ? drawing::shown(slow->seconds / fast->seconds, 1).c_str()
                                   : "–");
        std::fflush(stdout);
        if (fast && slow && fast->curve != slow->curve) {
            std::fprintf(stderr, "%s of %zu vertices: the curves differ\n", family.name, problem.vertex_count());
            equal = false;
        }
    }
    lines.push_back(naive);
    lines.push_back(blocks);
    return equal;
}

}  // namespace

int main(int argc, char** argv) {
    bool const cheap = measure::take_cheap(argc, argv);
    if (!cheap && argc < 2) {
        std::fprintf(stderr, "usage: benchmark_lower_set_growth --cheap | PICTURE.svg [SECONDS]\n");
        return 2;
    }
    auto const seconds = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 10U;
    std::printf(
        "| graph | vertices | lower sets | breakpoints | all pairs | irreducible blocks | ratio |\n"
        "|---|--:|--:|--:|--:|--:|--:|\n");
    std::vector<drawing::growth_line> lines;
    bool equal = true;
    for (auto const& family : families) equal = measured(family, seconds, lines, cheap) && equal;
    if (cheap) return 0;
    io::write_file(
        argv[1], drawing::growth_picture("Seconds against lower sets: irreducible blocks, and (thin) all pairs", lines,
                                         {1e-5}, {"#L", {{100, 1e-5}, {5e4, 5e-3}}}));
    std::printf("\n");
    kusumoto::print_solving_times(lower_set_limit);
    return equal ? 0 : 1;
}
