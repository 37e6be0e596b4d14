#ifndef REPEBBLE_ORDERS_DETAIL_PATH_SEARCH_HPP
#define REPEBBLE_ORDERS_DETAIL_PATH_SEARCH_HPP

// The search for an order of least peak by the dynamic program over a path decomposition (path_program.hpp): looks for
// a decomposition, and runs the program again with more work and another slack while that may help.
// `find_least_peak_order` uses it beside the valley search, which needs few lower sets and no small width.

#include <cstddef>
#include <optional>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/orders/detail/introduction_order.hpp>
#include <repebble/orders/detail/one_shot_game.hpp>
#include <repebble/orders/detail/path_program.hpp>

namespace repebble::inline v0::detail {

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
#include <repebble/impl/orders/path_search.ipp>
#endif

#endif
