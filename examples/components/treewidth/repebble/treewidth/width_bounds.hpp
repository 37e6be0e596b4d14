#ifndef REPEBBLE_TREEWIDTH_WIDTH_BOUNDS_HPP
#define REPEBBLE_TREEWIDTH_WIDTH_BOUNDS_HPP

// Lower bounds on treewidth by minimum degree: degeneracy (MMD) and contraction (Bodlaender, Koster, Wolle,
// "Contraction and treewidth lower bounds", 2004, with the least-common-neighbours strategy). `find_treewidth` starts
// from them; `minor_bound` reuses the contractions.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/decomposition/detail/bits/bucket_queue.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/treewidth/detail/graphs/graph_with_hubs.hpp>

namespace repebble::inline v0 {

namespace detail {

/// One run of contractions; the seed decides ties.
class contraction {
  public:
    using vertex = undirected_graph::vertex;

    contraction(undirected_graph const& g, std::uint64_t seed);
    /// The largest minimum degree met, or `bound` if that is larger.
    [[nodiscard]] auto run(std::size_t bound) -> std::size_t;

    /// The minor that remains with the given number of vertices.
    [[nodiscard]] auto minor(std::size_t vertices) -> undirected_graph;

  private:
    /// Contracts v into the neighbour with the fewest common neighbours.
    void contract(vertex v);
    [[nodiscard]] auto least_common() -> vertex;
    [[nodiscard]] auto run_dense(std::size_t bound) -> std::size_t;

    std::size_t n_;
    graph_with_hubs left_;
    bucket_queue queue_;
    std::vector<std::uint32_t> common_;
    std::vector<vertex> order_, neighbourhood_;
};

/// The largest minimum degree of a subgraph, a lower bound on treewidth.  O(n + m).
[[nodiscard]] auto degeneracy(undirected_graph const& g) -> std::size_t;

}  // namespace detail

/// A lower bound on treewidth: the largest minimum degree met while a vertex of least degree is contracted into the
/// neighbour with which it has the fewest common neighbours. The best of several runs, all but the first with
/// (reproducible) random ties; at least the degeneracy.
/// A run takes O(n + sum, over the contracted vertices, of their neighbours' degrees), where a neighbour of degree
/// sqrt(2 m) or more counts only as the number of such neighbours: never more than sqrt(m) times the degrees of the
/// contracted vertices. A graph that has become dense is processed as a bit matrix.
[[nodiscard]] auto find_contraction_bound(undirected_graph const& g, std::size_t tries = 1) -> std::size_t;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/width_bounds.ipp>
#endif

#endif
