#ifndef REPEBBLE_ORDERS_DETAIL_GRANULE_HPP
#define REPEBBLE_ORDERS_DETAIL_GRANULE_HPP

// The unit in which peaks differ: searches over budgets skip those that no schedule has. `find_least_peak` and
// `find_least_peak_order` use it.

#include <algorithm>
#include <cstddef>
#include <numeric>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Bytes of which every size and workspace, and so every peak, is a multiple; at least 1.  O(values + operations).
[[nodiscard]] inline auto granule(dataflow const& flow) -> bytes {
    bytes common = 0;
    for (std::size_t x = 0; x < flow.value_count(); ++x) common = std::gcd(common, flow.size(x));
    for (std::size_t v = 0; v < flow.operation_count(); ++v) common = std::gcd(common, flow.workspace(v));
    return std::max<bytes>(common, 1);
}

}  // namespace repebble::inline v0::detail

#endif
