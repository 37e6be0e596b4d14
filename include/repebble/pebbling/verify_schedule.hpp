#ifndef REPEBBLE_PEBBLING_VERIFY_SCHEDULE_HPP
#define REPEBBLE_PEBBLING_VERIFY_SCHEDULE_HPP

// The judge of schedules: plays a schedule by the rules of the pebble game and measures time and memory. Every result
// of the library is checked by it; nothing else defines peak or time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/observer.hpp>
#include <repebble/pebbling/pebble_game.hpp>
#include <repebble/pebbling/replay_clock.hpp>
#include <repebble/pebbling/replay_result.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/violation.hpp>

namespace repebble::inline v0 {

/// A result, or the first violation, with the figures up to it.
struct schedule_verdict {
    replay_result result;             ///< up to the end, or to the broken rule
    std::optional<violation> broken;  ///< the first rule that is broken

    /// Whether no rule is broken.
    [[nodiscard]] explicit operator bool() const noexcept { return !broken.has_value(); }
    /// The violation in one sentence; empty where there is none.
    [[nodiscard]] auto message() const -> std::string { return broken ? broken->message : ""; }
};

/// Options of a replay.
struct replay_options {
    bool profile = false;  ///< whether the result has the bytes of every step
    /// Values that must be resident in the device pool at the end; where it is empty, every sink must have run once.
    std::vector<value_index> resident_at_end{};
};

namespace detail {

struct verify_schedule_fn {
    template <class Clock = serial_clock, class Observer = no_observer>
        requires replay_clock<Clock, std::int64_t>
    [[nodiscard]] auto operator()(dataflow const& flow, schedule<> const& plan, replay_options const& options = {},
                                  Clock clock = {}, Observer&& observer = {}) const -> schedule_verdict {
        return std::move(*until(never_stop{}, flow, plan, options, clock, observer));
    }
    /// The same; nothing where stop() returns true before the end.
    template <class Stop, class Clock = serial_clock, class Observer = no_observer>
    [[nodiscard]] static auto until(Stop const& stop, dataflow const& flow, schedule<> const& plan,
                                    replay_options const& options = {}, Clock clock = {}, Observer&& observer = {})
        -> std::optional<schedule_verdict> {
        constexpr std::size_t often = 1U << 16U;  // steps between two questions
        schedule_verdict out;
        auto& r = out.result;
        pebble_game<Clock, Observer> game(flow, clock, observer);
        if (options.profile) r.profile.reserve(plan.steps.size());
        std::size_t played = 0;
        for (; played < plan.steps.size(); ++played) {
            if (played % often == often - 1 && stop()) return std::nullopt;
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

}  // namespace detail

/// Plays a schedule by the rules of the pebble game (Sethi 1975; Bulatov 2018) and returns its time and memory, or its
/// first violation. An operation runs only while all values that it reads are resident; its outputs and its workspace
/// lie beside them. An output that was still resident is replaced when the step ends. Bytes are counted over storages:
/// a storage lives until its last value, owner or view, is discarded, recomputed or written over.
/// O(steps · values per step) time, O(values) space.
inline constexpr detail::verify_schedule_fn verify_schedule{};

}  // namespace repebble::inline v0

#endif
