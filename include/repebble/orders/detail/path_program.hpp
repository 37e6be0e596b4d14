#ifndef REPEBBLE_ORDERS_DETAIL_PATH_PROGRAM_HPP
#define REPEBBLE_ORDERS_DETAIL_PATH_PROGRAM_HPP

// The order of least peak by dynamic programming over a path decomposition. The bags introduce the operations one by
// one; each is put into the partial orders of those before it, at every place that can matter. A partial order is known
// by its characteristic: which operations of the bag it has, in which sequence, where each storage ends so far that has
// readers to come, and the bytes along the stretches between these, as typical sequences (H. L. Bodlaender, T. Kloks:
// Efficient and constructive algorithms for the pathwidth and treewidth of graphs, 1996). Of two partial orders whose
// characteristics differ in bytes alone, one that has nowhere more suffices. Exponential in the width, and linear in
// the operations where bytes are few. `find_least_peak_order` uses it beside the valley search, which needs few lower
// sets and no small width.

#include <cstddef>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/orders/detail/one_shot_game.hpp>

namespace repebble::inline v0::detail {

struct path_program_result {
    bytes bound = 0;                       ///< no order has a lower peak; 0 where a limit came first
    std::vector<operation_index> order{};  ///< of peak `bound`, without inputs; empty where none is below `upper`
    std::size_t states = 0;                ///< the work, in those of the valley search
};

/// Searches for an order of least peak below `upper`.  width: of the beam that looks for the path decomposition.
/// Nothing but `states` where these would be more than `most_states`, or where `stop` says so.
[[nodiscard]] auto solve_over_path(one_shot_game const& game, bytes upper, std::size_t width, std::size_t most_states,
                                   stop_test stop) -> path_program_result;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/orders/path_program.ipp>
#endif

#endif
