#ifndef REPEBBLE_IMPL_TREEWIDTH_ELIMINATION_ORDER_OF_IPP
#define REPEBBLE_IMPL_TREEWIDTH_ELIMINATION_ORDER_OF_IPP

#include <repebble/treewidth/detail/graphs/elimination_order_of.hpp>

#include <ranges>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/treewidth/verify_decomposition.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto elimination_order_of(undirected_graph const& g, tree_decomposition const& made)
    -> elimination_order {
    detail::topmost_bags const bags(made, g.vertex_count());
    if (bags.violation()) detail::raise(bad_decomposition(*bags.violation()));
    if (auto const missing = detail::find_missing(g, made, bags)) detail::raise(bad_decomposition(*missing));
    elimination_order order;
    order.reserve(g.vertex_count());
    for (auto const b : bags.order() | std::views::reverse)
        for (auto const v : made.bags[b])
            if (bags.tops()[v] == b) order.push_back(v);
    return order;
}

}  // namespace repebble::inline v0::detail

#endif
