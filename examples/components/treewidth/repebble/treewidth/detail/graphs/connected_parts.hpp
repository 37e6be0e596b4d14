#ifndef REPEBBLE_TREEWIDTH_DETAIL_GRAPHS_CONNECTED_PARTS_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_GRAPHS_CONNECTED_PARTS_HPP

// Connected components of an undirected graph as induced subgraphs. `safe_separators` starts from them; `graph_atom` is
// also its result type.

#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0::detail {

/// An induced subgraph, in which the separators that cut it off are made cliques.
struct graph_atom {
    undirected_graph graph{};                       ///< the subgraph
    std::vector<undirected_graph::vertex> names{};  ///< of its vertices: their numbers in the whole graph, ascending

    friend auto operator==(graph_atom const&, graph_atom const&) -> bool = default;
};

/// The connected components of a graph. O(n + m).
[[nodiscard]] auto connected_parts(undirected_graph const& g) -> std::vector<graph_atom>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/connected_parts.ipp>
#endif

#endif
