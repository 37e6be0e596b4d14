#ifndef REPEBBLE_IMPL_TRACES_TRACE_IPP
#define REPEBBLE_IMPL_TRACES_TRACE_IPP

#include <repebble/traces/trace.hpp>

#include <algorithm>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto present_at_begin(trace const& t) -> std::vector<bool> {
    std::vector<bool> present(t.sizes.size(), true), seen(t.sizes.size(), false);
    for (auto const& row : t.rows) {
        if (!seen[row.variable]) present[row.variable] = row.what != trace_action::malloc;
        seen[row.variable] = true;
    }
    return present;
}

REPEBBLE_INLINE void trace_check::run() {
    check_sizes();
    check_names();
    has_memory_ = present_at_begin(trace_);
    for (row_ = 0; row_ < trace_.rows.size(); ++row_) check_row(trace_.rows[row_]);
    if (running_ != trace_.computations.size()) fail("computation " + std::to_string(running_) + " has no row");
    if (trace_.duration < now_)
        fail("the iteration takes " + std::to_string(trace_.duration) + ", less than until its last row begins");
}

REPEBBLE_INLINE void trace_check::fail_row(std::string const& what) const {
    auto const& row = trace_.rows[row_];
    fail("row " + std::to_string(row_) + " (" + to_string(row.what) + " of variable " + std::to_string(row.variable) +
         ") " + what);
}

REPEBBLE_INLINE void trace_check::check_sizes() const {
    bytes total = 0;
    for (std::size_t v = 0; v < trace_.sizes.size(); ++v) {
        if (trace_.sizes[v] < 0)
            fail("size of variable " + std::to_string(v) + " is negative: " + std::to_string(trace_.sizes[v]));
        total = checked_add(total, trace_.sizes[v], "sizes of a trace's variables");
    }
    for (std::size_t c = 0; c < trace_.computations.size(); ++c) {
        auto const workspace = trace_.computations[c].workspace;
        if (workspace < 0)
            fail("workspace of computation " + std::to_string(c) + " is negative: " + std::to_string(workspace));
        total = checked_add(total, workspace, "sizes and workspaces of a trace");
    }
}

REPEBBLE_INLINE void trace_check::check_row(trace_row const& row) {
    if (row.begin < now_) fail_row("begins at " + std::to_string(row.begin) + ", before the row before it, or 0");
    now_ = row.begin;
    auto const has = static_cast<bool>(has_memory_[row.variable]);
    if (is_touch(row.what)) {
        if (!has) fail_row("touches a variable without memory");
        if (row.computation != running_ - 1 && row.computation != running_)
            fail_row("belongs to computation " + std::to_string(row.computation) + ", but expected is " +
                     (running_ > 0 ? std::to_string(running_ - 1) + " or " : "") + std::to_string(running_));
        if (row.computation >= trace_.computations.size()) fail_row("names no computation");
        running_ = row.computation + 1;
        return;
    }
    if (row.computation != no_computation) fail_row("belongs to a computation, as only reads and writes do");
    if ((row.what == trace_action::malloc) == has)
        fail_row(has ? "gives memory to a variable that has it" : "takes memory from a variable without any");
    has_memory_[row.variable] = !has;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto memory_of(trace const& t) -> std::vector<bytes> {
    bytes now = 0;
    auto const present = detail::present_at_begin(t);
    for (std::size_t v = 0; v < t.sizes.size(); ++v)
        if (present[v]) now += t.sizes[v];
    std::vector<bytes> at;
    at.reserve(t.rows.size());
    for (auto const& row : t.rows) {
        if (row.what == trace_action::malloc) now += t.sizes[row.variable];
        if (row.what == trace_action::free) now -= t.sizes[row.variable];
        at.push_back(now);
    }
    return at;
}

REPEBBLE_INLINE auto peak_of(trace const& t) -> bytes {
    bytes peak = 0;
    for (auto const at : memory_of(t)) peak = std::max(peak, at);
    return peak;
}

}  // namespace repebble::inline v0

#endif
