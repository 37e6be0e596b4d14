#ifndef REPEBBLE_DECOMPOSITION_ELIMINATION_HPP
#define REPEBBLE_DECOMPOSITION_ELIMINATION_HPP

// Evaluation of elimination orders without computing the fill: the elimination tree and its column counts (Gilbert, Ng,
// Peyton 1994), as in sparse Cholesky factorisation. All heuristics are measured by `elimination::of`;
// `tree_decomposition.hpp` builds bags from the same counts.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0 {

/// Width and fill of an elimination order.
struct elimination {
    std::size_t width = 0;   ///< greatest degree at elimination: the width of the tree decomposition
    std::uint64_t fill = 0;  ///< edges added

    /// Those of an order, in time and memory of the graph rather than of the fill: O(m α(n) + n).  Throws bad_graph,
    /// naming the vertex, unless the order names every vertex once.
    [[nodiscard]] static auto of(undirected_graph const& g, std::span<undirected_graph::vertex const> order)
        -> elimination;

    friend auto operator==(elimination const&, elimination const&) -> bool = default;
};

namespace detail {

/// The position of each vertex in an order.  Throws bad_graph, naming the vertex, unless the order names each vertex
/// once.
[[nodiscard]] auto places_of(undirected_graph const& g, std::span<undirected_graph::vertex const> order)
    -> std::vector<std::uint32_t>;

/// The degrees of vertices at their elimination, and the elimination tree. Here vertices are positions in the order.
/// The graph and the order must outlive it.
class elimination_counts {
  public:
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    elimination_counts(undirected_graph const& g, std::span<undirected_graph::vertex const> order)
        : graph_(g), order_(order), place_(places_of(g, order)) {
        make_tree();
        count();
    }
    [[nodiscard]] auto counts() const noexcept -> std::vector<std::uint32_t> const& { return counts_; }
    /// The parent in the elimination tree: the neighbour, fill included, that is eliminated next; or none.
    [[nodiscard]] auto parents() const noexcept -> std::vector<std::uint32_t> const& { return parent_; }
    /// The position of each vertex of the graph.
    [[nodiscard]] auto places() const noexcept -> std::vector<std::uint32_t> const& { return place_; }

  private:
    void make_tree();
    /// A postorder of the elimination tree.
    [[nodiscard]] auto postorder() const -> std::vector<std::uint32_t>;
    void count();

    undirected_graph const& graph_;
    std::span<undirected_graph::vertex const> order_;
    std::vector<std::uint32_t> place_, parent_, counts_;
};

}  // namespace detail

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/decomposition/elimination.ipp>
#endif

#endif
