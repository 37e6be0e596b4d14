#ifndef REPEBBLE_TREEWIDTH_DETAIL_EXACT_SAFE_SEPARATORS_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_EXACT_SAFE_SEPARATORS_HPP

// Safe separators for treewidth (Bodlaender, Koster, "Safe separators for treewidth", 2006): clique minimal separators
// by Berry, Pogorelcnik, Simonet 2010, and almost clique separators. `find_treewidth` solves the atoms one by one and
// joins their orders by `join_orders`. Invariant: the treewidth of the graph is the largest of its atoms.

#include <cstdint>
#include <span>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/treewidth/detail/graphs/connected_parts.hpp>

namespace repebble::inline v0::detail {

/// Splits parts until no safe separator is found.
class safe_separation {
  public:
    using vertex = undirected_graph::vertex;

    safe_separation(undirected_graph const& g, std::uint64_t most_steps)
        : most_steps_(most_steps), open_(connected_parts(g)) {}
    [[nodiscard]] auto run() -> std::vector<graph_atom>;

  private:
    [[nodiscard]] static auto split_at_cliques(graph_atom const& part) -> std::vector<graph_atom>;
    /// Splits a part without clique separators at a minimal separator that is a clique but for one vertex, if trying
    /// all vertices stays within the steps.
    [[nodiscard]] auto split_at_almost_clique(graph_atom const& part) -> bool;
    /// The present vertices that are connected with v without passing the separator.
    [[nodiscard]] static auto component(undirected_graph const& g, std::vector<std::uint8_t>& state,
                                        std::span<vertex const> separator, vertex v) -> std::vector<vertex>;
    /// The subgraph on a component and its separator, which becomes a clique.
    [[nodiscard]] static auto induced(graph_atom const& part, std::span<vertex const> cut,
                                      std::span<vertex const> separator) -> graph_atom;

    enum : std::uint8_t { absent, present };

    std::uint64_t most_steps_;
    std::vector<graph_atom> open_, atoms_;
};

/// Splits a graph at its clique separators (the empty one and articulation points among them), and the parts at minimal
/// separators that are cliques but for one vertex. `join_orders` makes an order of the graph from orders of the parts.
///
/// Clique separators in O(n m). Almost cliques only in parts with n² m at most `most_steps`.
[[nodiscard]] inline auto split_safely(undirected_graph const& g, std::uint64_t most_steps = 300'000'000)
    -> std::vector<graph_atom> {
    return detail::safe_separation(g, most_steps).run();
}

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/safe_separators.ipp>
#endif

#endif
