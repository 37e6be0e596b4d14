#ifndef REPEBBLE_IO_CHROME_TRACE_HPP
#define REPEBBLE_IO_CHROME_TRACE_HPP

// Traces of executions and of plans in the trace event format of Chrome and Perfetto.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <repebble/execute/bound_schedule.hpp>
#include <repebble/execute/executor.hpp>
#include <repebble/pebbling/find_lane_times.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0::io {

namespace detail {

/// The row of a step: its lane.
[[nodiscard]] inline auto row_of(action what) -> int {
    return what == action::offload ? 1 : what == action::prefetch ? 2 : 0;
}
/// The name that the viewer writes before a row.
[[nodiscard]] inline auto name_of_row(int row) -> nlohmann::json {
    constexpr std::array names{"computations", "copies out", "copies in"};
    return {{"name", "thread_name"},
            {"ph", "M"},
            {"pid", 0},
            {"tid", row},
            {"args", {{"name", names.at(static_cast<std::size_t>(row))}}}};
}

}  // namespace detail

/// The record of an execution, or a `make_planned_record`, in the trace event format that Chrome's and Perfetto's
/// viewers read: a bar for every step that takes time, and the bytes in use as a counter. Where the schedule copies
/// there are three rows, of computations, copies out and copies in; where the record has spans each bar is where its
/// step ran, else one bar begins when the one before it ends. `name(step)` is the label of a bar; bytes of it that are
/// not UTF-8 are replaced. Times are microseconds from the first step.  O(steps).  Requires: the record is one of this
/// schedule.
template <class Name>
[[nodiscard]] auto chrome_trace_text(bound_schedule const& plan, execution_record const& record, Name const& name)
    -> std::string {
    auto events = nlohmann::json::array();
    auto const microseconds = [](std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; };
    std::int64_t now = 0, counted = 0;
    bool copies = false;
    for (std::size_t i = 0; i < plan.step_count(); ++i) {
        auto const s = plan[i];
        bool const is_discard = s.what == action::discard;
        step_span bar{now, now + record.step_nanoseconds[i]};
        now = bar.end;
        if (!record.spans.empty() && !is_discard) bar = record.spans[i];
        copies = copies || detail::row_of(s.what) > 0;
        if (!is_discard) {
            bool const again = s.what == action::compute && s.repetition > 0;
            events.push_back({{"name", name(s)},
                              {"cat", again ? "recompute" : to_string(s.what)},
                              {"ph", "X"},
                              {"ts", microseconds(bar.begin)},
                              {"dur", microseconds(bar.end - bar.begin)},
                              {"pid", 0},
                              {"tid", detail::row_of(s.what)},
                              {"args", {{"step", i}, {"repetition", s.repetition}}}});
            if (again) events.back()["cname"] = "terrible";
        }
        // Memory follows the list: no step of it takes some before an earlier one.
        if (record.spans.empty() || !is_discard) counted = std::max(counted, bar.begin);
        events.push_back({{"name", "bytes in use"},
                          {"ph", "C"},
                          {"ts", microseconds(counted)},
                          {"pid", 0},
                          {"args", {{"bytes", record.live[i]}}}});
    }
    for (int row = 0; copies && row < 3; ++row) events.push_back(detail::name_of_row(row));
    nlohmann::json const whole{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}};
    return whole.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace repebble::inline v0::io

#endif
