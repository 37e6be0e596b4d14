#ifndef REPEBBLE_DECOMPOSITION_TREE_DECOMPOSITION_HPP
#define REPEBBLE_DECOMPOSITION_TREE_DECOMPOSITION_HPP

// Tree decompositions from elimination orders: one bag per supernode of the elimination tree. The result type of this
// room; `verify_decomposition` checks it.
// Invariant: bags ascend and none lies within another; the edges form one tree, also for disconnected graphs.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0 {

/// Bags of vertices on a tree: every vertex and both ends of every edge share a bag, and the bags with any vertex are
/// connected.
struct tree_decomposition {
    std::vector<std::vector<undirected_graph::vertex>> bags{};     ///< each ascending
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges{};  ///< between bags: first < second, ascending

    /// One less than the size of the largest bag; 0 if there is no vertex.  O(bags).
    [[nodiscard]] auto width() const noexcept -> std::size_t;

    friend auto operator==(tree_decomposition const&, tree_decomposition const&) -> bool = default;
};

namespace detail {

/// The bags of an elimination order. Vertices with the same closed neighbourhood at elimination share a bag; a vertex
/// of it is adjacent to those after it in the order.
class elimination_bags {
  public:
    using vertex = undirected_graph::vertex;

    elimination_bags(undirected_graph const& g, std::span<vertex const> order);
    /// A bag that contains a vertex and all its neighbours at its elimination.
    [[nodiscard]] auto home(vertex v) const -> std::uint32_t { return bag_[counts_.places()[v]]; }
    [[nodiscard]] auto take() && -> tree_decomposition { return std::move(made_); }

  private:
    static constexpr auto none = elimination_counts::none;

    /// Numbers the bags: a vertex shares the bag of a child in the elimination tree that contains its own.
    void number_bags();
    /// Connects each bag with that of its parent in the elimination tree.
    void connect();
    /// Fills each bag from the graph and from the child bags at its first vertex, which precede it.
    void fill();

    undirected_graph const& graph_;
    std::span<vertex const> order_;
    elimination_counts counts_;
    std::vector<std::uint32_t> bag_;              // per position in the order
    std::vector<std::uint32_t> first_, last_;     // per bag: positions
    std::vector<std::uint32_t> child_, sibling_;  // per bag: lists of child bags at its first vertex
    tree_decomposition made_;
};

}  // namespace detail

/// The tree decomposition of an elimination order, of the same width: for each vertex the bag of it and its neighbours
/// at elimination, without bags that lie within another. One tree, also for a disconnected graph; bags are in the order
/// of their first vertices.
///
/// O(m α(n) + sum of the bags' sizes and of sorting them) time, O(n + m + sum of the bags' sizes) memory.  Throws
/// bad_graph, naming the vertex, unless the order names every vertex once.
[[nodiscard]] inline auto make_tree_decomposition(undirected_graph const& g,
                                                  std::span<undirected_graph::vertex const> order)
    -> tree_decomposition {
    return detail::elimination_bags(g, order).take();
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/decomposition/tree_decomposition.ipp>
#endif

#endif
