#ifndef REPEBBLE_PEBBLING_DETAIL_ONE_SHOT_ORDERS_HPP
#define REPEBBLE_PEBBLING_DETAIL_ONE_SHOT_ORDERS_HPP

// Orders of a one-shot game: their peak, and the way back to the dataflow with views. `least_peak_order` and `liu_order`
// use it.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <repebble/graph/dataflow/contract_views.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/detail/one_shot_game.hpp>

namespace repebble::inline v0::detail {

/// Whether a value has several producers, of which any one will do.  O(values).
template <quantity Time>
[[nodiscard]] auto has_alternatives(dataflow<Time> const& flow) -> bool {
    for (std::size_t value = 0; value < flow.value_count(); ++value)
        if (flow.producers(value).size() > 1) return true;
    return false;
}

/// The peak of an order, in which inputs are left out.  O(n + m).
[[nodiscard]] inline auto peak_of(one_shot_game const& game, std::span<operation_index const> order) -> bytes {
    auto set = game.start();
    auto peak = std::max(game.start_peak(), game.start_bytes());
    auto resident = game.start_bytes();
    for (auto const v : order) {
        auto const step = game.forward(set.words(), resident, v);
        peak = std::max(peak, step.during);
        resident = step.after;
        set.insert(v);
    }
    return peak;
}

/// The order of the dataflow itself: inputs first, and each view right after the operation into which it is merged.
/// order: of the contracted dataflow, without inputs.  O(n).
template <quantity Time>
[[nodiscard]] auto with_members(contracted_dataflow<Time> const& contracted, std::span<operation_index const> order)
    -> std::vector<operation_index> {
    std::vector<operation_index> all;
    all.reserve(contracted.representative.size());
    auto const& flow = contracted.flow;
    for (auto const v : flow.order())
        if (flow.is_input(v)) all.push_back(contracted.members[v].front());
    for (auto const v : flow.order()) {
        auto const members = contracted.members[v];
        if (flow.is_input(v)) all.insert(all.end(), members.begin() + 1, members.end());
    }
    for (auto const v : order) all.insert(all.end(), contracted.members[v].begin(), contracted.members[v].end());
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
