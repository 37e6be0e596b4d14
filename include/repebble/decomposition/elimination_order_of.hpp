#ifndef REPEBBLE_DECOMPOSITION_ELIMINATION_ORDER_OF_HPP
#define REPEBBLE_DECOMPOSITION_ELIMINATION_ORDER_OF_HPP

// The way back from a tree decomposition to an elimination order. `make_minimal` returns its result by it.

#include <ranges>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/decomposition/verify_decomposition.hpp>
#include <repebble/detail/raise.hpp>

namespace repebble::inline v0 {

namespace detail {

struct elimination_order_of_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, tree_decomposition const& made) const
        -> elimination_order {
        topmost_bags const bags(made, g.vertex_count());
        if (bags.violation()) detail::raise(bad_decomposition(*bags.violation()));
        if (auto const missing = find_violation_fn::find_missing(g, made, bags))
            detail::raise(bad_decomposition(*missing));
        elimination_order order;
        order.reserve(g.vertex_count());
        for (auto const b : bags.order() | std::views::reverse)
            for (auto const v : made.bags[b])
                if (bags.tops()[v] == b) order.push_back(v);
        return order;
    }
};

}  // namespace detail

/// An elimination order that is at most as wide as a tree decomposition of the graph: from the leaves to the root, bag
/// 0, each vertex at its topmost bag.  O(n + m + sum of the bags' sizes).  Throws bad_decomposition if `find_violation`
/// finds one.
inline constexpr detail::elimination_order_of_fn elimination_order_of{};

}  // namespace repebble::inline v0

#endif
