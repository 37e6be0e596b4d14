// What does the lower-set DP cost: the whole curve, over the pruned family and over all lower sets? On generated graphs
// of growing size, on the graphs of Kusumoto et al. where they lie beside the project, and on the network of the
// examples.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>

#include "measure/lower_set_graphs.hpp"

namespace {

using namespace repebble;

using generator = measure::adjacency (*)(int n);

enum class family : std::uint8_t { pruned, all };
constexpr std::size_t lower_set_limit = 100'000;

/// The family's sums are part of the work, reading the graph is not. `loss`: the share of the forward time that the
/// resolution aims at; 0: exact.
void solve(benchmark::State& state, lower_set_problem const& problem, family which, double loss = 0) {
    lower_set_options options;
    std::int64_t total = 0;
    for (auto const t : problem.time) total += t;
    options.resolution = static_cast<std::int64_t>(loss * static_cast<double>(total) / 50);
    options.choice = family_choice::all;
    options.limits.work = lower_set_limit;
    std::size_t sets = 0;
    std::size_t breakpoints = 0;
    for (auto _ : state) {
        auto const pruned = lower_set_family::pruned(problem);
        auto const curve =
            which == family::pruned ? solve_lower_sets(pruned, options) : solve_lower_sets(problem, options);
        sets = pruned.size();
        breakpoints = curve.breakpoints().size();
        benchmark::DoNotOptimize(breakpoints);
    }
    if (breakpoints == 0) state.SkipWithError("the curve is empty");
    state.counters["vertices"] = static_cast<double>(problem.vertex_count());
    if (which == family::pruned) state.counters["lower_sets"] = static_cast<double>(sets);
    state.counters["breakpoints"] = static_cast<double>(breakpoints);
}

void approximate(benchmark::State& state, generator make) {
    solve(state, measure::problem_of(make(static_cast<int>(state.range(0)))), family::pruned);
    state.SetComplexityN(state.range(0));
}

void exact(benchmark::State& state, generator make) {
    solve(state, measure::problem_of(make(static_cast<int>(state.range(0)))), family::all);
}

BENCHMARK_CAPTURE(approximate, chain, &measure::chain)->RangeMultiplier(2)->Range(64, 512)->Complexity();
BENCHMARK_CAPTURE(approximate, towers, &measure::towers<2>)->RangeMultiplier(2)->Range(64, 512)->Complexity();
BENCHMARK_CAPTURE(approximate, residual, &measure::residual)->RangeMultiplier(2)->Range(64, 512)->Complexity();
BENCHMARK_CAPTURE(approximate, nested_skips, &measure::nested_skips)->RangeMultiplier(2)->Range(64, 512)->Complexity();
BENCHMARK_CAPTURE(exact, chain, &measure::chain)->Arg(256);
BENCHMARK_CAPTURE(exact, residual, &measure::residual)->Arg(256);
BENCHMARK_CAPTURE(exact, towers, &measure::towers<2>)->Arg(64);

/// The networks in files, as far as they are there.
int const registered = [] {
    auto const add = [](std::filesystem::path const& file, double loss, std::vector<family> const& families) {
        if (!std::filesystem::exists(file)) return;
        auto const net = io::read_network(file);
        auto const problem = make_lower_set_problem(make_dataflow(net, net.weights()));
        for (auto const which : families)
            benchmark::RegisterBenchmark(
                ((which == family::pruned ? "approximate/" : "exact/") + file.stem().string()).c_str(),
                [problem, which, loss](benchmark::State& state) { solve(state, problem, which, loss); })
                ->Unit(benchmark::kMillisecond);
    };
    std::filesystem::path const root = REPEBBLE_SOURCE_DIR;
    for (auto const* name : {"vgg19", "unet", "resnet50", "resnet152", "densenet", "pspnet", "googlenet"})
        add(root / "../shared/data/public/pfnet/graphs" / (std::string(name) + ".json"), 0,
            {family::pruned, family::all});
    add(root / "examples/data/unet_small.json", 0.005, {family::pruned});
    return 0;
}();

}  // namespace
