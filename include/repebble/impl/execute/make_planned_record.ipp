#ifndef REPEBBLE_IMPL_EXECUTE_MAKE_PLANNED_RECORD_IPP
#define REPEBBLE_IMPL_EXECUTE_MAKE_PLANNED_RECORD_IPP

#include <repebble/execute/make_planned_record.hpp>

#include <algorithm>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/pebbling/find_lane_times.hpp>
#include <repebble/pebbling/replay.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto make_planned_record(dataflow const& flow, schedule<> const& plan, host_link const& via)
    -> execution_record {
    execution_record record{.spans = find_lane_times(flow, plan, via)};
    for (auto const& s : record.spans) {
        record.step_nanoseconds.push_back(s.end - s.begin);
        record.nanoseconds = std::max(record.nanoseconds, s.end);
    }
    auto judged = replay(flow, plan, {.profile = true});
    record.peak_live = judged.peak;
    record.live = std::move(judged.profile);
    return record;
}

}  // namespace repebble::inline v0

#endif
