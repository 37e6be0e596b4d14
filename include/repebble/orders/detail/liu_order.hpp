#ifndef REPEBBLE_ORDERS_DETAIL_LIU_ORDER_HPP
#define REPEBBLE_ORDERS_DETAIL_LIU_ORDER_HPP

// The order of least peak of a tree, by hill-valley segments. J. W. H. Liu: An application of generalized tree pebbling
// to sparse matrix factorization (1987); for chains that merge, H. M. Abdel-Wahab, T. Kameda: Scheduling to minimize
// maximum cumulative cost subject to series-parallel precedence constraints (1978).

#include <optional>
#include <vector>

#include <repebble/graph/access.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/orders/detail/one_shot_game.hpp>
#include <repebble/orders/one_shot_order.hpp>

namespace repebble::inline v0::detail {

struct liu_order_fn {
    [[nodiscard]] auto operator()(dataflow const& flow) const -> std::optional<one_shot_order<>>;
    /// On any computation graph, in terms of its own vertices.
    template <computation_graph Graph, class... W>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w) const
        -> std::optional<one_shot_order<vertex_t<Graph>>> {
        auto const found = (*this)(make_dataflow(g, w));
        if (!found) return std::nullopt;
        auto const by_index = detail::vertices_by_index(g);
        return map_vertices(*found, [&](operation_index v) { return by_index[v]; });
    }

    /// The order of a game, without inputs; nothing where the game is no forest.
    [[nodiscard]] static auto in_game(one_shot_game const& game) -> std::optional<std::vector<operation_index>>;

  private:
    /// Whether each operation is followed by one other at most, or follows one at most, inputs apart, and each storage
    /// that ends has one reader at most.
    [[nodiscard]] static auto is_forest(one_shot_game const& game, bool up) -> bool;
};

/// Returns an order of least peak, as `find_least_peak_order` counts it, where the dataflow is a forest: no value is
/// read by two operations, and each operation is read by one other at most, or reads one other at most; nothing where
/// it is none.  O(n log n).
inline constexpr liu_order_fn liu_order{};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/orders/liu_order.ipp>
#endif

#endif
