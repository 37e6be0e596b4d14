#ifndef REPEBBLE_DETAIL_GALLOPING_SEARCH_HPP
#define REPEBBLE_DETAIL_GALLOPING_SEARCH_HPP

#include <algorithm>
#include <iterator>

namespace repebble::inline v0::detail {

/// As std::partition_point: the first for which `passed` does not hold, where it holds for all before that.  O(log of
/// how many it holds for), so fast where these are few.
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
