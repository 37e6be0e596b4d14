#ifndef REPEBBLE_IMPL_TREEWIDTH_MAKE_MINIMAL_IPP
#define REPEBBLE_IMPL_TREEWIDTH_MAKE_MINIMAL_IPP

#include <repebble/treewidth/detail/improve/make_minimal.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/treewidth/detail/graphs/elimination_order_of.hpp>
#include <repebble/treewidth/detail/improve/minimal_triangulation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto make_minimal(undirected_graph const& g, std::span<undirected_graph::vertex const> order)
    -> elimination_order {
    return elimination_order_of(g, detail::minimal_triangulation(g, order).run());
}

}  // namespace repebble::inline v0::detail

#endif
