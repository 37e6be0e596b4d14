#ifndef REPEBBLE_DECOMPOSITION_GREEDY_ELIMINATION_HPP
#define REPEBBLE_DECOMPOSITION_GREEDY_ELIMINATION_HPP

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

namespace detail {

struct greedy_elimination_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, elimination_rule const& rule,
                                  std::span<std::uint32_t const> stages = {}) const -> ordered_elimination {
        return *within(std::numeric_limits<std::size_t>::max(), g, rule, stages);
    }
    /// The same; nullopt as soon as the width exceeds `width_limit`, or when is_over() returns true.
    template <class IsOver = never_stop>
    [[nodiscard]] auto within(std::size_t width_limit, undirected_graph const& g, elimination_rule const& rule,
                              std::span<std::uint32_t const> stages = {}, IsOver const& is_over = {}) const
        -> std::optional<ordered_elimination> {
        if (!stages.empty() && stages.size() != g.vertex_count())
            detail::raise(bad_graph(std::to_string(stages.size()) + " stages for " + std::to_string(g.vertex_count()) +
                                    " vertices"));
        ordered_elimination made;
        made.order.reserve(g.vertex_count());
        auto const width = sparse_fill(g, rule, stages).run(made.order, width_limit, is_over);
        if (!width) return std::nullopt;
        made.width = *width;
        return made;
    }
    template <has_undirected_view Graph>
    [[nodiscard]] auto operator()(Graph const& g, elimination_rule const& rule,
                                  std::span<std::uint32_t const> stages = {}) const -> ordered_elimination {
        return (*this)(undirected_graph::of(g), rule, stages);
    }
};

/// Greedy elimination by a fixed rule.
template <elimination_rule const& Rule>
struct elimination_by_fn {
    template <class Graph>
        requires requires(Graph const& g) { greedy_elimination_fn{}(g, Rule); }
    [[nodiscard]] auto operator()(Graph const& g) const -> ordered_elimination {
        return greedy_elimination_fn{}(g, Rule);
    }
};

}  // namespace detail

/// An elimination order that always takes a vertex of least score. Scores are exact at every step, and
/// indistinguishable vertices are eliminated together.
///
/// Takes an undirected graph, or any graph that has an undirected view, and optionally a stage for each vertex: earlier
/// stages are eliminated first. Equal inputs give equal orders. Time grows with the fill: nearly O(n + m) where there
/// is little; what becomes dense goes on in a bit matrix, O(r³ / 64) with r distinguishable vertices left, which is
/// O(m^1.5) on complete bipartite graphs. Memory O(n + m), and the fill among the remaining distinguishable vertices.
/// Throws bad_graph if there are not as many stages as vertices.
inline constexpr detail::greedy_elimination_fn greedy_elimination{};

/// Minimum fill: always a vertex whose neighbours lack the fewest edges. Bulatov 2018 finds the separators of neural
/// networks by it ("Support general graphs"). Same as greedy_elimination(g, least_fill).
inline constexpr detail::elimination_by_fn<least_fill> min_fill{};

/// Minimum degree: always a vertex with the fewest neighbours. Same as greedy_elimination(g, least_degree).
inline constexpr detail::elimination_by_fn<least_degree> min_degree{};

}  // namespace repebble::inline v0

#endif
