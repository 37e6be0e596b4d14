#ifndef REPEBBLE_DETAIL_NEEDED_UNTIL_HPP
#define REPEBBLE_DETAIL_NEEDED_UNTIL_HPP

// How long values can be of use when operations run in an order and are recomputed where their outputs are missing. The
// evictions of the strategies and of the planner discard by it.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace repebble::inline v0::detail {

/// Returns, by value, the last position of the order at which an operation can read it, as the operation there or in a
/// recomputation for it; 0 where none can. inputs(v), outputs(v): the values of an operation; recomputes_until(v, x):
/// the last position at which v may recompute its output x; 0: it never does.  O(n + m).  Requires: each operation
/// comes after the producers of its inputs.
template <class Order, class Inputs, class Outputs, class RecomputesUntil>
[[nodiscard]] auto needed_until(std::size_t value_count, Order const& order, Inputs const& inputs,
                                Outputs const& outputs, RecomputesUntil const& recomputes_until)
    -> std::vector<std::size_t> {
    std::vector<std::size_t> until(value_count, 0);
    for (auto k = order.size(); k-- > 0;) {
        auto last = k;
        for (auto const x : outputs(order[k])) last = std::max(last, std::min(until[x], recomputes_until(order[k], x)));
        for (auto const x : inputs(order[k])) until[x] = std::max(until[x], last);
    }
    return until;
}

}  // namespace repebble::inline v0::detail

#endif
