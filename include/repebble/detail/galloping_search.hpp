#ifndef REPEBBLE_DETAIL_GALLOPING_SEARCH_HPP
#define REPEBBLE_DETAIL_GALLOPING_SEARCH_HPP

// Galloping (exponential) search in a partitioned range (Bentley, Yao 1976): steps that double, then a binary search
// within the last step. For searches that usually end near the front of a long range.

#include <algorithm>
#include <iterator>

namespace repebble::inline v0::detail {

/// As std::partition_point: returns the first item that does not satisfy `passed`.  Requires: the items that satisfy it
/// come first.  O(log k) calls, k being the number of items that satisfy it.
template <class Iterator, class Passed>
[[nodiscard]] auto galloping_search(Iterator first, Iterator last, Passed const& passed) -> Iterator {
    for (typename std::iterator_traits<Iterator>::difference_type step = 1; first != last && passed(*first);
         step *= 2) {
        ++first;
        if (last - first <= step || !passed(first[step])) {
            auto const reached = last - first <= step ? last : first + step;
            return std::partition_point(first, reached, passed);
        }
        first += step;
    }
    return first;
}

}  // namespace repebble::inline v0::detail

#endif
