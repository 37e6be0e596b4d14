// What do graph_traits cost? The same work on the same random graph through every adaptor; `ratio` is the time over that
// of raw arrays, which take turns with it. A Boost graph is also walked without the library, by Boost's own functions.
#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>

#include <repebble/graph/adapt/as_boost_graph.hpp>
#include <repebble/graph/adapt/boost_graph.hpp>
#include <repebble/graph/adapt/induced.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/adapt/reversed.hpp>
#include <repebble/graph/bidirectional.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/vertex_set.hpp>

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
using boost_vectors = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using boost_two_way = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using boost_lists = boost::adjacency_list<boost::vecS, boost::listS, boost::directedS,
                                          boost::property<boost::vertex_index_t, std::size_t>>;
using boost_rows = boost::compressed_sparse_row_graph<boost::directedS>;
using boost_two_way_rows = repebble::boost_copy<int>;
using with_map = repebble::with_boost_index<boost_vectors, std::uint32_t const*>;
using both_ways = repebble::bidirectional_adaptor<adjacency>;
using turned = repebble::reversed_graph<repebble::csr_graph>;
using turned_twice = repebble::reversed_graph<turned>;
using part = repebble::induced_graph<adjacency>;

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

/// A boost::adjacency_list, never copied: g++ 12 warns of the code inside Boost that does it.
template <class Graph>
auto linked() -> Graph const& {
    static Graph g(vertex_count);
    static bool const filled = [] {
        std::vector<typename Graph::vertex_descriptor> at;
        for (auto [v, last] = vertices(g); v != last; ++v) {
            if constexpr (std::same_as<Graph, boost_lists>) put(boost::vertex_index, g, *v, at.size());
            at.push_back(*v);
        }
        for (std::size_t u = 0; u < vertex_count; ++u)
            for (int const w : random_graph()[u]) add_edge(at[u], at[static_cast<std::size_t>(w)], g);
        return true;
    }();
    static_cast<void>(filled);
    return g;
}
template <class Graph>
concept linked_graph =
    std::same_as<Graph, boost_vectors> || std::same_as<Graph, boost_two_way> || std::same_as<Graph, boost_lists>;

template <class Graph>
auto make() -> Graph {
    auto const& from = random_graph();
    if constexpr (std::same_as<Graph, adjacency>) {
        return from;
    } else if constexpr (std::same_as<Graph, repebble::csr_graph>) {
        return repebble::csr_graph::copy_of(from);
    } else if constexpr (std::same_as<Graph, both_ways>) {
        return repebble::bidirectional(from);
    } else if constexpr (std::same_as<Graph, part>) {
        return repebble::induced(from, repebble::vertex_set::full(from.size()));
    } else if constexpr (std::same_as<Graph, turned_twice>) {
        static auto const rows = make<repebble::csr_graph>();
        static auto const once = repebble::reversed(rows);
        return repebble::reversed(once);
    } else if constexpr (std::same_as<Graph, boost_two_way_rows>) {
        return repebble::as_boost_graph(from);
    } else if constexpr (std::same_as<Graph, with_map>) {
        static auto const numbers = [&] {
            std::vector<std::uint32_t> all(from.size());
            std::iota(all.begin(), all.end(), std::uint32_t{0});
            return all;
        }();
        return repebble::with_index_map(linked<boost_vectors>(), numbers.data());
    } else if constexpr (std::same_as<Graph, boost_rows>) {
        std::vector<std::pair<std::size_t, std::size_t>> edges;
        for (std::size_t u = 0; u < from.size(); ++u)
            for (int const w : from[u]) edges.emplace_back(u, static_cast<std::size_t>(w));
        return {boost::edges_are_sorted, edges.begin(), edges.end(), from.size()};
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

/// As Boost's users walk a graph.
struct sum_by_boost {
    template <class Graph>
    auto operator()(Graph const& g) const -> std::uint64_t {
        std::uint64_t sum = 0;
        for (auto [u, last] = vertices(g); u != last; ++u)
            for (auto [w, end] = adjacent_vertices(*u, g); w != end; ++w)
                sum += get(boost::vertex_index, g, *u) ^ get(boost::vertex_index, g, *w);
        return sum;
    }
};

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
        return order.size() + repebble::vertex_index(g, order[order.size() / 2]);
    }
};

struct training {
    template <class Graph>
    auto operator()(Graph const& g) const -> std::uint64_t {
        return repebble::make_training_graph(g, repebble::weights{}).flow.graph().edge_count();
    }
};

template <class Graph>
auto made() -> Graph const& {
    if constexpr (linked_graph<Graph>) {
        return linked<Graph>();
    } else {
        static auto const g = make<Graph>();
        return g;
    }
}

/// Lets `work` and `baseline` take turns and reports the time of the first and the ratio of the two.
template <class Graph, class Work, class Baseline>
void compare(benchmark::State& state, Work const& work, Baseline const& baseline) {
    using clock = std::chrono::steady_clock;
    using seconds = std::chrono::duration<double>;
    auto const& g = made<Graph>();
    auto const& raw = made<raw_arrays>();
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

/// Baseline: make_training_graph of the raw arrays.
template <class Graph>
void build_training(benchmark::State& state) {
    compare<Graph>(state, training{}, training{});
}

/// Baseline: loops over the arrays.
template <class Graph>
void walk_edges_by_boost(benchmark::State& state) {
    compare<Graph>(state, sum_by_boost{}, sum_by_hand);
}

}  // namespace

BENCHMARK_TEMPLATE(walk_edges, raw_arrays)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges, adjacency)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges, repebble::csr_graph)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges, both_ways)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges, turned_twice)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges, part)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges, boost_vectors)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges, boost_two_way)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges, boost_lists)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges, with_map)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges, boost_rows)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges, boost_two_way_rows)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges_by_boost, boost_vectors)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges_by_boost, boost_two_way)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges_by_boost, boost_lists)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges_by_boost, boost_rows)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(walk_edges_by_boost, boost_two_way_rows)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(order, raw_arrays)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(order, adjacency)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(order, repebble::csr_graph)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(order, both_ways)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(order, turned_twice)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(order, part)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(order, boost_vectors)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(order, boost_two_way)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(order, boost_lists)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(order, with_map)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(order, boost_rows)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(order, boost_two_way_rows)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build_training, raw_arrays)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build_training, adjacency)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build_training, repebble::csr_graph)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build_training, both_ways)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build_training, turned_twice)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build_training, part)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build_training, boost_vectors)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build_training, boost_two_way)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build_training, boost_lists)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build_training, with_map)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build_training, boost_rows)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build_training, boost_two_way_rows)->UseManualTime()->Unit(benchmark::kMillisecond);
