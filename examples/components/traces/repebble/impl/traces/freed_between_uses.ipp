#ifndef REPEBBLE_IMPL_TRACES_FREED_BETWEEN_USES_IPP
#define REPEBBLE_IMPL_TRACES_FREED_BETWEEN_USES_IPP

#include <repebble/traces/freed_between_uses.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto freed_between_uses(swap_problem const& problem, bytes least) -> trace {
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

}  // namespace repebble::inline v0

#endif
