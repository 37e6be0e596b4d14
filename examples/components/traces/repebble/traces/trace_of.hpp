#ifndef REPEBBLE_TRACES_TRACE_OF_HPP
#define REPEBBLE_TRACES_TRACE_OF_HPP

// Traces of schedules: of any plan of any network with the times of the judge, or with the times that an executor
// recorded (section 4.1 of Chen: "we first train for a few iterations and collect outputs of GPU operations").

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer_walk.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/execute/executor.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/traces/trace.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

namespace detail {

/// Walks a legal schedule and writes its trace. Variables are the buffers of `find_lifetimes`, under the same numbers.
class trace_writer {
  public:
    trace_writer(dataflow const& flow, schedule<> const& plan)
        : flow_(flow), plan_(plan), found_(replay_lifetimes(flow, plan, 1, 1)), walk_(flow) {
        for (auto const& b : found_.device.buffers) trace_.sizes.push_back(b.size);
    }

    /// `duration(i)` is that of step i.
    template <class Duration>
    [[nodiscard]] auto write(Duration const& duration) -> trace {
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
            auto const& s = plan_.steps[i];
            if (s.what == action::offload || s.what == action::prefetch)
                raise(bad_trace("step " + std::to_string(i) + " copies; a trace is made of a schedule without copies"));
            if (s.what == action::discard)
                end_buffers(i);
            else
                compute(i, s, duration(i));
        }
        trace_.duration = now_;
        return std::move(trace_);
    }
    /// The operation of every computation; empty until the trace is written.
    [[nodiscard]] auto operations() && -> std::vector<operation_index> { return std::move(operations_); }

  private:
    void add(trace_action what, std::size_t buffer, computation_index by = no_computation) {
        trace_.rows.push_back({now_, what, static_cast<variable_index>(buffer), by});
    }
    void end_buffers(std::size_t step) {
        for (auto const b : found_.ends[step]) add(trace_action::free, b);
    }
    void compute(std::size_t i, step<> const& s, std::int64_t duration);
    /// Adds the buffers of a value, each once.
    void note(std::vector<std::size_t>& to, value_index value) const {
        for (auto const b : walk_.buffers_of(value))
            if (std::ranges::find(to, b) == to.end()) to.push_back(b);
    }

    dataflow const& flow_;
    schedule<> const& plan_;
    replayed_lifetimes found_;
    buffer_walk walk_;
    trace trace_;
    std::vector<operation_index> operations_{};  // of every computation
    std::int64_t now_ = 0;
    std::vector<std::size_t> read_, written_;
};

}  // namespace detail

/// The trace of a schedule: `trace_of(flow, plan)` with the judge's times, `trace_of(flow, plan, record)` with the
/// nanoseconds that an executor recorded for each step, or with any times of the steps. Each storage and each workspace
/// is a variable, under its number in `find_lifetimes`; each computation mallocs its outputs and workspace, then reads,
/// then writes, and lasts until the next row. Inputs have memory from the beginning. The trace's peak is that of the
/// schedule.  O(steps · values per step).  Throws illegal_schedule where the schedule breaks a rule, bad_trace where it
/// copies between pools, or where there is not one time ≥ 0 for each step.
[[nodiscard]] inline auto trace_of(dataflow const& flow, schedule<> const& plan) -> trace {
    return detail::trace_writer(flow, plan).write([&](std::size_t i) { return flow.time(plan.steps[i].vertex); });
}
/// The same.
[[nodiscard]] auto trace_of(dataflow const& flow, schedule<> const& plan, std::span<std::int64_t const> step_times)
    -> trace;
/// The same.
[[nodiscard]] inline auto trace_of(dataflow const& flow, schedule<> const& plan, execution_record const& record)
    -> trace {
    return trace_of(flow, plan, record.step_nanoseconds);
}

/// The operation of every computation of `trace_of(flow, plan)`.  Cost and errors are those of `trace_of`.
[[nodiscard]] auto traced_operations(dataflow const& flow, schedule<> const& plan) -> std::vector<operation_index>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/trace_of.ipp>
#endif

#endif
