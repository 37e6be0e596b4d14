#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_FILL_CAPACITY_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_FILL_CAPACITY_HPP

// A primal heuristic at one cut: greedy filling of the capacity between the two choices at the best multiplier. Where
// many values save the same time for a byte, one multiplier keeps all of them and the next one none.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>

namespace repebble::inline v0::detail {

/// Returns a choice within `capacity` bytes, no slower than `fits`, by leaving out recomputations that `fits` has and
/// `beyond` has not: runs of such operations in the model's order, long runs first. is_allowed(choice) may reject.
/// Looks at most at `tries` choices.  O(tries · (n + m)).  Requires: `fits` is within the capacity.
template <class IsAllowed>
[[nodiscard]] auto fill_capacity(first_run_cut const& cut, checkpoint_choice fits, checkpoint_choice const& beyond,
                                 bytes capacity, std::size_t tries, IsAllowed&& is_allowed) -> checkpoint_choice {
    std::vector<operation_index> left;
    for (auto const v : cut.model().order)
        if (fits.recomputed[v] != 0 && beyond.recomputed[v] == 0) left.push_back(v);
    auto recomputed = fits.recomputed;
    for (auto length = left.size(); length > 0 && tries > 0; length /= 2) {
        for (std::size_t begin = 0; begin < left.size() && tries > 0; begin += length, --tries) {
            auto const end = std::min(left.size(), begin + length);
            auto fewer = recomputed;
            for (auto k = begin; k < end; ++k) fewer[left[k]] = 0;
            auto c = choice_of(cut, [&](operation_index p) { return fewer[p] != 0; });
            if (c.size > capacity || c.time >= fits.time || !is_allowed(c)) continue;
            recomputed = c.recomputed;
            fits = std::move(c);
        }
        std::erase_if(left, [&](operation_index v) { return recomputed[v] == 0; });
    }
    return fits;
}

}  // namespace repebble::inline v0::detail

#endif
