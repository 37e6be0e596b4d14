#ifndef REPEBBLE_IMPL_PEBBLING_FIND_LANE_TIMES_IPP
#define REPEBBLE_IMPL_PEBBLING_FIND_LANE_TIMES_IPP

#include <repebble/pebbling/find_lane_times.hpp>

#include <cstddef>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/replay_clock.hpp>

namespace repebble::inline v0::detail {

struct collector {
    std::vector<step_span> spans;
    void run(std::size_t step, lane, std::int64_t begin, std::int64_t end) { spans[step] = {begin, end}; }
};

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto find_lane_times(dataflow const& flow, schedule<> const& plan, host_link const& via)
    -> std::vector<step_span> {
    detail::collector found{std::vector<step_span>(plan.steps.size())};
    static_cast<void>(replay(flow, plan, {}, lanes_clock(via), found));
    return std::move(found.spans);
}

}  // namespace repebble::inline v0

#endif
