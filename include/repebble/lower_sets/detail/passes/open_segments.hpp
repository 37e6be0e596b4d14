#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_OPEN_SEGMENTS_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_OPEN_SEGMENTS_HPP

// Pareto sets of segments that are open at a serial vertex, in three dimensions: overhead, working bytes and needed
// bytes. Used by both passes, forward_pass.hpp and backward_pass.hpp.

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

/// Sorts entries and removes the dominated ones: those for which another is no worse in overhead, working and needed
/// bytes. Overheads in one cell of the resolution count as equal.  O(n log n).
inline void keep_best(std::vector<open_entry>& entries, bool least, std::int64_t resolution) {
    auto const better = [&](std::int64_t a, std::int64_t b) { return least ? a < b : a > b; };
    auto const cell = [&](std::int64_t bound) -> std::int64_t {
        if (!(resolution > std::int64_t{})) return bound;
        return bound / resolution;
    };
    std::sort(entries.begin(), entries.end(), [&](auto const& a, auto const& b) {
        auto const x = cell(a.bound), y = cell(b.bound);
        if (better(x, y)) return true;
        if (better(y, x)) return false;
        if (a.working != b.working) return a.working < b.working;
        if (a.needed != b.needed) return a.needed < b.needed;
        if (better(a.overhead, b.overhead)) return true;
        if (better(b.overhead, a.overhead)) return false;
        if (a.next.set != b.next.set) return a.next.set < b.next.set;
        return a.next.position < b.next.position;
    });
    std::map<bytes, std::pair<bytes, std::size_t>> kept;  // by working: needed, which descends, and the index
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

/// Calls f(entry) for every open entry extended by one more step between serial vertices.
template <class F>
void for_each_continued(std::vector<open_entry> const& entries, segment_cost const& part, F&& f) {
    for (auto const& e : entries)
        f(open_entry{e.overhead + part.overhead, e.working + part.working, e.needed + part.cached,
                     e.bound + part.overhead, e.next});
}

/// Calls f(entry) for every point of a set's frontier, extended by the part of a segment between that set and a serial
/// vertex; also(point) are the bytes that the part needs beside its own.
template <class Also, class F>
void for_each_opened(frontier const& from, std::uint32_t set, segment_cost const& part, Also&& also, F&& f) {
    for (std::uint32_t k = 0; k < from.points.size(); ++k) {
        auto const& p = from.points[k];
        f(open_entry{p.overhead + part.overhead,
                     part.working + also(p),
                     p.budget + part.cached,
                     p.bound + part.overhead,
                     {set, k}});
    }
}

}  // namespace repebble::inline v0::detail

#endif
