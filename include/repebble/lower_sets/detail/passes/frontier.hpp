#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_FRONTIER_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_FRONTIER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

struct frontier_link {
    std::uint32_t set = 0;       ///< the next lower set
    std::uint32_t position = 0;  ///< its entry that this one continues with
};

/// One point of a frontier: that much overhead needs that much budget.
template <quantity Time>
struct frontier_entry {
    Time overhead{};
    bytes budget = 0;
    Time bound{};  ///< best overhead of anything that this entry stands for
    frontier_link next;
};

/// Better overheads first, of equal ones less budget first; deterministic.
template <quantity Time>
struct frontier_order {
    bool least;  ///< the least overhead is best, not the greatest

    [[nodiscard]] auto better(Time a, Time b) const -> bool { return least ? a < b : a > b; }
    [[nodiscard]] auto operator()(frontier_entry<Time> const& a, frontier_entry<Time> const& b) const -> bool {
        if (a.overhead != b.overhead) return better(a.overhead, b.overhead);
        if (a.budget != b.budget) return a.budget < b.budget;
        if (a.next.set != b.next.set) return a.next.set < b.next.set;
        return a.next.position < b.next.position;
    }
    void sort(std::vector<frontier_entry<Time>>& entries) const {
        std::sort(entries.data(), entries.data() + entries.size(), *this);
    }
};

/// Points of which none dominates another: bounds from best to worst, budgets descending.
template <quantity Time>
struct frontier {
    std::vector<frontier_entry<Time>> points;
};

/// How a segment that passed a passage may go on: what is recomputed after it, in this segment and later, what this
/// segment needs beside what was cached before, and what later ones need.
template <quantity Time>
struct open_entry {
    Time overhead{};
    bytes working = 0;
    bytes needed = 0;
    Time bound{};  ///< best overhead of anything that this entry stands for
    frontier_link next;
};

}  // namespace repebble::inline v0::detail

#endif
