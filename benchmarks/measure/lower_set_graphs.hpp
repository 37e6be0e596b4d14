#ifndef MEASURE_LOWER_SET_GRAPHS_HPP
#define MEASURE_LOWER_SET_GRAPHS_HPP

#include <cstddef>
#include <random>
#include <vector>

#include <repebble/graph/access.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>

/// Graphs of any size whose lower sets are searched.
namespace measure {

using adjacency = std::vector<std::vector<int>>;

[[nodiscard]] inline auto chain(int n) -> adjacency {
    adjacency g(static_cast<std::size_t>(n));
    for (int v = 0; v + 1 < n; ++v) g[static_cast<std::size_t>(v)].push_back(v + 1);
    return g;
}

/// So many chains side by side, joined at the first and at the last vertex; of two: 0, 1 3 5 …, 2 4 6 …, n - 1.
template <int Count>
[[nodiscard]] auto towers(int n) -> adjacency {
    adjacency g(static_cast<std::size_t>(n));
    for (int v = 1; v <= Count && v + 1 < n; ++v) g[0].push_back(v);
    for (int v = 1; v + 1 < n; ++v) g[static_cast<std::size_t>(v)].push_back(v + Count < n - 1 ? v + Count : n - 1);
    return g;
}

/// A chain in which every fourth vertex is also read by the one four places on.
[[nodiscard]] inline auto residual(int n) -> adjacency {
    auto g = chain(n);
    for (int v = 0; v + 4 < n; v += 4) g[static_cast<std::size_t>(v)].push_back(v + 4);
    return g;
}

/// A chain whose first half is read by its second half in reverse, as in a U-Net.
[[nodiscard]] inline auto nested_skips(int n) -> adjacency {
    auto g = chain(n);
    for (int v = 0; v + 1 < n - 1 - v; v += 4) g[static_cast<std::size_t>(v)].push_back(n - 1 - v);
    return g;
}

/// Every third operation takes 10 time units, the others 1; 1 … 16 MiB each.
template <class Graph>
[[nodiscard]] auto problem_of(Graph const& g) -> repebble::lower_set_problem {
    std::mt19937_64 random(1);
    std::vector<repebble::bytes> memory;
    for (auto n = repebble::vertex_count(g); n > 0; --n)
        memory.push_back(static_cast<repebble::bytes>(1 + random() % 16) << 20);
    return repebble::make_lower_set_problem(
        g, [](auto v) { return v % 3 == 0 ? 10 : 1; }, [&](auto v) { return memory[static_cast<std::size_t>(v)]; });
}

}  // namespace measure

#endif
