#ifndef REPEBBLE_DECOMPOSITION_MAKE_MINIMAL_HPP
#define REPEBBLE_DECOMPOSITION_MAKE_MINIMAL_HPP

#include <span>

#include <repebble/decomposition/detail/improve/minimal_triangulation.hpp>
#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/elimination_order_of.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0 {

namespace detail {

struct make_minimal_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, std::span<undirected_graph::vertex const> order) const
        -> elimination_order {
        return elimination_order_of(g, minimal_triangulation(g, order).run());
    }
};

}  // namespace detail

/// An elimination order whose fill is minimal and within that of the given order: it adds no edge that the other does
/// not add, and not one of them can be left out (the question of Blair, Heggernes, Telle 2001). Never wider; often of
/// less width.
///
/// A fill edge can be left out just where one bag only has both its ends (Rose, Tarjan, Lueker 1976). Bags with such an
/// edge are split by minimum fill, until there is none. A look at a bag of s vertices takes O(s² / 64 · bags beside it)
/// time, and a split of it that of `min_fill` on a graph of the vertices to which another is missing. There are about
/// as many looks as bags where the order is a good one, whose splits are few: it takes less time than `min_fill` then.
/// A bad one can take far longer: there are at most bags + 2 · fill looks. O(sum of the bags' sizes + m + s²) memory.
/// Throws bad_graph, naming the vertex, where the order does not name every vertex once.
inline constexpr detail::make_minimal_fn make_minimal{};

}  // namespace repebble::inline v0

#endif
