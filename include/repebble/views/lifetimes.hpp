#ifndef REPEBBLE_VIEWS_LIFETIMES_HPP
#define REPEBBLE_VIEWS_LIFETIMES_HPP

// Buffers and their lifetimes as views of range-v3: each with its use, those that are live at a step, and pairs that
// overlap in time. They take the result of allocate/lifetimes.hpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <range/v3/view/filter.hpp>
#include <range/v3/view/for_each.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/take_while.hpp>
#include <range/v3/view/transform.hpp>
#include <range/v3/view/zip.hpp>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::views {

namespace detail {

/// The buffer of an element: itself, or the first of a pair.
template <class Element>
[[nodiscard]] constexpr auto buffer_of(Element const& e) -> buffer const& {
    if constexpr (std::is_same_v<Element, buffer>)
        return e;
    else
        return e.first;
}

struct lifetimes_fn {
    [[nodiscard]] auto operator()(schedule_lifetimes const& found) const {
        return ranges::views::zip(found.buffers, found.uses);
    }
    void operator()(schedule_lifetimes const&&) const = delete;
};

struct live_at_fn {
    [[nodiscard]] constexpr auto operator()(std::int64_t time) const {
        return ranges::views::filter([time](auto const& e) {
            auto const& lifetime = buffer_of(e).lifetime;
            return lifetime.lower <= time && time < lifetime.upper;
        });
    }
};

struct overlapping_fn {
    [[nodiscard]] auto operator()(std::span<buffer const> buffers) const {
        REPEBBLE_ASSERT(std::ranges::is_sorted(buffers, {}, [](buffer const& b) { return b.lifetime.lower; }));
        auto const later_ones = [buffers](std::size_t i) {
            auto const begins_in_time = [=](std::size_t j) {
                return buffers[j].lifetime.lower < buffers[i].lifetime.upper;
            };
            auto const ever_lives = [=](std::size_t j) { return !buffers[j].lifetime.empty(); };
            return ranges::views::iota(i + 1, buffers.size()) | ranges::views::take_while(begins_in_time) |
                   ranges::views::filter(ever_lives) |
                   ranges::views::transform([i](std::size_t j) { return std::pair(i, j); });
        };
        return ranges::views::iota(std::size_t{0}, buffers.size()) | ranges::views::for_each(later_ones);
    }
    void operator()(std::vector<buffer> const&&) const = delete;
};

}  // namespace detail

/// Pairs of a buffer of a schedule and its use, in the order in which they begin, as a random-access view. The
/// lifetimes must outlive it.  O(1).
inline constexpr detail::lifetimes_fn lifetimes{};

/// The buffers of a range whose lifetime contains a time, gaps included: `lifetimes(found) | live_at(step)`. The
/// elements are buffers, or pairs whose first member is one.
inline constexpr detail::live_at_fn live_at{};

/// Pairs (i, j), i < j, ascending, of numbers of buffers whose lifetimes have a time in common, gaps included, as an
/// input view. The buffers must outlive it.  Requires: buffers in the order in which they begin, as those of
/// `repebble::lifetimes`.  O(buffers + pairs) in all, but for buffers with empty lifetimes.
inline constexpr detail::overlapping_fn overlapping{};

}  // namespace repebble::inline v0::views

#endif
