#ifndef REPEBBLE_VIEWS_BAGS_HPP
#define REPEBBLE_VIEWS_BAGS_HPP

// The bags of a tree decomposition as views of range-v3: all, those with a vertex, and the separators between
// neighbours of the tree.

#include <algorithm>
#include <utility>

#include <range/v3/view/all.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/set_algorithm.hpp>
#include <range/v3/view/transform.hpp>

#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0::views {

namespace detail {

struct bags_fn {
    [[nodiscard]] auto operator()(tree_decomposition const& d) const { return ranges::views::all(d.bags); }
    void operator()(tree_decomposition const&&) const = delete;
};

struct with_vertex_fn {
    [[nodiscard]] constexpr auto operator()(undirected_graph::vertex v) const {
        return ranges::views::filter([v](auto const& bag) { return std::ranges::binary_search(bag, v); });
    }
};

struct separators_fn {
    [[nodiscard]] auto operator()(tree_decomposition const& d) const {
        return ranges::views::transform(d.edges, [&bags = d.bags](auto const& edge) {
            return ranges::views::set_intersection(bags[edge.first], bags[edge.second]);
        });
    }
    void operator()(tree_decomposition const&&) const = delete;
};

}  // namespace detail

/// The bags of a tree decomposition, each ascending, as a random-access view. The decomposition must outlive it.  O(1).
inline constexpr detail::bags_fn bags{};

/// The bags of a range that contain a vertex: `bags(d) | with_vertex(v)`. Each bag ascends.  O(log size) per bag.
inline constexpr detail::with_vertex_fn with_vertex{};

/// For each edge of the tree, in their order, a view of the vertices that its two bags have in common, ascending: these
/// separate the graph. The decomposition must outlive it.  O(size of both bags) per edge.
inline constexpr detail::separators_fn separators{};

}  // namespace repebble::inline v0::views

#endif
