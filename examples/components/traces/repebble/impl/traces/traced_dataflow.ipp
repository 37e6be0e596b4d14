#ifndef REPEBBLE_IMPL_TRACES_TRACED_DATAFLOW_IPP
#define REPEBBLE_IMPL_TRACES_TRACED_DATAFLOW_IPP

#include <repebble/traces/traced_dataflow.hpp>

#include <algorithm>
#include <ranges>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto traced_dataflow_builder::build() && -> traced_dataflow {
    find_contents();
    begin();
    for (std::size_t r = 0; r < rows_.size(); ++r) add_row(r);
    out_.idle_at_end = add_idle(problem_.iteration().duration, last_operation());
    for (auto const value : holds_)
        if (value != no_value) builder_.add_result(value);
    out_.flow = std::move(builder_).build();
    return std::move(out_);
}

REPEBBLE_INLINE void traced_dataflow_builder::begin() {
    auto const present = present_at_begin(problem_.iteration());
    for (variable_index v = 0; v < holds_.size(); ++v)
        if (present[v]) holds_[v] = add_value(builder_.add_input(), v);
}

REPEBBLE_INLINE void traced_dataflow_builder::find_contents() {
    for (auto const& c : problem_.iteration().computations) workspaces_.push_back(c.workspace);
    beside_.assign(rows_.size(), no_computation);
    contents_.assign(rows_.size(), content::written);
    std::vector<std::size_t> next(holds_.size(), no_row);  // of every variable: its next row
    for (auto r = rows_.size(); r-- > 0;) {
        auto const until = std::exchange(next[rows_[r].variable], r);
        if (rows_[r].what != trace_action::malloc || (until != no_row && rows_[until].what == trace_action::write))
            continue;
        contents_[r] = content::unknown;
        if (until != no_row && rows_[until].what == trace_action::free)
            contents_[r] = contents_[until] = untouched(r, until);
    }
    find_workspaces();
}

REPEBBLE_INLINE auto traced_dataflow_builder::untouched(std::size_t malloc, std::size_t free) -> content {
    auto const all = std::views::iota(computation_index{0}, static_cast<computation_index>(workspaces_.size()));
    auto const ends_before = [&](auto c) { return problem_.at(c).last_row < malloc; };
    auto const begins_before = [&](auto c) { return problem_.at(c).first_row < free; };
    auto const first = std::ranges::partition_point(all, ends_before);
    auto const behind = std::ranges::partition_point(all, begins_before);
    if (behind - first != 1) return content::unknown;
    beside_[malloc] = beside_[free] = *first;
    return content::workspace;
}

REPEBBLE_INLINE void traced_dataflow_builder::find_workspaces() {
    auto present = present_at_begin(problem_.iteration());
    std::vector<computation_index> toucher(holds_.size(), no_computation);
    std::size_t row = 0;
    for (computation_index c = 0; c < workspaces_.size(); ++c) {
        auto const begin = c == 0 ? 0 : problem_.at(c - 1).last_row + 1;
        auto const end = c + 1 < workspaces_.size() ? problem_.at(c + 1).first_row : rows_.size();
        for (; row < begin; ++row)
            if (!is_touch(rows_[row].what)) present[rows_[row].variable] = rows_[row].what == trace_action::malloc;
        bytes touched = 0;         // all that it touches
        bytes held = 0, most = 0;  // of that, and of what nobody touches meanwhile: what has memory now; the most
        for (auto r = problem_.at(c).first_row; r <= problem_.at(c).last_row; ++r) {
            auto const v = rows_[r].variable;
            if (!is_touch(rows_[r].what) || std::exchange(toucher[v], c) == c) continue;
            touched += size_of(r);
            if (present[v]) held += size_of(r);
        }
        for (auto r = begin; r < end; ++r) {
            if (is_touch(rows_[r].what) || (beside_[r] != c && toucher[rows_[r].variable] != c)) continue;
            held += rows_[r].what == trace_action::malloc ? size_of(r) : -size_of(r);
            if (beside_[r] == c) most = std::max(most, held);
        }
        workspaces_[c] = std::max(workspaces_[c], most - touched);
    }
}

REPEBBLE_INLINE void traced_dataflow_builder::add_row(std::size_t r) {
    auto const& row = rows_[r];
    auto& now = holds_[row.variable];
    if (is_touch(row.what)) {
        if (row.computation == out_.operations.size()) begin_computation(row.computation);
        row.what == trace_action::read ? read(now, out_.operations.back())
                                       : write(row.variable, out_.operations.back());
    } else if (row.what == trace_action::malloc) {
        now =
            contents_[r] == content::unknown ? add_value(builder_.add_operation(0, 0, false), row.variable) : no_value;
    }
    out_.values.push_back(now);
    if (row.what == trace_action::free) end(r);
}

REPEBBLE_INLINE void traced_dataflow_builder::end(std::size_t r) {
    auto& now = holds_[rows_[r].variable];
    bool const is_untouched = contents_[r] == content::unknown;
    // Where computations have run since the malloc, the last of them reads it.
    bool const has_run = is_untouched && last_operation() != no_operation && writer_[now] < last_operation();
    if (has_run) read(now, last_operation());
    now = no_value;
}

REPEBBLE_INLINE void traced_dataflow_builder::begin_computation(computation_index c) {
    auto const& at = problem_.at(c);
    auto const before = last_operation();
    out_.idle.push_back(add_idle(rows_[at.first_row].begin, before));
    auto const v = builder_.add_operation(at.time, workspaces_[c], problem_.iteration().computations[c].recomputable);
    if (out_.idle.back() != no_operation) builder_.add_control_edge(out_.idle.back(), v);
    out_.operations.push_back(v);
    now_ = rows_[at.first_row].begin + at.time;
}

REPEBBLE_INLINE auto traced_dataflow_builder::add_idle(std::int64_t until, operation_index before) -> operation_index {
    if (until == now_) return no_operation;
    auto const idle = builder_.add_operation(until - now_, 0, false);
    if (before != no_operation) builder_.add_control_edge(before, idle);
    return idle;
}

REPEBBLE_INLINE auto traced_dataflow_builder::add_value(operation_index by, variable_index v) -> value_index {
    out_.variables.push_back(v);
    writer_.push_back(by);
    reader_.push_back(no_operation);
    return builder_.add_value(by, problem_.iteration().sizes[v]);
}

REPEBBLE_INLINE void traced_dataflow_builder::read(value_index value, operation_index by) {
    if (writer_[value] == by || std::exchange(reader_[value], by) == by) return;
    builder_.add_read(by, value);
}

REPEBBLE_INLINE void traced_dataflow_builder::write(variable_index v, operation_index by) {
    auto const before = holds_[v];
    if (before != no_value && writer_[before] == by) return;
    if (before != no_value) read(before, by);
    auto const j = static_cast<std::uint32_t>(builder_.output_count(by));
    holds_[v] = add_value(by, v);
    if (before != no_value) builder_.add_mutation(by, j, before);
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto make_traced_dataflow(swap_problem const& problem) -> traced_dataflow {
    return detail::traced_dataflow_builder(problem).build();
}

}  // namespace repebble::inline v0

#endif
