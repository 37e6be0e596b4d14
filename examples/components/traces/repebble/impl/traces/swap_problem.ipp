#ifndef REPEBBLE_IMPL_TRACES_SWAP_PROBLEM_IPP
#define REPEBBLE_IMPL_TRACES_SWAP_PROBLEM_IPP

#include <repebble/traces/swap_problem.hpp>

#include <optional>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE swap_problem::swap_problem(trace of)
    : trace_((check_trace(of), std::move(of))), memory_(memory_of(trace_)) {
    find_computations();
    find_changes();
    find_ends_of_running();
    find_intervals();
}

REPEBBLE_INLINE void swap_problem::find_computations() {
    computations_.resize(trace_.computations.size());
    std::vector<std::pair<computation_index, variable_index>> reads, writes;
    for (std::size_t r = row_count(); r-- > 0;)
        if (detail::is_touch(trace_.rows[r].what)) computations_[trace_.rows[r].computation].first_row = r;
    for (std::size_t r = 0; r < row_count(); ++r) {
        auto const& row = trace_.rows[r];
        if (!detail::is_touch(row.what)) continue;
        computations_[row.computation].last_row = r;
        (row.what == trace_action::read ? reads : writes).emplace_back(row.computation, row.variable);
    }
    for (auto& c : computations_)
        c.time = trace_.rows[c.last_row].begin + duration(c.last_row) - trace_.rows[c.first_row].begin;
    detail::sort_unique(reads);
    detail::sort_unique(writes);
    reads_ = {computations_.size(), reads};
    writes_ = {computations_.size(), writes};
}

REPEBBLE_INLINE void swap_problem::find_changes() {
    std::vector<std::pair<variable_index, change>> changes;
    std::vector<change> last(trace_.sizes.size());
    std::vector<bool> has_malloc(trace_.sizes.size(), false);
    for (std::size_t r = 0; r < row_count(); ++r) {
        auto const& row = trace_.rows[r];
        if (row.what == trace_action::read) continue;
        auto& c = last[row.variable];
        c.row = r;
        if (row.what == trace_action::malloc) {
            has_malloc[row.variable] = true;
            c.writer = no_computation;
        } else if (row.what == trace_action::write) {
            if (c.writer != no_computation && c.writer != row.computation) has_malloc[row.variable] = false;
            c.writer = row.computation;
            c.written = r;
        }
        changes.emplace_back(row.variable, c);
        if (!has_malloc[row.variable]) changes.back().second.writer = no_computation;
    }
    changes_ = {trace_.sizes.size(), changes};
}

REPEBBLE_INLINE void swap_problem::find_ends_of_running() {
    can_run_until_.assign(computations_.size(), no_row);
    auto const present = detail::present_at_begin(trace_);
    for (computation_index c = 0; c < computations_.size(); ++c) {
        auto& until = can_run_until_[c];
        if (!trace_.computations[c].recomputable) until = 0;
        for (auto const w : writes_[c]) {  // over what was there
            auto const* const before = last_change(w, computations_[c].first_row);
            if (before ? trace_.rows[before->row].what == trace_action::write : present[w]) until = 0;
        }
        for (auto const u : reads_[c]) {
            if (std::ranges::binary_search(writes_[c], u)) until = 0;
            auto const later = changes_from(u, computations_[c].first_row);
            if (later.empty()) continue;
            auto unchanged = later[0].row;
            auto const by = source(c, u);
            if (trace_.rows[unchanged].what == trace_action::free && by != no_computation)
                unchanged = std::max(unchanged, std::min(can_run_until_[by], later.size() > 1 ? later[1].row : no_row));
            until = std::min(until, unchanged);
        }
    }
}

REPEBBLE_INLINE void swap_problem::find_intervals() {
    std::vector<std::optional<std::size_t>> first(trace_.sizes.size()), last(trace_.sizes.size());
    std::vector<bool> persistent(trace_.sizes.size(), true);
    for (std::size_t r = 0; r < row_count(); ++r) {
        auto const& row = trace_.rows[r];
        auto const v = row.variable;
        if (!detail::is_touch(row.what)) {
            persistent[v] = false;
            last[v].reset();
            continue;
        }
        if (!first[v]) first[v] = r;
        if (last[v]) add_interval(v, *last[v], r, false);
        last[v] = r;
    }
    for (variable_index v = 0; v < trace_.sizes.size(); ++v) {
        if (!persistent[v]) continue;
        persistent_ += trace_.sizes[v];
        if (first[v]) add_interval(v, *last[v], *first[v], true);
    }
    std::ranges::stable_sort(intervals_, {}, &reuse_interval::last_use);
}

REPEBBLE_INLINE void swap_problem::add_interval(variable_index v, std::size_t last_use, std::size_t next_use,
                                                bool wraps) {
    auto const by = trace_.rows[last_use].computation;
    if (trace_.sizes[v] == 0 || (!wraps && by == trace_.rows[next_use].computation)) return;
    auto const leaves = computations_[by].last_row + 1;
    if (wraps ? leaves == row_count() && next_use == 0 : leaves >= next_use) return;
    reuse_interval found{.variable = v, .last_use = last_use, .next_use = next_use, .leaves = leaves, .wraps = wraps};
    if (auto const* last = last_change(v, leaves))
        if (last->written != no_row) found.written = computations_[trace_.rows[last->written].computation].last_row;
    found.is_written = found.written == computations_[by].last_row;
    if (!wraps) {
        found.producer = only_writer(v, leaves);
        found.is_removable = found.producer != no_computation && can_run_until_[found.producer] >= next_use;
        if (!found.is_removable) found.producer = no_computation;
    }
    intervals_.push_back(found);
}

}  // namespace repebble::inline v0

#endif
