// What do graph_traits cost? The same work on the same random graph through raw arrays, std::vector<std::vector<int>>
// and csr_graph; `ratio` is the time over that of the baseline, which takes turns with it.
#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/make_dataflow.hpp>
#include <repebble/graph/topological_order.hpp>

namespace {

/// Compressed rows as anybody would write them.
struct raw_arrays {
    std::vector<std::uint32_t> start{0};  // row v: targets[start[v]] … targets[start[v + 1] - 1]
    std::vector<std::uint32_t> targets{};
};

}  // namespace

template <>
struct repebble::graph_traits<raw_arrays> {
    static auto vertices(raw_arrays const& g) {
        return std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(g.start.size() - 1));
    }
    static auto successors(raw_arrays const& g, std::uint32_t v) {
        return std::span(g.targets.data() + g.start[v], g.targets.data() + g.start[v + 1]);
    }
    static auto vertex_index(raw_arrays const&, std::uint32_t v) -> std::size_t { return v; }
};

namespace {

using adjacency = std::vector<std::vector<int>>;

constexpr std::size_t vertex_count = 100'000;
constexpr std::size_t edges_per_vertex = 4;

/// Edges lead up by at most 1,000; numbered along them.
auto random_graph() -> adjacency const& {
    static auto const g = [] {
        std::mt19937_64 random(1);
        adjacency made(vertex_count);
        for (std::size_t u = 0; u + 1 < vertex_count; ++u) {
            auto& row = made[u];
            for (std::size_t k = 0; k < edges_per_vertex; ++k)
                row.push_back(static_cast<int>(u + 1 + random() % std::min<std::size_t>(1'000, vertex_count - 1 - u)));
            std::ranges::sort(row);
            row.erase(std::ranges::unique(row).begin(), row.end());
        }
        return made;
    }();
    return g;
}

template <class Graph>
auto make() -> Graph {
    auto const& from = random_graph();
    if constexpr (std::same_as<Graph, adjacency>) {
        return from;
    } else if constexpr (std::same_as<Graph, repebble::csr_graph>) {
        return repebble::csr_graph::copy_of(from);
    } else {
        raw_arrays g;
        for (auto const& row : from) {
            g.targets.insert(g.targets.end(), row.begin(), row.end());
            g.start.push_back(static_cast<std::uint32_t>(g.targets.size()));
        }
        return g;
    }
}

// Without the library.

auto sum_by_hand(raw_arrays const& g) -> std::uint64_t {
    std::uint64_t sum = 0;
    for (std::size_t u = 0; u + 1 < g.start.size(); ++u)
        for (std::size_t k = g.start[u]; k < g.start[u + 1]; ++k) sum += u ^ g.targets[k];
    return sum;
}

/// The same algorithm as topological_order's, least index first.
auto order_by_hand(raw_arrays const& g) -> std::uint64_t {
    std::size_t const n = g.start.size() - 1;
    std::vector<std::uint32_t> waiting(n, 0);
    for (auto const w : g.targets) ++waiting[w];
    std::vector<std::uint32_t> heap;
    for (std::uint32_t v = 0; v < n; ++v)
        if (waiting[v] == 0) heap.push_back(v);
    std::vector<std::uint32_t> order;
    order.reserve(n);
    while (!heap.empty()) {
        std::pop_heap(heap.begin(), heap.end(), std::greater<>{});
        auto const v = heap.back();
        heap.pop_back();
        order.push_back(v);
        for (std::size_t k = g.start[v]; k < g.start[v + 1]; ++k)
            if (--waiting[g.targets[k]] == 0) {
                heap.push_back(g.targets[k]);
                std::push_heap(heap.begin(), heap.end(), std::greater<>{});
            }
    }
    return order.size() + order[n / 2];
}

// With it.

struct sum_of_edges {
    template <class Graph>
    auto operator()(Graph const& g) const -> std::uint64_t {
        std::uint64_t sum = 0;
        for (auto const u : repebble::vertices(g))
            for (auto const w : repebble::successors(g, u))
                sum += repebble::vertex_index(g, u) ^ repebble::vertex_index(g, w);
        return sum;
    }
};

struct topological {
    template <class Graph>
    auto operator()(Graph const& g) const -> std::uint64_t {
        auto const order = repebble::topological_order(g);
        return order.size() + static_cast<std::uint64_t>(order[order.size() / 2]);
    }
};

struct dataflow {
    template <class Graph>
    auto operator()(Graph const& g) const -> std::uint64_t {
        return repebble::make_dataflow(g).value_count();
    }
};

/// Lets `work` and `baseline` take turns and reports the time of the first and the ratio of the two.
template <class Graph, class Work, class Baseline>
void compare(benchmark::State& state, Work const& work, Baseline const& baseline) {
    using clock = std::chrono::steady_clock;
    using seconds = std::chrono::duration<double>;
    auto const g = make<Graph>();
    auto const raw = make<raw_arrays>();
    double least = 0;
    double least_of_baseline = 0;
    for (auto _ : state) {
        auto const begin = clock::now();
        auto const expected = baseline(raw);
        auto const middle = clock::now();
        auto const result = work(g);
        auto const end = clock::now();
        if (result != expected) {
            state.SkipWithError("the result is not the baseline's");
            return;
        }
        double const taken = seconds(end - middle).count();
        double const taken_by_baseline = seconds(middle - begin).count();
        least = least == 0 ? taken : std::min(least, taken);
        least_of_baseline = least_of_baseline == 0 ? taken_by_baseline : std::min(least_of_baseline, taken_by_baseline);
        state.SetIterationTime(taken);
    }
    state.counters["ratio"] =
        least / least_of_baseline;  // of the least times, which the machine's other work disturbs least
}

/// Baseline: loops over the arrays.
template <class Graph>
void walk_edges(benchmark::State& state) {
    compare<Graph>(state, sum_of_edges{}, sum_by_hand);
}

/// Baseline: the same algorithm written for the arrays.
template <class Graph>
void order(benchmark::State& state) {
    compare<Graph>(state, topological{}, order_by_hand);
}

/// Baseline: make_dataflow of the raw arrays.
template <class Graph>
void build_dataflow(benchmark::State& state) {
    compare<Graph>(state, dataflow{}, dataflow{});
}

}  // namespace

BENCHMARK_TEMPLATE(walk_edges, raw_arrays)->UseManualTime();
BENCHMARK_TEMPLATE(walk_edges, adjacency)->UseManualTime();
BENCHMARK_TEMPLATE(walk_edges, repebble::csr_graph)->UseManualTime();
BENCHMARK_TEMPLATE(order, raw_arrays)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(order, adjacency)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(order, repebble::csr_graph)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build_dataflow, raw_arrays)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build_dataflow, adjacency)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build_dataflow, repebble::csr_graph)->UseManualTime()->Unit(benchmark::kMillisecond);
