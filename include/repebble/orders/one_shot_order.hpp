#ifndef REPEBBLE_ORDERS_ONE_SHOT_ORDER_HPP
#define REPEBBLE_ORDERS_ONE_SHOT_ORDER_HPP

// The result of the searches for an order of least peak: `find_least_peak_order` and `liu_order`.

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/detail/schedule_in_order.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// An order in which every operation runs once, and bounds on the least peak of such orders.
template <class Vertex = operation_index>
struct one_shot_order {
    std::vector<Vertex> order;  ///< every operation once, after those on which it depends; inputs first
    bytes peak = 0;             ///< bytes, by `replay`, of its `make_schedule`
    bytes lower_bound = 0;      ///< no order has a lower peak
    std::size_t states = 0;     ///< lower sets in the search

    /// Whether no order has a lower peak.
    [[nodiscard]] auto is_proven() const noexcept -> bool { return lower_bound == peak; }
    friend auto operator==(one_shot_order const&, one_shot_order const&) -> bool = default;
};

/// Returns the schedule that runs every operation of a dataflow once, in that order, and discards every value after its
/// last reader; results stay. Views that lie in one storage run right after it is written, wherever the order has them.
/// Steps are in place where the dataflow allows that.  Requires: a topological order of all operations.  O(n + m).
[[nodiscard]] inline auto make_schedule(dataflow const& flow, one_shot_order<> const& of) -> schedule<> {
    return detail::schedule_in_order(flow, of.order);
}

/// The same in terms of other vertices: f(vertex) for every vertex.  O(n).
template <class Vertex, class F>
[[nodiscard]] auto map_vertices(one_shot_order<Vertex> const& from, F&& f) {
    one_shot_order<std::remove_cvref_t<decltype(f(std::declval<Vertex const&>()))>> to{
        .order = {}, .peak = from.peak, .lower_bound = from.lower_bound, .states = from.states};
    to.order.reserve(from.order.size());
    for (auto const& v : from.order) to.order.push_back(f(v));
    return to;
}

}  // namespace repebble::inline v0

#endif
