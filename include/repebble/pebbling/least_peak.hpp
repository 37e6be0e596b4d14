#ifndef REPEBBLE_PEBBLING_LEAST_PEAK_HPP
#define REPEBBLE_PEBBLING_LEAST_PEAK_HPP

// The least peak of any schedule, by bisection over exact searches: for small dataflows, as a reference for heuristics
// and allocation.

#include <algorithm>
#include <cstddef>
#include <utility>

#include <repebble/graph/access.hpp>
#include <repebble/graph/dataflow/contract_views.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/reweigh.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/pebbling/detail/granule.hpp>
#include <repebble/pebbling/detail/pebbling_search.hpp>
#include <repebble/pebbling/detail/small_game.hpp>
#include <repebble/pebbling/expand_views.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/optimal_pebbling.hpp>
#include <repebble/pebbling/replay.hpp>
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

struct least_peak_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, optimal_options const& options = {}) const
        -> peak_bounds<> {
        auto const contracted = contract_views(flow);
        auto const& merged = contracted.flow;
        // With all times 0 the search decides feasibility only, and recomputation is free.
        small_game<Time> const game(reweigh(
            merged, [](operation_index) { return Time{}; }, [&](operation_index v) { return merged.workspace(v); }));
        auto best = liveness(merged);
        peak_bounds<> result{.lower = 0, .upper = replay(merged, best).peak, .schedule = {}};
        for_each_bit(game.demanded(0),
                     [&](std::size_t v) { result.lower = std::max(result.lower, game.needed_by(v)); });
        bytes const unit = granule(merged);  // every peak is a multiple of it
        for (bytes low = result.lower; low < result.upper;) {
            bytes const budget = low + (result.upper - low) / 2 / unit * unit;
            pebbling_search<Time> search(game, budget);
            auto const end = search.run(options.state_limit);
            if (end == pebbling_end::found) {
                best = liveness(merged, search.computations());
                result.upper = replay(merged, best).peak;
                REPEBBLE_ASSERT(result.upper <= budget);
            } else {
                low = budget + unit;
                if (end == pebbling_end::impossible) result.lower = low;
            }
        }
        result.schedule = expand_views(flow, contracted, best);
        return result;
    }

    /// On any computation graph, in terms of its own vertices.
    template <computation_graph Graph, class... W>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w, optimal_options const& options = {}) const
        -> peak_bounds<vertex_t<Graph>> {
        auto const found = (*this)(make_dataflow(g, w), options);
        auto const by_index = vertices_by_index(g);
        return {found.lower, found.upper, map_vertices(found.schedule, [&](operation_index v) { return by_index[v]; })};
    }
};

}  // namespace detail

/// Bounds the least peak of any schedule that `replay` accepts, whatever its time; the bounds are equal unless a search
/// reaches its limit. By bisection of the budget. For dataflows of the kinds and sizes that `optimal_pebbling` accepts,
/// which finds a fastest schedule of that peak. Throws as that does.
inline constexpr detail::least_peak_fn least_peak{};

}  // namespace repebble::inline v0

#endif
