#ifndef REPEBBLE_PEBBLING_SCHEDULE_IN_ORDER_HPP
#define REPEBBLE_PEBBLING_SCHEDULE_IN_ORDER_HPP

// The schedule of an order in which every operation runs once. `liveness` decides the discards; views are merged first,
// so that a value can be written over though it has a view.

#include <cstddef>
#include <span>
#include <vector>

#include <repebble/graph/dataflow/contract_views.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/pebbling/expand_views.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

namespace detail {

struct schedule_in_order_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, std::span<operation_index const> order) const
        -> schedule<> {
        auto const contracted = contract_views(flow);
        vertex_set seen(contracted.flow.operation_count());
        std::vector<operation_index> owners;
        for (auto const v : order) {
            auto const owner = contracted.representative[v];
            if (seen.contains(owner)) continue;
            seen.insert(owner);
            owners.push_back(owner);
        }
        return expand_views(flow, contracted, liveness(contracted.flow, owners));
    }
};

}  // namespace detail

/// Returns the schedule that runs every operation of a dataflow once, in that order, and discards every value after its
/// last reader; results stay. Views that lie in one storage run right after it is written, wherever the order has them.
/// Steps are in place where the dataflow allows that.  Requires: a topological order of all operations.  O(n + m).
inline constexpr detail::schedule_in_order_fn schedule_in_order{};

}  // namespace repebble::inline v0

#endif
