#ifndef REPEBBLE_DETAIL_SORT_UNIQUE_HPP
#define REPEBBLE_DETAIL_SORT_UNIQUE_HPP

// Sorting with removal of duplicates, by pointers, so that there is one instance of std::sort for each item type: a
// sort takes long to compile.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace repebble::inline v0::detail {

/// Sorts the items in ascending order and removes duplicates.  O(n log n).
template <class T>
constexpr void sort_unique(std::vector<T>& items) {
    T* const first = items.data();
    T* const last = first + items.size();
    std::sort(first, last);
    items.resize(static_cast<std::size_t>(std::unique(first, last) - first));
}

}  // namespace repebble::inline v0::detail

#endif
