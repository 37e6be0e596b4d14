#ifndef REPEBBLE_IMPL_ORDERS_LIU_ORDER_IPP
#define REPEBBLE_IMPL_ORDERS_LIU_ORDER_IPP

#include <repebble/orders/detail/liu_order.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/orders/detail/one_shot_orders.hpp>
#include <repebble/orders/detail/segment_heap.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto liu_order_fn::operator()(dataflow const& flow) const -> std::optional<one_shot_order<>> {
    flow_without_views const merged(flow);
    if (has_alternatives(merged.flow())) return std::nullopt;
    one_shot_game const game(merged.flow());
    auto const found = in_game(game);
    if (!found) return std::nullopt;
    auto const peak = peak_of(game, *found).size;
    return one_shot_order<>{merged.original(*found), peak, peak, 0};
}

REPEBBLE_INLINE auto liu_order_fn::in_game(one_shot_game const& game) -> std::optional<std::vector<operation_index>> {
    bool const up = is_forest(game, true);
    if (!up && !is_forest(game, false)) return std::nullopt;
    auto const n = game.operation_count();
    segment_heap segments(n);
    using index = segment_heap::index;
    std::vector<index> heap(n, segment_heap::none);  // of what flows into the operation
    std::vector<std::uint32_t> waits(n, 0);
    std::vector<operation_index> ready;
    auto const is_present = [&](std::size_t v) { return game.start().contains(v); };
    for (operation_index v = 0; v < n; ++v) {
        if (is_present(v)) continue;
        for (auto const u : up ? game.predecessors(v) : game.successors(v)) waits[v] += is_present(u) ? 0 : 1;
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
            if (is_present(w)) continue;
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
    for (std::size_t k = firsts.size(); k-- > 0;) segments.for_each(firsts[k], [&](index v) { order.push_back(v); });
    if (!up) std::ranges::reverse(order);
    return order;
}

REPEBBLE_INLINE auto liu_order_fn::is_forest(one_shot_game const& game, bool up) -> bool {
    for (std::size_t v = 0; v < game.operation_count(); ++v) {
        std::size_t next = 0;
        for (auto const w : up ? game.successors(v) : game.predecessors(v)) next += game.start().contains(w) ? 0 : 1;
        if (game.most_readers(v) > 1 || (next > 1 && !game.start().contains(v))) return false;
    }
    return true;
}

}  // namespace repebble::inline v0::detail

#endif
