#ifndef REPEBBLE_IMPL_TRACES_SHORTENED_SCHEDULE_IPP
#define REPEBBLE_IMPL_TRACES_SHORTENED_SCHEDULE_IPP

#include <repebble/traces/shortened_schedule.hpp>

#include <utility>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

/// Operations and values of a full trace in the dataflow of a shorter one; no_operation and no_value where they do not
/// occur there.
struct shortened_names {
    std::vector<operation_index> operations;
    std::vector<value_index> values;
    std::vector<operation_index> idle;  ///< of every operation there: that of the idle time before it

    shortened_names(swap_problem const& problem, traced_dataflow const& full, shortened_iteration const& shorter,
                    traced_dataflow const& there)
        : operations(full.flow.operation_count(), no_operation),
          values(full.flow.value_count(), no_value),
          idle(there.flow.operation_count(), no_operation) {
        for (std::size_t r = 0; r < shorter.trace.rows.size(); ++r) {
            auto const from = shorter.row_of[r];
            if (auto const c = shorter.trace.rows[r].computation; c != no_computation)
                operations[full.operations[problem.iteration().rows[from].computation]] = there.operations[c];
            if (full.values[from] != no_value) set(full, full.values[from], there, there.values[r]);
        }
        for (auto const value : full.flow.results())
            if (values[value] == no_value) set_untouched(full, value, there);
        for (std::size_t c = 0; c < there.operations.size(); ++c) idle[there.operations[c]] = there.idle[c];
    }

  private:
    void set(traced_dataflow const& full, value_index value, traced_dataflow const& there, value_index as) {
        values[value] = as;
        operations[full.flow.producers(value).front()] = there.flow.producers(as).front();
    }
    /// Of a variable without rows: there it is the value of the same variable, if any.
    void set_untouched(traced_dataflow const& full, value_index value, traced_dataflow const& there) {
        for (value_index as = 0; as < there.variables.size(); ++as)
            if (there.variables[as] == full.variables[value]) return set(full, value, there, as);
    }
};

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto make_shortened_schedule(swap_problem const& problem, traced_dataflow const& full,
                                             schedule<> const& plan, shortened_iteration const& shorter,
                                             traced_dataflow const& shorter_flow) -> schedule<> {
    detail::shortened_names names(problem, full, shorter, shorter_flow);
    schedule_builder steps(shorter_flow.flow);
    for (operation_index v = 0; v < shorter_flow.flow.operation_count(); ++v)  // some of them are void
        if (shorter_flow.flow.is_input(v)) steps.compute(v);
    for (auto const& s : plan.steps) {
        if (s.what == action::compute) {
            auto const v = names.operations[s.vertex];
            if (v == no_operation || shorter_flow.flow.is_input(v)) continue;
            if (auto const idle = std::exchange(names.idle[v], no_operation); idle != no_operation) steps.compute(idle);
            steps.compute(v);
            continue;
        }
        auto const value = names.values[full.flow.writes(s.vertex)[s.output]];
        if (value == no_value) continue;
        if (s.what == action::offload) steps.offload(value);
        if (s.what == action::prefetch) steps.prefetch(value);
        if (s.what == action::discard) steps.discard(value, s.from);
    }
    if (shorter_flow.idle_at_end != no_operation) steps.compute(shorter_flow.idle_at_end);
    return std::move(steps).finish();
}

}  // namespace repebble::inline v0

#endif
