#ifndef REPEBBLE_EXECUTE_PLANNED_RECORD_HPP
#define REPEBBLE_EXECUTE_PLANNED_RECORD_HPP

// The record of an execution over a link in which all takes as long as the judge says: to look at a plan before it
// runs.

#include <algorithm>
#include <cstdint>
#include <utility>

#include <repebble/execute/executor.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/lane_times.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

namespace detail {

struct planned_record_fn {
    [[nodiscard]] auto operator()(dataflow<> const& flow, schedule<> const& plan,
                                  host_link<std::int64_t> const& via) const -> execution_record {
        execution_record record{.spans = lane_times(flow, plan, via)};
        for (auto const& s : record.spans) {
            record.step_nanoseconds.push_back(s.end - s.begin);
            record.nanoseconds = std::max(record.nanoseconds, s.end);
        }
        auto judged = replay(flow, plan, {.profile = true});
        record.peak_live = judged.peak;
        record.live = std::move(judged.profile);
        return record;
    }
};

}  // namespace detail

/// A record with the spans of `lane_times`, the bytes of `replay` and the makespan as `nanoseconds`; addresses are not
/// known. Times are those of the dataflow, to be nanoseconds.  Cost and errors are those of `replay`.
inline constexpr detail::planned_record_fn planned_record{};

}  // namespace repebble::inline v0

#endif
