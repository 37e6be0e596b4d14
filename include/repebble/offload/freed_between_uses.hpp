#ifndef REPEBBLE_OFFLOAD_FREED_BETWEEN_USES_HPP
#define REPEBBLE_OFFLOAD_FREED_BETWEEN_USES_HPP

// The way to times of an iteration that does not fit (Chen, section 4.7; point 27): variables are freed after each use
// and have memory again before the next. What is computed then is wrong, but takes the right time.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/offload/swap_problem.hpp>
#include <repebble/offload/trace.hpp>

namespace repebble::inline v0 {

namespace detail {

struct freed_between_uses_fn {
    [[nodiscard]] auto operator()(swap_problem const& problem, bytes least = 0) const -> trace {
        std::vector<std::pair<std::size_t, trace_row>> added;  // before which row
        auto const& from = problem.iteration();
        auto const begin = [&](std::size_t r) { return r < from.rows.size() ? from.rows[r].begin : from.duration; };
        for (auto const& i : problem.intervals()) {
            if (problem.size(i) < least) continue;
            added.push_back({i.leaves, {begin(i.leaves), trace_action::free, i.variable}});
            added.push_back({i.next_use, {begin(i.next_use), trace_action::malloc, i.variable}});
        }
        std::ranges::stable_sort(added, [](auto const& a, auto const& b) {  // frees first
            return std::pair(a.first, a.second.what == trace_action::malloc) <
                   std::pair(b.first, b.second.what == trace_action::malloc);
        });
        trace to{.sizes = from.sizes, .computations = from.computations, .duration = from.duration};
        auto next = added.begin();
        for (std::size_t r = 0; r <= from.rows.size(); ++r) {
            for (; next != added.end() && next->first == r; ++next) to.rows.push_back(next->second);
            if (r < from.rows.size()) to.rows.push_back(from.rows[r]);
        }
        return to;
    }
};

}  // namespace detail

/// The trace in which each variable of at least so many bytes is freed at the beginning of each of its reuse intervals
/// and mallocs again at its end: its peak is the least that any plan can reach by swapping, its times are the same.
/// Frees and mallocs take no time (a memory pool).  O(rows + intervals log intervals).
inline constexpr detail::freed_between_uses_fn freed_between_uses{};

}  // namespace repebble::inline v0

#endif
