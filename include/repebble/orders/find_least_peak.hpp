#ifndef REPEBBLE_ORDERS_FIND_LEAST_PEAK_HPP
#define REPEBBLE_ORDERS_FIND_LEAST_PEAK_HPP

// The least peak of any schedule, by bisection over exact searches: for small dataflows, as a reference for heuristics
// and allocation.

#include <repebble/graph/access.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/orders/find_optimal_pebbling.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// Bounds on the least peak of all schedules; equal where it is proven.
template <class Vertex = operation_index>
struct peak_bounds {
    bytes lower = 0;                      ///< no schedule has a lower peak
    bytes upper = 0;                      ///< peak of this schedule
    repebble::schedule<Vertex> schedule;  ///< its peak is the upper bound

    friend auto operator==(peak_bounds const&, peak_bounds const&) -> bool = default;
};

namespace detail {

struct find_least_peak_fn {
    [[nodiscard]] auto operator()(dataflow const& flow, optimal_options const& options = {}) const -> peak_bounds<>;

    /// On any computation graph, in terms of its own vertices.
    template <computation_graph Graph, class... W>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w, optimal_options const& options = {}) const
        -> peak_bounds<vertex_t<Graph>> {
        auto const found = (*this)(make_dataflow(g, w), options);
        auto const by_index = detail::vertices_by_index(g);
        return {found.lower, found.upper, map_vertices(found.schedule, [&](operation_index v) { return by_index[v]; })};
    }
};

}  // namespace detail

/// Bounds the least peak of any schedule that `replay` accepts, whatever its time; the bounds are equal unless a search
/// reaches its limit. By bisection of the budget. For dataflows of the kinds and sizes that `find_optimal_pebbling`
/// accepts, which finds a fastest schedule of that peak. Throws as that does.
inline constexpr detail::find_least_peak_fn find_least_peak{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/orders/find_least_peak.ipp>
#endif

#endif
