#ifndef REPEBBLE_PEBBLING_LANE_TIMES_HPP
#define REPEBBLE_PEBBLING_LANE_TIMES_HPP

// When each step of a schedule runs on its lane, by the lanes clock: what `replay` sums up, step by step.

#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/clock.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// When the work of a step begins and ends, since the first step could begin.
template <quantity Time>
struct step_span {
    Time begin{};  ///< of the computation or the copy, which has waited before
    Time end{};    ///< when it has ended
    friend constexpr auto operator==(step_span const&, step_span const&) -> bool = default;
};

namespace detail {

struct lane_times_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, schedule<> const& plan, host_link<Time> const& via) const
        -> std::vector<step_span<Time>> {
        collector<Time> found{std::vector<step_span<Time>>(plan.steps.size())};
        static_cast<void>(replay_fn{}(flow, plan, {}, lanes_clock<Time>(via), found));
        return std::move(found.spans);
    }

  private:
    template <quantity Time>
    struct collector {
        std::vector<step_span<Time>> spans;
        void run(std::size_t step, lane, Time begin, Time end) { spans[step] = {begin, end}; }
    };
};

}  // namespace detail

/// The begin and the end of every step of a schedule over a link, in time units; of a discard, which takes no lane,
/// both are 0. Cost and errors are those of `replay` with a `lanes_clock`.
inline constexpr detail::lane_times_fn lane_times{};

}  // namespace repebble::inline v0

#endif
