#ifndef REPEBBLE_TREEWIDTH_NESTED_DISSECTION_HPP
#define REPEBBLE_TREEWIDTH_NESTED_DISSECTION_HPP

// Nested dissection (George 1973): recursive bisection by small vertex separators, which are eliminated last.
// Separators come from the multilevel search of `detail/orders`; within a stage `find_elimination_order` decides.
// Starting orders and local improvement use it.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/decomposition/elimination_rule.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/split_mix.hpp>

namespace repebble::inline v0 {

/// Options of `find_dissection_order`.
struct dissection_options {
    double share = 0.55;                              ///< of a part's weight that no side exceeds, if possible
    std::size_t depth = 2;                            ///< recursion depth, at most: small widths want few cuts
    std::size_t least = 60;                           ///< parts with fewer vertices are not cut
    std::size_t tries = 3;                            ///< separators tried for each part; the smallest is taken
    std::uint64_t seed = 0;                           ///< of the search for separators
    elimination_rule rule = least_fill_per_neighbor;  ///< within parts, and within separators
};

namespace detail {

/// The recursion over parts.
class dissection {
  public:
    using vertex = undirected_graph::vertex;

    dissection(undirected_graph const& g, dissection_options const& options)
        : g_(g),
          options_(options),
          random_(options.seed),
          number_(g.vertex_count(), std::numeric_limits<vertex>::max()),
          stages_(g.vertex_count(), 0) {}

    [[nodiscard]] auto stages() && -> std::vector<std::uint32_t>;

  private:
    struct part {
        std::vector<vertex> vertices{};
        std::size_t depth = 0;
    };

    void cut(part const& now, std::vector<part>& open);

    undirected_graph const& g_;
    dissection_options options_;
    split_mix random_;
    std::vector<vertex> number_;
    std::vector<std::uint32_t> stages_;
};

/// Dissects a graph by a small vertex separator, and each side again. Returns a stage for each vertex: 0 for vertices
/// in no separator, and later ones for separators, the first of all last. Vertices of one stage in different parts are
/// not adjacent.
///
/// About O(m log n · depth · tries); equal inputs give equal stages.  Throws bad_option if the share is not in (0, 1]
/// or the depth exceeds 32 bits.
[[nodiscard]] auto dissect(undirected_graph const& g, dissection_options const& options = {})
    -> std::vector<std::uint32_t>;

}  // namespace detail

/// An elimination order by nested dissection (George 1973): vertices in no separator first, the first separator last.
/// Better than rules alone on meshes, where few cuts are best for width: `find_elimination_order` with a stage for each
/// separator. About O(m log n · depth · tries) and the order; equal inputs give equal orders.  Throws bad_option if the
/// share is not in (0, 1] or the depth exceeds 32 bits.
[[nodiscard]] inline auto find_dissection_order(undirected_graph const& g, dissection_options const& options = {})
    -> ordered_elimination {
    return find_elimination_order(g, {.rule = options.rule, .stages = detail::dissect(g, options)});
}
/// The same.
template <has_undirected_view Graph>
[[nodiscard]] auto find_dissection_order(Graph const& g, dissection_options const& options = {})
    -> ordered_elimination {
    return find_dissection_order(undirected_graph::of(g), options);
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/nested_dissection.ipp>
#endif

#endif
