#ifndef REPEBBLE_DECOMPOSITION_FIND_ELIMINATION_ORDER_HPP
#define REPEBBLE_DECOMPOSITION_FIND_ELIMINATION_ORDER_HPP

// Greedy elimination by fill and degree, the classical heuristics minimum fill and minimum degree. `sparse_fill` keeps
// exact scores incrementally (Ng & Peyton 2014) and merges indistinguishable vertices. `decomposition_plan`
// divides by its orders; the component treewidth builds on it.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include <repebble/decomposition/detail/orders/sparse_fill.hpp>
#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/elimination_rule.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// An elimination order and its width.
struct ordered_elimination {
    elimination_order order{};  ///< all vertices
    std::size_t width = 0;      ///< of that order

    friend auto operator==(ordered_elimination const&, ordered_elimination const&) -> bool = default;
};

/// Options of `find_elimination_order`.
struct elimination_options {
    elimination_rule rule = least_fill;       ///< the score of a vertex, and which of equal ones is taken
    std::span<std::uint32_t const> stages{};  ///< none, or one for each vertex: earlier stages are eliminated first
};

namespace detail {

/// An order; nullopt as soon as the width exceeds `width_limit`, or when is_over() returns true.
template <class IsOver = never_stop>
[[nodiscard]] auto greedy_elimination(undirected_graph const& g, elimination_rule const& rule,
                                      std::span<std::uint32_t const> stages, std::size_t width_limit,
                                      IsOver const& is_over = {}) -> std::optional<ordered_elimination> {
    if (!stages.empty() && stages.size() != g.vertex_count())
        detail::raise(
            bad_graph(std::to_string(stages.size()) + " stages for " + std::to_string(g.vertex_count()) + " vertices"));
    ordered_elimination made;
    made.order.reserve(g.vertex_count());
    auto const width = sparse_fill(g, rule, stages).run(made.order, width_limit, is_over);
    if (!width) return std::nullopt;
    made.width = *width;
    return made;
}

}  // namespace detail

/// An elimination order that always takes a vertex of least score: by default one whose neighbours lack the fewest
/// edges (minimum fill; Bulatov 2018 finds the separators of neural networks by it, "Support general graphs"), with
/// `least_degree` one with the fewest neighbours. Scores are exact at every step, and indistinguishable vertices are
/// eliminated together.
///
/// Takes an undirected graph, or any graph that has an undirected view. Equal inputs give equal orders. Time grows with
/// the fill: nearly O(n + m) where there is little; what becomes dense goes on in a bit matrix, O(r³ / 64) with r
/// distinguishable vertices left, which is O(m^1.5) on complete bipartite graphs. Memory O(n + m), and the fill among
/// the remaining distinguishable vertices.
/// Throws bad_graph if there are stages, but not as many as vertices.
[[nodiscard]] inline auto find_elimination_order(undirected_graph const& g, elimination_options const& options = {})
    -> ordered_elimination {
    return *detail::greedy_elimination(g, options.rule, options.stages, std::numeric_limits<std::size_t>::max());
}
/// The same.
template <has_undirected_view Graph>
[[nodiscard]] auto find_elimination_order(Graph const& g, elimination_options const& options = {})
    -> ordered_elimination {
    return find_elimination_order(undirected_graph::of(g), options);
}

}  // namespace repebble::inline v0

#endif
