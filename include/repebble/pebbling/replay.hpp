#ifndef REPEBBLE_PEBBLING_REPLAY_HPP
#define REPEBBLE_PEBBLING_REPLAY_HPP

// Time and memory of a schedule that is legal; one that is not is an exception. Every plan has its cost from here.

#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/access.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/pebbling/replay_clock.hpp>
#include <repebble/pebbling/replay_result.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/verify_schedule.hpp>
#include <repebble/pebbling/violation.hpp>

namespace repebble::inline v0 {

namespace detail {

struct replay_fn {
    template <class Clock = serial_clock, class Observer = no_observer>
        requires replay_clock<Clock, std::int64_t>
    auto operator()(dataflow const& flow, schedule<> const& plan, replay_options const& options = {}, Clock clock = {},
                    Observer&& observer = {}) const -> replay_result {
        auto out = verify_schedule_fn{}(flow, plan, options, clock, observer);
        if (out.broken) detail::raise(illegal_schedule(std::move(*out.broken)));
        return std::move(out.result);
    }

    /// On any computation graph, in terms of its own vertices.
    template <computation_graph Graph, class... W>
        requires weights_for<weights<W...>, Graph>
    auto operator()(Graph const& g, schedule<vertex_t<Graph>> const& plan, weights<W...> const& w,
                    replay_options const& options = {}) const {
        return on_graph(g, plan, w, [&](auto const& flow, auto const& steps) { return (*this)(flow, steps, options); });
    }
    /// The same on another clock.
    template <computation_graph Graph, class... W, class Clock>
        requires weights_for<weights<W...>, Graph>
    auto operator()(Graph const& g, schedule<vertex_t<Graph>> const& plan, weights<W...> const& w,
                    replay_options const& options, Clock const& clock) const {
        return on_graph(g, plan, w,
                        [&](auto const& flow, auto const& steps) { return (*this)(flow, steps, options, clock); });
    }

  private:
    template <class Graph, class Weights, class Replay>
    static auto on_graph(Graph const& g, schedule<vertex_t<Graph>> const& plan, Weights const& w, Replay&& run) {
        auto const to_index = [&](auto const& v) { return static_cast<operation_index>(vertex_index(g, v)); };
        return run(make_dataflow(g, w), map_vertices(plan, to_index));
    }
};

}  // namespace detail

/// Plays a schedule as `verify_schedule` does and returns its time and memory.  Throws illegal_schedule where it breaks
/// a rule.  O(steps · values per step) time, O(values) space.
inline constexpr detail::replay_fn replay{};

}  // namespace repebble::inline v0

#endif
