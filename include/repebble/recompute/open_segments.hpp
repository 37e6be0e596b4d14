#ifndef REPEBBLE_RECOMPUTE_OPEN_SEGMENTS_HPP
#define REPEBBLE_RECOMPUTE_OPEN_SEGMENTS_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/frontier.hpp>

namespace repebble::detail {

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

}  // namespace repebble::detail

#endif
