#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_OPEN_SEGMENTS_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_OPEN_SEGMENTS_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/lower_sets/detail/passes/frontier.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0::detail {

/// Sorts entries, and keeps those that are not dominated: none is better in overhead, working and needed bytes,
/// overheads that fall into one cell of the resolution taken for equal.  O(n log n) for many entries of few trade-offs.
template <quantity Time>
void keep_best(std::vector<open_entry<Time>>& entries, bool least, Time resolution) {
    auto const better = [&](Time a, Time b) { return least ? a < b : a > b; };
    auto const cell = [&](Time bound) -> Time {
        if (!(resolution > Time{})) return bound;
        if constexpr (std::same_as<Time, double>)
            return std::floor(bound / resolution);
        else
            return bound / resolution;
    };
    std::sort(entries.begin(), entries.end(), [&](auto const& a, auto const& b) {
        if (auto const x = cell(a.bound), y = cell(b.bound); x != y) return better(x, y);
        if (a.working != b.working) return a.working < b.working;
        if (a.needed != b.needed) return a.needed < b.needed;
        if (a.overhead != b.overhead) return better(a.overhead, b.overhead);
        if (a.next.set != b.next.set) return a.next.set < b.next.set;
        return a.next.position < b.next.position;
    });
    std::map<bytes, std::pair<bytes, std::size_t>> kept;  // by working: needed, which falls, and the entry
    std::size_t count = 0;
    for (auto const& e : entries) {
        auto after = kept.upper_bound(e.working);
        if (after != kept.begin()) {
            auto const [needed, at] = std::prev(after)->second;
            if (needed <= e.needed) {
                if (better(e.bound, entries[at].bound)) entries[at].bound = e.bound;
                continue;
            }
        }
        while (after != kept.end() && after->second.first >= e.needed) after = kept.erase(after);
        kept.insert_or_assign(e.working, std::pair(e.needed, count));
        entries[count++] = e;
    }
    entries.resize(count);
}

/// Calls f(entry) for every way of `ways` with one more part before or after it.
template <quantity Time, class F>
void for_each_continued(std::vector<open_entry<Time>> const& ways, segment_cost<Time> const& part, F&& f) {
    for (auto const& e : ways)
        f(open_entry<Time>{e.overhead + part.overhead, e.working + part.working, e.needed + part.cached,
                           e.bound + part.overhead, e.next});
}

/// Calls f(entry) for every point of a set's frontier with the part of a segment between that set and a passage; it
/// needs beside the part what `also(point)` says.
template <quantity Time, class Also, class F>
void for_each_opened(frontier<Time> const& from, std::uint32_t set, segment_cost<Time> const& part, Also&& also,
                     F&& f) {
    for (std::uint32_t k = 0; k < from.points.size(); ++k) {
        auto const& p = from.points[k];
        f(open_entry<Time>{p.overhead + part.overhead,
                           part.working + also(p),
                           p.budget + part.cached,
                           p.bound + part.overhead,
                           {set, k}});
    }
}

}  // namespace repebble::inline v0::detail

#endif
