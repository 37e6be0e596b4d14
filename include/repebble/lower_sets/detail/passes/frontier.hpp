#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_FRONTIER_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_FRONTIER_HPP

// Vocabulary of the passes: points of the Pareto frontier of overhead and bytes at a lower set, with links for the
// traceback, and entries of segments that are still open at a serial vertex. Used by all of passes/.
// Invariant: in a frontier bounds go from best to worst and budgets descend strictly.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// The entry that an entry continues with; for the traceback.
struct frontier_link {
    std::uint32_t set = 0;       ///< the neighbouring lower set of the sequence
    std::uint32_t position = 0;  ///< the index of an entry of its frontier
};

/// A point of a frontier: a sequence of this overhead and budget.
struct frontier_entry {
    std::int64_t overhead{};
    bytes budget = 0;
    std::int64_t bound{};  ///< the best overhead of all candidates merged into this entry
    frontier_link next;
};

/// Orders entries by overhead, best first, then by budget, then by link: a total order, so results are deterministic.
struct frontier_order {
    bool least;  ///< the least overhead is best, not the greatest

    [[nodiscard]] auto better(std::int64_t a, std::int64_t b) const -> bool { return least ? a < b : a > b; }
    [[nodiscard]] auto operator()(frontier_entry const& a, frontier_entry const& b) const -> bool {
        if (better(a.overhead, b.overhead)) return true;
        if (better(b.overhead, a.overhead)) return false;
        if (a.budget != b.budget) return a.budget < b.budget;
        if (a.next.set != b.next.set) return a.next.set < b.next.set;
        return a.next.position < b.next.position;
    }
    void sort(std::vector<frontier_entry>& entries) const {
        std::sort(entries.data(), entries.data() + entries.size(), *this);
    }
};

/// Points of which none dominates another.
struct frontier {
    std::vector<frontier_entry> points;
};

/// A continuation of a segment that is open at a serial vertex. In a backward pass: the overhead of the rest of this
/// segment and all later ones, the bytes that this segment needs (`working`) and later ones need (`needed`), earlier
/// cached bytes not counted. In a forward pass see forward_pass.hpp.
struct open_entry {
    std::int64_t overhead{};
    bytes working = 0;
    bytes needed = 0;
    std::int64_t bound{};  ///< the best overhead of all candidates merged into this entry
    frontier_link next;
};

}  // namespace repebble::inline v0::detail

#endif
