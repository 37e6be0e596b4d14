#ifndef REPEBBLE_TREEWIDTH_DETAIL_EXACT_SAFE_REDUCTIONS_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_EXACT_SAFE_REDUCTIONS_HPP

// Preprocessing for treewidth: the safe reduction rules of Bodlaender, Koster, van den Eijkhof, "Preprocessing rules
// for triangulation of probabilistic networks" (2005): islet, twig, series, triangle, buddy, cube, simplicial and
// almost simplicial. `find_treewidth` and `minor_bound` apply them before anything else.
// Invariant: max(low, treewidth of the remaining graph) is the treewidth of g, and low never exceeds it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/decomposition/detail/bits/bucket_queue.hpp>
#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/treewidth/detail/graphs/graph_with_hubs.hpp>

namespace repebble::inline v0::detail {

/// A graph g after safe eliminations: the treewidth of g is the larger of `low` and that of the kernel. `eliminated`
/// followed by any order of the kernel is an order of g whose width is that of the kernel's order or at most `low`.
struct reduced_graph {
    elimination_order eliminated{};                 ///< the vertices that were removed, in their order
    undirected_graph kernel{};                      ///< the graph of the others
    std::vector<undirected_graph::vertex> names{};  ///< of the kernel's vertices in g, ascending
    std::size_t low = 0;                            ///< a lower bound on the treewidth of g

    friend auto operator==(reduced_graph const&, reduced_graph const&) -> bool = default;
};

/// Applies the rules until none fits.
class safe_reduction {
  public:
    using vertex = undirected_graph::vertex;

    safe_reduction(undirected_graph const& g, std::size_t low)
        : n_(g.vertex_count()), left_(g), low_(low), tried_low_(low), queue_(n_), queued_(n_, 0) {
        for (auto v = static_cast<vertex>(n_); v-- > 0;) enqueue(v);
    }
    [[nodiscard]] auto run() -> reduced_graph;

  private:
    using pair = std::pair<vertex, vertex>;

    void enqueue(vertex v);
    /// Raises the bound to the least degree of the remaining graph. Returns whether that makes vertices eligible again.
    [[nodiscard]] auto raise_low() -> bool;
    /// Eliminates v, or a vertex near it, if a rule allows that.
    void reduce_at(vertex v);
    [[nodiscard]] auto copy_of(vertex v) -> std::array<vertex, 3> {
        auto const all = left_.neighbors(v);
        return {all[0], all[1], all[2]};
    }
    /// Whether all neighbours but one are pairwise adjacent; lists the missing edges if so.
    [[nodiscard]] auto is_almost_simplicial(vertex v) -> bool;
    /// The buddy rule: two vertices with the same three neighbours.
    [[nodiscard]] auto reduce_buddy(vertex v) -> bool;
    /// The cube rule: three neighbours of degree 3, of which each two share one further neighbour, and no three.
    [[nodiscard]] auto reduce_cube(vertex v) -> bool;
    /// Eliminates a vertex of any kind.
    void eliminate_any(vertex v);
    /// Eliminates a vertex.  Requires: the missing edges between its neighbours are listed.
    void eliminate(vertex v);
    void take_kernel();

    std::size_t n_;
    graph_with_hubs left_;
    std::size_t low_, tried_low_;
    bucket_queue queue_;  // vertices to examine, by least degree
    std::vector<std::uint8_t> queued_;
    std::size_t queued_count_ = 0;
    std::vector<vertex> neighbourhood_;
    std::vector<std::size_t> lacks_;  // per neighbour: missing edges to the others
    std::vector<pair> missing_;
    reduced_graph made_;
};

/// Eliminates vertices that an optimal order may begin with. Takes a lower bound on the treewidth; a higher one, such
/// as that of `find_contraction_bound`, makes more vertices eligible.  Requires: the treewidth is not below it. A
/// kernel of at most low + 1 vertices is eliminated, too. To examine a vertex of degree d takes O(d sqrt(m)), whatever
/// the degrees of its neighbours; a buddy is sought among the neighbours of one of the three. A vertex is examined
/// again when an edge near it changes. Nearly linear in sparse graphs.
[[nodiscard]] inline auto reduce_safely(undirected_graph const& g, std::size_t low = 0) -> reduced_graph {
    return detail::safe_reduction(g, low).run();
}

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/safe_reductions.ipp>
#endif

#endif
