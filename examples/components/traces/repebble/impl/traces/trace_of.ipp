#ifndef REPEBBLE_IMPL_TRACES_TRACE_OF_IPP
#define REPEBBLE_IMPL_TRACES_TRACE_OF_IPP

#include <repebble/traces/trace_of.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE void trace_writer::compute(std::size_t i, step<> const& s, std::int64_t duration) {
    auto const v = s.vertex;
    read_.clear();
    for (auto const value : flow_.reads(v)) note(read_, value);
    auto const before = walk_.buffer_count();
    auto const done = walk_.compute(s);
    written_.clear();
    for (auto const value : flow_.writes(v))
        if (!flow_.is_view(value)) note(written_, value);
    if (!flow_.is_input(v))
        for (auto b = before; b < walk_.buffer_count(); ++b) add(trace_action::malloc, b);
    if (!flow_.is_input(v) && !(read_.empty() && written_.empty())) {
        auto const c = static_cast<computation_index>(trace_.computations.size());
        trace_.computations.push_back({flow_.workspace(v), flow_.recomputable(v)});
        operations_.push_back(v);
        for (auto const b : read_) add(trace_action::read, b, c);
        for (auto const b : written_) add(trace_action::write, b, c);
    }
    now_ = checked_add(now_, duration, "times of a trace");
    if (done.workspace != buffer_walk::none && !flow_.is_input(v)) add(trace_action::free, done.workspace);
    end_buffers(i);
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto trace_of(dataflow const& flow, schedule<> const& plan, std::span<std::int64_t const> step_times)
    -> trace {
    if (step_times.size() != plan.steps.size())
        detail::raise(bad_trace("there are times of " + std::to_string(step_times.size()) +
                                " steps, but the schedule has " + std::to_string(plan.steps.size())));
    for (std::size_t i = 0; i < step_times.size(); ++i)
        if (step_times[i] < 0)
            detail::raise(
                bad_trace("time of step " + std::to_string(i) + " is negative: " + std::to_string(step_times[i])));
    return detail::trace_writer(flow, plan).write([&](std::size_t i) { return step_times[i]; });
}

REPEBBLE_INLINE auto traced_operations(dataflow const& flow, schedule<> const& plan) -> std::vector<operation_index> {
    detail::trace_writer writer(flow, plan);
    static_cast<void>(writer.write([](std::size_t) { return 0; }));
    return std::move(writer).operations();
}

}  // namespace repebble::inline v0

#endif
