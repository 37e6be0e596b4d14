#ifndef REPEBBLE_ORDERS_DETAIL_PATH_PROGRAM_HPP
#define REPEBBLE_ORDERS_DETAIL_PATH_PROGRAM_HPP

// The order of least peak by dynamic programming over a path decomposition. The bags introduce the operations one by
// one; each is put into the partial orders of those before it, at every place that can matter. A partial order is known
// by its characteristic: which operations of the bag it has, in which sequence, where each storage ends so far that has
// readers to come, and the bytes along the stretches between these, as typical sequences (H. L. Bodlaender, T. Kloks:
// Efficient and constructive algorithms for the pathwidth and treewidth of graphs, 1996). Of two partial orders whose
// characteristics differ in bytes alone, one that has nowhere more suffices. Exponential in the width, and linear in
// the operations where bytes are few. Where there are more partial orders than the work allows, those of the lowest
// peaks remain, as in a beam search: then the order need not be the best. `find_least_peak_order` uses it beside the
// valley search, which needs few lower sets and no small width.

#include <cstddef>
#include <optional>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/orders/detail/introduction_order.hpp>
#include <repebble/orders/detail/one_shot_game.hpp>

namespace repebble::inline v0::detail {

struct path_program_result {
    bytes bound = 0;                       ///< no order has a lower peak; 0 where that is not known
    std::vector<operation_index> order{};  ///< below `upper`, without inputs; of peak `bound` where that is not 0
    std::size_t states = 0;                ///< the work, in those of the valley search
};

/// A search for an order of least peak that is run again and again, with more work each time. The game stays.
class path_search {
  public:
    explicit path_search(one_shot_game const& game) : game_(game) {}

    /// Looks for an order whose peak is below `upper`, by about so many states; by four times as many, and
    /// `most_states` at most, where that may prove one. Nothing but `states` where the width is too large, or `stop`
    /// says so. width: of the beam that looks for the path decomposition; only a wider one than before looks again.
    [[nodiscard]] auto run(bytes upper, std::size_t width, std::size_t states, std::size_t most_states, stop_test stop)
        -> path_program_result;

  private:
    [[nodiscard]] auto widen(std::size_t width, double most_cost, std::size_t most_tried, stop_test stop)
        -> std::size_t;

    one_shot_game const& game_;
    std::optional<jagged_array<operation_index>> links_{};
    std::size_t width_ = 0;  // of the widest beam so far
    std::optional<introduction> introduction_{};
    double slack_ = 4;  // of the next program
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/orders/path_program.ipp>
#endif

#endif
