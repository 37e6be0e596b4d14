#ifndef REPEBBLE_IMPL_DECOMPOSITION_UNDIRECTED_GRAPH_IPP
#define REPEBBLE_IMPL_DECOMPOSITION_UNDIRECTED_GRAPH_IPP

#include <repebble/decomposition/undirected_graph.hpp>

#include <algorithm>
#include <limits>
#include <string>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE undirected_graph::undirected_graph(std::size_t vertex_count, std::vector<edge> const& edges)
    : starts_(checked(vertex_count) + 1, 0) {
    for (auto const& [u, v] : edges) {
        for (auto const end : {u, v})
            if (end >= vertex_count)
                detail::raise(bad_graph("edge " + std::to_string(u) + " - " + std::to_string(v) + ": vertex " +
                                        std::to_string(end) + " is out of range: the graph has " +
                                        std::to_string(vertex_count) + " vertices"));
        if (u == v) continue;
        ++starts_[u + std::size_t{1}];
        ++starts_[v + std::size_t{1}];
    }
    for (std::size_t v = 0; v < vertex_count; ++v) starts_[v + 1] += starts_[v];
    neighbors_.resize(starts_.back());
    auto next = starts_;
    for (auto const& [u, v] : edges) {
        if (u == v) continue;
        neighbors_[next[u]++] = v;
        neighbors_[next[v]++] = u;
    }
    remove_duplicates();
}

REPEBBLE_INLINE auto undirected_graph::checked(std::size_t count) -> std::size_t {
    if (count >= std::numeric_limits<vertex>::max())
        detail::raise(bad_graph(std::to_string(count) + " vertices are more than 32 bits can number"));
    return count;
}

REPEBBLE_INLINE auto undirected_graph::checked_vertex(std::size_t index) -> vertex {
    if (index >= std::numeric_limits<vertex>::max())
        detail::raise(bad_graph("vertex " + std::to_string(index) + " is more than 32 bits can number"));
    return static_cast<vertex>(index);
}

REPEBBLE_INLINE auto undirected_graph::without_directions(csr_graph const& g) -> undirected_graph {
    return {g.vertex_count(), edges_of(g)};
}

REPEBBLE_INLINE auto undirected_graph::moral_of(csr_graph const& g) -> undirected_graph {
    auto edges = edges_of(g);
    for (vertex v = 0; v < g.vertex_count(); ++v)
        for (auto const a : g.predecessors(v))
            for (auto const b : g.predecessors(v))
                if (a < b) edges.emplace_back(a, b);
    return {g.vertex_count(), edges};
}

REPEBBLE_INLINE auto undirected_graph::edges_of(csr_graph const& g) -> std::vector<edge> {
    std::vector<edge> edges;
    edges.reserve(g.edge_count());
    for (vertex v = 0; v < g.vertex_count(); ++v)
        for (auto const w : g.successors(v)) edges.emplace_back(v, w);
    return edges;
}

REPEBBLE_INLINE void undirected_graph::remove_duplicates() {
    std::size_t kept = 0, begin = 0;
    for (std::size_t v = 0; v < vertex_count(); ++v) {
        auto const row = std::span(neighbors_).subspan(begin, starts_[v + 1] - begin);
        begin = starts_[v + 1];
        if (!std::ranges::is_sorted(row)) std::ranges::sort(row);
        auto const first = kept;
        for (auto const w : row)
            if (kept == first || neighbors_[kept - 1] != w) neighbors_[kept++] = w;
        starts_[v + 1] = kept;
    }
    neighbors_.resize(kept);
}

}  // namespace repebble::inline v0

#endif
