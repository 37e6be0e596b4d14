#ifndef REPEBBLE_IO_CHROME_TRACE_HPP
#define REPEBBLE_IO_CHROME_TRACE_HPP

// Traces of executions in the trace event format of Chrome and Perfetto.

#include <cstddef>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <repebble/execute/bound_schedule.hpp>
#include <repebble/execute/executor.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0::io {

/// The record of an execution in the trace event format that Chrome's and Perfetto's viewers read: a bar for every step
/// that takes time, and the bytes in use as a counter. `name(step)` is the label of a bar; bytes of it that are not
/// UTF-8 are replaced.
/// Times are microseconds from the first step.  O(steps).  Requires: the record is one of this schedule.
template <class Name>
[[nodiscard]] auto chrome_trace(bound_schedule const& plan, execution_record const& record, Name const& name)
    -> std::string {
    auto events = nlohmann::json::array();
    double now = 0;
    for (std::size_t i = 0; i < plan.step_count(); ++i) {
        auto const s = plan[i];
        auto const duration = static_cast<double>(record.step_nanoseconds[i]) / 1000;
        if (s.what != action::discard) {
            bool const again = s.what == action::compute && s.repetition > 0;
            auto const thread = s.what == action::offload ? 1 : s.what == action::prefetch ? 2 : 0;
            events.push_back({{"name", name(s)},
                              {"cat", again ? "recompute" : to_string(s.what)},
                              {"ph", "X"},
                              {"ts", now},
                              {"dur", duration},
                              {"pid", 0},
                              {"tid", thread},
                              {"args", {{"step", i}, {"repetition", s.repetition}}}});
            if (again) events.back()["cname"] = "terrible";
        }
        events.push_back(
            {{"name", "bytes in use"}, {"ph", "C"}, {"ts", now}, {"pid", 0}, {"args", {{"bytes", record.live[i]}}}});
        now += duration;
    }
    nlohmann::json const whole{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}};
    return whole.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace repebble::inline v0::io

#endif
