#ifndef REPEBBLE_IMPL_TRACES_SWAP_SCHEDULE_IPP
#define REPEBBLE_IMPL_TRACES_SWAP_SCHEDULE_IPP

#include <repebble/traces/swap_schedule.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto swap_schedule_writer::write(std::vector<swap_event> const& events) && -> schedule<> {
    is_gone_.assign(plan_.size(), false);
    for (auto const& e : events)
        if (e.what == swap_event::kind::gone) is_gone_[e.index] = true;
    begin();
    for (auto const& e : events) play(e);
    finish();
    return std::move(steps_).finish();
}

REPEBBLE_INLINE void swap_schedule_writer::begin() {
    for (; inputs_ < flow_.operation_count() && flow_.is_input(inputs_); ++inputs_) run_operation(inputs_);
    for (std::size_t i = 0; i < plan_.size(); ++i) {
        if (!problem_.intervals()[i].wraps || plan_[i] == swap_choice::keep) continue;
        offload(first_value_of(i));
        discard(first_value_of(i));
    }
}

REPEBBLE_INLINE void swap_schedule_writer::finish() {
    give_back();
    if (traced_.idle_at_end != no_operation) run_operation(traced_.idle_at_end);
    for (auto const value : flow_.results())
        if (!on_device_[value]) prefetch(value);
}

REPEBBLE_INLINE void swap_schedule_writer::play(swap_event const& e) {
    using kind = swap_event::kind;
    if (e.what == kind::next_row) return next_row(e.index);
    if (e.what == kind::row) return row(e.index);
    if (e.what == kind::run) return run_again(static_cast<computation_index>(e.index), e.variable);
    auto const value = value_of(e.index);
    if (e.what == kind::copy_in) return prefetch(problem_.intervals()[e.index].wraps ? first_value_of(e.index) : value);
    if (e.what == kind::copy_out && is_gone_[e.index]) return offload(value);
    if (e.what != kind::gone) return;
    is_removed_[value] = plan_[e.index] == swap_choice::remove;
    if (!is_removed_[value]) offload(value);  // again, where it has been computed again since
    discard(value);
}

REPEBBLE_INLINE void swap_schedule_writer::next_row(std::size_t r) {
    give_back();
    if (problem_.iteration().rows[r].what != trace_action::free || traced_.values[r] == no_value) return;
    bool const runs = next_ < traced_.operations.size() && problem_.at(next_).first_row < r;
    runs ? postponed_.push_back(traced_.values[r]) : end(traced_.values[r]);
}

REPEBBLE_INLINE void swap_schedule_writer::row(std::size_t r) {
    auto const& row = problem_.iteration().rows[r];
    if (is_touch(row.what) && r == problem_.at(row.computation).last_row) compute(row.computation);
    if (row.what == trace_action::malloc && traced_.values[r] != no_value)
        run_operation(flow_.producers(traced_.values[r]).front());
}

REPEBBLE_INLINE void swap_schedule_writer::compute(computation_index c) {
    if (traced_.idle[c] != no_operation) run_operation(traced_.idle[c]);
    run_operation(traced_.operations[c]);
    ++next_;
    for (auto const value : std::exchange(postponed_, {})) end(value);
}

REPEBBLE_INLINE void swap_schedule_writer::run_operation(operation_index v) {
    steps_.compute(v);
    for (auto const& m : flow_.mutations(v)) {
        on_device_[m.over] = false;
        end(m.over);
    }
    for (auto const value : flow_.writes(v)) {
        on_device_[value] = true;
        on_host_[value] = is_removed_[value] = false;
    }
}

REPEBBLE_INLINE void swap_schedule_writer::run_again(computation_index c, variable_index wanted) {
    std::vector<value_index> from_host, from_nowhere;
    for (auto const value : flow_.writes(traced_.operations[c])) {
        if (on_device_[value] || is_removed_[value]) continue;
        (on_host_[value] ? from_host : from_nowhere).push_back(value);
    }
    run_operation(traced_.operations[c]);
    for (auto const value : from_host) {
        offload(value);
        discard(value);
    }
    for (auto const value : from_nowhere)
        traced_.variables[value] == wanted ? borrowed_.push_back(value) : discard(value);
}

REPEBBLE_INLINE void swap_schedule_writer::offload(value_index value) {
    if (!on_host_[value]) steps_.offload(value);
    on_host_[value] = true;
}

REPEBBLE_INLINE void swap_schedule_writer::prefetch(value_index value) {
    steps_.prefetch(value);
    on_device_[value] = true;
}

REPEBBLE_INLINE void swap_schedule_writer::discard(value_index value) {
    steps_.discard(value);
    on_device_[value] = false;
}

REPEBBLE_INLINE void swap_schedule_writer::end(value_index value) {
    if (on_device_[value]) discard(value);
    if (on_host_[value]) steps_.discard(value, pool::host);
    on_host_[value] = false;
}

REPEBBLE_INLINE void swap_schedule_writer::give_back() {
    for (auto const value : std::exchange(borrowed_, {})) discard(value);
}

REPEBBLE_INLINE auto swap_schedule_writer::first_value_of(std::size_t interval) const -> value_index {
    auto const first = traced_.variables.begin();  // inputs are the first values, in the order of their variables
    auto const at = std::lower_bound(first, first + inputs_, problem_.intervals()[interval].variable);
    return static_cast<value_index>(at - first);
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto make_swap_schedule(swap_problem const& problem, traced_dataflow const& traced,
                                        swap_plan const& plan, swap_options const& options) -> schedule<> {
    auto with_events = options;
    with_events.timeline = true;
    auto const simulated = simulate_swaps(problem, plan, with_events);
    return detail::swap_schedule_writer(problem, traced, plan).write(simulated.timeline);
}

}  // namespace repebble::inline v0

#endif
