#ifndef REPEBBLE_PEBBLING_LIU_ORDER_HPP
#define REPEBBLE_PEBBLING_LIU_ORDER_HPP

// The order of least peak of a tree, by hill-valley segments. J. W. H. Liu: An application of generalized tree pebbling
// to sparse matrix factorization (1987); for chains that merge, H. M. Abdel-Wahab, T. Kameda: Scheduling to minimize
// maximum cumulative cost subject to series-parallel precedence constraints (1978).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/access.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/pebbling/detail/one_shot_game.hpp>
#include <repebble/pebbling/detail/one_shot_orders.hpp>
#include <repebble/pebbling/detail/segment_heap.hpp>
#include <repebble/pebbling/one_shot_order.hpp>

namespace repebble::inline v0 {

namespace detail {

struct liu_order_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow) const -> std::optional<one_shot_order<>> {
        flow_without_views<Time> const merged(flow);
        if (has_alternatives(merged.flow())) return std::nullopt;
        one_shot_game const game(merged.flow());
        auto const found = in_game(game);
        if (!found) return std::nullopt;
        auto const peak = peak_of(game, *found).size;
        return one_shot_order<>{merged.original(*found), peak, peak, 0};
    }
    /// On any computation graph, in terms of its own vertices.
    template <computation_graph Graph, class... W>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w) const
        -> std::optional<one_shot_order<vertex_t<Graph>>> {
        auto const found = (*this)(make_dataflow(g, w));
        if (!found) return std::nullopt;
        auto const by_index = vertices_by_index(g);
        return map_vertices(*found, [&](operation_index v) { return by_index[v]; });
    }

    /// The order of a game, without inputs; nothing where the game is no forest.
    [[nodiscard]] static auto in_game(one_shot_game const& game) -> std::optional<std::vector<operation_index>> {
        bool const up = is_forest(game, true);
        if (!up && !is_forest(game, false)) return std::nullopt;
        auto const n = game.operation_count();
        segment_heap segments(n);
        using index = segment_heap::index;
        std::vector<index> heap(n, segment_heap::none);  // of what flows into the operation
        std::vector<std::uint32_t> waits(n, 0);
        std::vector<operation_index> ready;
        auto const is_input = [&](std::size_t v) { return game.start().contains(v); };
        for (operation_index v = 0; v < n; ++v) {
            if (is_input(v)) continue;
            for (auto const u : up ? game.predecessors(v) : game.successors(v)) waits[v] += is_input(u) ? 0 : 1;
            if (waits[v] == 0) ready.push_back(v);
        }
        index all = segment_heap::none;
        while (!ready.empty()) {  // the last first: what it flows into is near
            auto const v = ready.back();
            ready.pop_back();
            auto const step = game.in_forest(v, up);
            auto joined = segments.make(v, step.during, step.after);
            auto& before = heap[v];
            // The segments that `v` follows are its heap: the last ones join it where they would not run before it.
            while (before != segment_heap::none && !segments.precedes(before, joined)) {
                auto const last = before;
                before = segments.pop(before);
                joined = segments.join(last, joined);
            }
            before = segments.meld(before, joined);
            bool is_root = true;
            for (auto const w : up ? game.successors(v) : game.predecessors(v)) {
                if (is_input(w)) continue;
                is_root = false;
                heap[w] = segments.meld(heap[w], before);
                if (--waits[w] == 0) ready.push_back(w);
            }
            if (is_root) all = segments.meld(all, before);
        }
        std::vector<index> firsts;
        for (; all != segment_heap::none; all = segments.pop(all)) firsts.push_back(all);
        std::vector<operation_index> order;
        order.reserve(n);
        for (std::size_t k = firsts.size(); k-- > 0;)
            segments.for_each(firsts[k], [&](index v) { order.push_back(v); });
        if (!up) std::ranges::reverse(order);
        return order;
    }

  private:
    /// Whether each operation is followed by one other at most, or follows one at most, inputs apart, and each storage
    /// that ends has one reader at most.
    [[nodiscard]] static auto is_forest(one_shot_game const& game, bool up) -> bool {
        for (std::size_t v = 0; v < game.operation_count(); ++v) {
            std::size_t next = 0;
            for (auto const w : up ? game.successors(v) : game.predecessors(v))
                next += game.start().contains(w) ? 0 : 1;
            if (game.most_readers(v) > 1 || (next > 1 && !game.start().contains(v))) return false;
        }
        return true;
    }
};

}  // namespace detail

/// Returns an order of least peak, as `least_peak_order` counts it, where the dataflow is a forest: no value is read by
/// two operations, and each operation is read by one other at most, or reads one other at most; nothing where it is
/// none.  O(n log n).
inline constexpr detail::liu_order_fn liu_order{};

}  // namespace repebble::inline v0

#endif
