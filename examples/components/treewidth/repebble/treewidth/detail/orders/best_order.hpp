#ifndef REPEBBLE_TREEWIDTH_DETAIL_ORDERS_BEST_ORDER_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_ORDERS_BEST_ORDER_HPP

// Result type of the portfolio of elimination heuristics, shared by `best_elimination`, `find_treewidth` and their
// starting orders.

#include <cstddef>
#include <string>

#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0::detail {

/// An elimination order, its width, and the heuristic that found it.
struct best_order {
    elimination_order order{};  ///< the best one found
    std::size_t width = 0;      ///< of that order
    std::string heuristic{};    ///< the name of the heuristic that found it

    friend auto operator==(best_order const&, best_order const&) -> bool = default;
};

}  // namespace repebble::inline v0::detail

#endif
