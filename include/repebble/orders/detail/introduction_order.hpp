#ifndef REPEBBLE_ORDERS_DETAIL_INTRODUCTION_ORDER_HPP
#define REPEBBLE_ORDERS_DETAIL_INTRODUCTION_ORDER_HPP

// A path decomposition of small width, as the order in which its bags introduce the vertices: each is forgotten once
// all that it is linked to are introduced (N. G. Kinnersley: The vertex separation number of a graph equals its
// path-width, 1992). By beam search. `path_program` uses it.

#include <cstddef>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

struct introduction {
    std::vector<operation_index> order{};  ///< of small cost
    std::size_t tried = 0;                 ///< extensions of partial orders
    double cost = 0;                       ///< the sum of 4^(vertices in the bag)
};

/// An order of all vertices outside `present`; empty where none is found below `most_cost`, or by `most_tried`
/// extensions, or `stop` says so.  width: of the beam, from 1 on.  links: symmetric, in ascending order; none of a
/// vertex that is present. O(width · (n · bag + m)).
[[nodiscard]] auto introduction_order(jagged_array<operation_index> const& links, vertex_set const& present,
                                      std::size_t width, double most_cost, std::size_t most_tried, stop_test stop)
    -> introduction;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/orders/introduction_order.ipp>
#endif

#endif
