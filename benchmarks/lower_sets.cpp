// How many lower sets a second does the enumeration give? On k chains of m vertices side by side, which have (m + 1)^k.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/lower_sets/lower_sets.hpp>

namespace {

using adjacency = std::vector<std::vector<std::uint32_t>>;

/// k chains of m vertices; vertex i of them all is called name[i].
auto parallel_chains(std::size_t k, std::size_t m, std::vector<std::uint32_t> const& name) -> adjacency {
    adjacency g(k * m);
    for (std::size_t v = 0; v + 1 < g.size(); ++v)
        if ((v + 1) % m != 0) g[name[v]].push_back(name[v + 1]);
    return g;
}

auto names(std::size_t n, bool shuffled) -> std::vector<std::uint32_t> {
    std::vector<std::uint32_t> name(n);
    std::iota(name.begin(), name.end(), 0U);
    std::mt19937_64 random(1);
    if (shuffled)
        for (std::size_t i = n; i > 1; --i) std::swap(name[i - 1], name[random() % i]);
    return name;
}

/// Arguments: k, m, and whether vertices are numbered at random instead of along the chains.
void enumerate(benchmark::State& state) {
    auto const k = static_cast<std::size_t>(state.range(0));
    auto const m = static_cast<std::size_t>(state.range(1));
    auto const g = parallel_chains(k, m, names(k * m, state.range(2) != 0));
    std::size_t expected = 1;
    for (std::size_t i = 0; i < k; ++i) expected *= m + 1;
    auto sets = repebble::lower_sets(g);
    for (auto _ : state) {
        std::size_t count = 0;
        for (auto const& set : sets) {
            benchmark::DoNotOptimize(set.words().front());
            ++count;
        }
        if (count != expected) {
            state.SkipWithError("the number of lower sets is not (m + 1)^k");
            return;
        }
    }
    auto const all = static_cast<double>(state.iterations()) * static_cast<double>(expected);
    state.counters["vertices"] = static_cast<double>(k * m);
    state.counters["lower_sets"] = static_cast<double>(expected);
    state.counters["sets_per_second"] = benchmark::Counter(all, benchmark::Counter::kIsRate);
}

}  // namespace

BENCHMARK(enumerate)
    ->ArgNames({"chains", "length", "shuffled"})
    ->Args({5, 12, 0})
    ->Args({5, 26, 0})
    ->Args({5, 12, 1})
    ->Args({5, 26, 1})
    ->Unit(benchmark::kMillisecond);
