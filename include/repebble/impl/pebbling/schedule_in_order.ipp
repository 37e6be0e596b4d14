#ifndef REPEBBLE_IMPL_PEBBLING_SCHEDULE_IN_ORDER_IPP
#define REPEBBLE_IMPL_PEBBLING_SCHEDULE_IN_ORDER_IPP

#include <repebble/pebbling/detail/schedule_in_order.hpp>

#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/pebbling/detail/expand_views.hpp>
#include <repebble/pebbling/make_schedule.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto schedule_in_order(dataflow const& flow, std::span<operation_index const> order)
    -> schedule<> {
    auto const contracted = contract_views(flow);
    vertex_set seen(contracted.flow().operation_count());
    std::vector<operation_index> owners;
    for (auto const v : order) {
        auto const owner = contracted.representative[v];
        if (seen.contains(owner)) continue;
        seen.insert(owner);
        owners.push_back(owner);
    }
    return expand_views(flow, contracted, make_schedule(contracted.flow(), owners));
}

}  // namespace repebble::inline v0::detail

#endif
