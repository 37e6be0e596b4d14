#ifndef REPEBBLE_ORDERS_DETAIL_PATH_PROGRAM_HPP
#define REPEBBLE_ORDERS_DETAIL_PATH_PROGRAM_HPP

// The order of least peak by dynamic programming over a path decomposition. The bags introduce the operations one by
// one; each is put into the partial orders of those before it, at every place that can matter. A partial order is known
// by its characteristic: which operations of the bag it has, in which sequence, where each storage ends so far that has
// readers to come, and the bytes along the stretches between these, as typical sequences (H. L. Bodlaender, T. Kloks:
// Efficient and constructive algorithms for the pathwidth and treewidth of graphs, 1996). Of two partial orders whose
// characteristics differ in bytes alone, one that has nowhere more suffices. Exponential in the width, and linear in
// the operations where bytes are few. Where there are more partial orders than the work allows, those of the lowest
// peaks remain, as in a beam search: then the order need not be the best. `path_search` runs it.

#include <cstddef>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/orders/detail/one_shot_game.hpp>

namespace repebble::inline v0::detail {

struct path_program_result {
    bytes bound = 0;                       ///< no order has a lower peak; 0 where that is not known
    std::vector<operation_index> order{};  ///< below `upper`, without inputs; of peak `bound` where that is not 0
    std::size_t states = 0;                ///< the work, in those of the valley search
    bool lacks_slack = false;              ///< a run that leaves states out later may find more
};

/// One run over an introduction, for orders whose peak is below `upper`.  links: which operations have to meet in a
/// bag.  states: about so many, and twice as many at most; nothing but the work done where these do not suffice, or
/// `stop` says so.  slack: an introduction may have so many times its part of the work that is left: most need less.
[[nodiscard]] auto run_path_program(one_shot_game const& game, jagged_array<operation_index> const& links,
                                    std::span<operation_index const> introduction, bytes upper, std::size_t states,
                                    double slack, stop_test stop) -> path_program_result;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/orders/path_program.ipp>
#endif

#endif
