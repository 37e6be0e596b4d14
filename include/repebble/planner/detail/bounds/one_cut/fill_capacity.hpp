#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_FILL_CAPACITY_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_FILL_CAPACITY_HPP

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>

namespace repebble::inline v0::detail {

/// A choice within `capacity` bytes between one that is, and one that is beyond it and runs less again: of the
/// operations that only the former runs, as many do not run as there is capacity for. A multiplier on bytes never says
/// which, where many values save the same time for a byte: all are kept at one multiplier, and none at the next. Runs
/// of those operations in the model's order are left out, long ones first; is_allowed(choice) says no to some. At most
/// `tries` choices are looked at.  O(tries · (n + m)).  Requires: `fits` is within the capacity.
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
