#ifndef REPEBBLE_DETAIL_SORT_UNIQUE_HPP
#define REPEBBLE_DETAIL_SORT_UNIQUE_HPP

#include <algorithm>
#include <cstddef>
#include <vector>

namespace repebble::inline v0::detail {

/// Ascending, each item once. One instance for all vectors of an item type: a sort is dear to compile.
template <class T>
constexpr void sort_unique(std::vector<T>& items) {
    T* const first = items.data();
    T* const last = first + items.size();
    std::sort(first, last);
    items.resize(static_cast<std::size_t>(std::unique(first, last) - first));
}

}  // namespace repebble::inline v0::detail

#endif
