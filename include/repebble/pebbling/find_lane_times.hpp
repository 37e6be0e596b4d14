#ifndef REPEBBLE_PEBBLING_FIND_LANE_TIMES_HPP
#define REPEBBLE_PEBBLING_FIND_LANE_TIMES_HPP

// When each step of a schedule runs on its lane, by the lanes clock: what `replay` sums up, step by step.

#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// When the work of a step begins and ends, since the first step could begin.
struct step_span {
    std::int64_t begin{};  ///< of the computation or the copy, which has waited before
    std::int64_t end{};    ///< when it has ended
    friend constexpr auto operator==(step_span const&, step_span const&) -> bool = default;
};

/// The begin and the end of every step of a schedule over a link, in time units; of a discard, which takes no lane,
/// both are 0. Cost and errors are those of `replay` with a `lanes_clock`.
[[nodiscard]] auto find_lane_times(dataflow const& flow, schedule<> const& plan, host_link const& via)
    -> std::vector<step_span>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pebbling/find_lane_times.ipp>
#endif

#endif
