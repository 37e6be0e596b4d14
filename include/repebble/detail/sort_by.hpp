#ifndef REPEBBLE_DETAIL_SORT_BY_HPP
#define REPEBBLE_DETAIL_SORT_BY_HPP

// Sorting by a comparison that is called by reference: compiled once, where std::sort and std::stable_sort are compiled
// for each comparison, which was an eighth of the planner's object code. For sorts outside inner loops that are not
// constexpr.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>

namespace repebble::inline v0::detail {

/// Sorts by before(a, b), equal ones by number.  O(n log n).
inline void sort_numbers(std::vector<std::uint32_t>& numbers, function_ref<bool(std::uint32_t, std::uint32_t)> before) {
    std::sort(numbers.data(), numbers.data() + numbers.size(),
              [=](std::uint32_t a, std::uint32_t b) { return before(a, b) || (a < b && !before(b, a)); });
}

/// Sorts the items from index `from` on by before(a, b), equal ones in the order that they had.  O(n log n).
template <class Item, class Before>
void sort_by(std::vector<Item>& items, Before const& before, std::size_t from = 0) {
    std::vector<std::uint32_t> order;
    for (auto k = from; k < items.size(); ++k) order.push_back(static_cast<std::uint32_t>(k));
    sort_numbers(order, [&](std::uint32_t a, std::uint32_t b) -> bool { return before(items[a], items[b]); });
    std::vector<Item> sorted;
    sorted.reserve(items.size());
    for (std::size_t k = 0; k < from; ++k) sorted.push_back(std::move(items[k]));
    for (auto const k : order) sorted.push_back(std::move(items[k]));
    items = std::move(sorted);
}

}  // namespace repebble::inline v0::detail

#endif
