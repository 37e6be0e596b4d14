#ifndef REPEBBLE_PEBBLING_REPLAY_HPP
#define REPEBBLE_PEBBLING_REPLAY_HPP

// The judge of schedules: plays a schedule by the rules of the pebble game and measures time and memory. Every result
// of the library is checked by it; nothing else defines peak or time.

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/access.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/pebbling/pebble_game.hpp>
#include <repebble/pebbling/replay_clock.hpp>
#include <repebble/pebbling/replay_result.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/violation.hpp>

namespace repebble::inline v0 {

/// A result, or the first violation, with the figures up to it.
struct verdict {
    replay_result result;             ///< up to the end, or to the broken rule
    std::optional<violation> broken;  ///< the first rule that is broken

    /// Whether no rule is broken.
    [[nodiscard]] auto legal() const noexcept -> bool { return !broken.has_value(); }
};

/// Options of a replay.
struct replay_options {
    bool profile = false;  ///< whether the result has the bytes of every step
    /// Values that must be resident in the device pool at the end; where it is empty, every sink must have run once.
    std::vector<value_index> resident_at_end{};
};

namespace detail {

struct judge_fn {
    template <class Clock = serial_clock, class Observer = no_observer>
        requires replay_clock<Clock, std::int64_t>
    [[nodiscard]] auto operator()(dataflow const& flow, schedule<> const& plan, replay_options const& options = {},
                                  Clock clock = {}, Observer&& observer = {}) const -> verdict {
        verdict out;
        auto& r = out.result;
        pebble_game<Clock, Observer> game(flow, clock, observer);
        if (options.profile) r.profile.reserve(plan.steps.size());
        std::size_t played = 0;
        for (; played < plan.steps.size(); ++played) {
            if (!game.play(played, plan.steps[played])) break;
            bytes const during = game.bytes_during_step();
            if (during > r.peak) {
                r.peak = during;
                r.peak_step = played;
            }
            if (options.profile) r.profile.push_back(during);
        }
        if (played == plan.steps.size()) game.finish(played, options.resident_at_end);
        out.broken = game.broken();
        r.time = game.elapsed();
        r.overhead = r.time - flow.time_once();
        r.host_peak = game.host_peak();
        r.recomputations = game.recomputations();
        r.bytes_out = game.bytes_out();
        r.bytes_in = game.bytes_in();
        r.stalls = game.stalls();
        return out;
    }
};

struct replay_fn {
    template <class Clock = serial_clock, class Observer = no_observer>
        requires replay_clock<Clock, std::int64_t>
    auto operator()(dataflow const& flow, schedule<> const& plan, replay_options const& options = {}, Clock clock = {},
                    Observer&& observer = {}) const -> replay_result {
        auto out = judge_fn{}(flow, plan, options, clock, observer);
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

/// Plays a schedule by the rules of the pebble game (Sethi 1975; Bulatov 2018) and returns its time and memory, or its
/// first violation. An operation runs only while all values that it reads are resident; its outputs and its workspace
/// lie beside them. An output that was still resident is replaced when the step ends. Bytes are counted over storages:
/// a storage lives until its last value, owner or view, is discarded, recomputed or written over.
/// O(steps · values per step) time, O(values) space.
inline constexpr detail::judge_fn judge{};

/// As `judge`, but throws illegal_schedule where the schedule breaks a rule.
inline constexpr detail::replay_fn replay{};

}  // namespace repebble::inline v0

#endif
