#ifndef REPEBBLE_TESTS_SUPPORT_ONE_SHOT_ORDERS_HPP
#define REPEBBLE_TESTS_SUPPORT_ONE_SHOT_ORDERS_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/orders/one_shot_order.hpp>
#include <repebble/pebbling/detail/schedule_in_order.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/brute_order.hpp"

namespace support {

using namespace repebble;

[[nodiscard]] inline auto one_shot_flow(one_shot_case const& c) -> dataflow {
    auto const listed = [](auto const& list) { return [&list](int v) { return list[static_cast<std::size_t>(v)]; }; };
    auto const stays = [&](int v) { return c.stays[static_cast<std::size_t>(v)] != 0; };
    return make_dataflow(c.graph, weights{unit_weight{}, listed(c.memory), listed(c.workspace), unit_weight{}, stays});
}

/// Whether the order is one of the dataflow, and its peak and bound are as they say.
[[nodiscard]] inline auto holds(dataflow const& flow, one_shot_order<> const& found) -> bool {
    if (found.order.size() != flow.operation_count() || found.lower_bound > found.peak) return false;
    auto const judged = verify_schedule(flow, make_schedule(flow, found));
    return judged && judged.result.peak == found.peak && judged.result.recomputations == 0;
}

/// The least peak of all orders, by replay.  O(n · n!).
[[nodiscard]] inline auto all_orders_peak(dataflow const& flow) -> bytes {
    std::vector<operation_index> order(flow.operation_count());
    std::iota(order.begin(), order.end(), operation_index{0});
    auto least = std::numeric_limits<bytes>::max();
    do {
        std::vector<std::size_t> position(order.size());
        for (std::size_t k = 0; k < order.size(); ++k) position[order[k]] = k;
        bool legal = true;
        for (operation_index v = 0; v < order.size(); ++v)
            for (auto const u : flow.graph().predecessors(v)) legal = legal && position[u] < position[v];
        if (legal) least = std::min(least, replay(flow, detail::schedule_in_order(flow, order)).peak);
    } while (std::ranges::next_permutation(order).found);
    return least;
}

}  // namespace support

#endif
