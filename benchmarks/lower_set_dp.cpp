// What does the lower-set DP cost: the whole curve, over the pruned family and over all lower sets? On generated graphs
// of growing size, on the graphs of Kusumoto et al. where they lie beside the project, and on the network of the
// examples.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/recompute/solve_lower_sets.hpp>
#include <repebble/recompute/lower_set_family.hpp>
#include <repebble/recompute/lower_set_problem.hpp>

namespace {

using namespace repebble;

using adjacency = std::vector<std::vector<int>>;
using generator = adjacency (*)(int n);

auto chain(int n) -> adjacency {
    adjacency g(static_cast<std::size_t>(n));
    for (int v = 0; v + 1 < n; ++v) g[static_cast<std::size_t>(v)].push_back(v + 1);
    return g;
}

/// Two chains side by side, joined at the first and at the last vertex: 0, 1 3 5 …, 2 4 6 …, n - 1.
auto towers(int n) -> adjacency {
    adjacency g(static_cast<std::size_t>(n));
    if (n < 2) return g;
    for (int v = 0; v + 2 < n; ++v) g[static_cast<std::size_t>(v)].push_back(v == 0 ? 1 : v + 2);
    g[0].push_back(2);
    if (n > 3) g[static_cast<std::size_t>(n - 2)].push_back(n - 1);
    return g;
}

/// A chain in which every fourth vertex is also read by the one four places on.
auto residual(int n) -> adjacency {
    auto g = chain(n);
    for (int v = 0; v + 4 < n; v += 4) g[static_cast<std::size_t>(v)].push_back(v + 4);
    return g;
}

/// A chain whose first half is read by its second half in reverse, as in a U-Net.
auto nested_skips(int n) -> adjacency {
    auto g = chain(n);
    for (int v = 0; v + 1 < n - 1 - v; v += 4) g[static_cast<std::size_t>(v)].push_back(n - 1 - v);
    return g;
}

/// Every third operation takes 10 time units, the others 1; 1 … 16 MiB each.
auto problem_of(adjacency const& g) -> lower_set_problem<> {
    std::mt19937_64 random(1);
    std::vector<bytes> memory;
    for (std::size_t v = 0; v < g.size(); ++v) memory.push_back(static_cast<bytes>(1 + random() % 16) << 20);
    return make_lower_set_problem(
        g, [](int v) { return v % 3 == 0 ? 10 : 1; }, [&](int v) { return memory[static_cast<std::size_t>(v)]; });
}

enum class family : std::uint8_t { pruned, all };
constexpr std::size_t lower_set_limit = 100'000;

/// The family's sums are part of the work, reading the graph is not. `loss`: the share of the forward time that the
/// resolution aims at; 0: exact.
void solve(benchmark::State& state, lower_set_problem<> const& problem, family which, double loss = 0) {
    lower_set_options<> options;
    std::int64_t total = 0;
    for (auto const t : problem.time) total += t;
    options.resolution = static_cast<std::int64_t>(loss * static_cast<double>(total) / 50);
    std::size_t sets = 0;
    std::size_t breakpoints = 0;
    for (auto _ : state) {
        auto const searched = which == family::pruned ? lower_set_family<>::pruned(problem)
                                                      : lower_set_family<>::all(problem, lower_set_limit);
        auto const curve = solve_lower_sets(searched, options);
        sets = searched.size();
        breakpoints = curve.breakpoints().size();
        benchmark::DoNotOptimize(breakpoints);
    }
    if (breakpoints == 0) state.SkipWithError("the curve is empty");
    state.counters["vertices"] = static_cast<double>(problem.vertex_count());
    state.counters["lower_sets"] = static_cast<double>(sets);
    state.counters["breakpoints"] = static_cast<double>(breakpoints);
}

void approximate(benchmark::State& state, generator make) {
    solve(state, problem_of(make(static_cast<int>(state.range(0)))), family::pruned);
    state.SetComplexityN(state.range(0));
}

void exact(benchmark::State& state, generator make) {
    solve(state, problem_of(make(static_cast<int>(state.range(0)))), family::all);
}

BENCHMARK_CAPTURE(approximate, chain, &chain)->RangeMultiplier(2)->Range(64, 512)->Complexity();
BENCHMARK_CAPTURE(approximate, towers, &towers)->RangeMultiplier(2)->Range(64, 512)->Complexity();
BENCHMARK_CAPTURE(approximate, residual, &residual)->RangeMultiplier(2)->Range(64, 512)->Complexity();
BENCHMARK_CAPTURE(approximate, nested_skips, &nested_skips)->RangeMultiplier(2)->Range(64, 512)->Complexity();
BENCHMARK_CAPTURE(exact, chain, &chain)->Arg(256);
BENCHMARK_CAPTURE(exact, residual, &residual)->Arg(256);
BENCHMARK_CAPTURE(exact, towers, &towers)->Arg(64);

/// The networks in files, as far as they are there.
int const registered = [] {
    auto const add = [](std::filesystem::path const& file, double loss, std::vector<family> const& families) {
        if (!std::filesystem::exists(file)) return;
        auto const net = io::read_network(file);
        auto const problem = make_lower_set_problem(make_dataflow(net, weights_of(net)));
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
