#ifndef REPEBBLE_VIEWS_MEMBERS_HPP
#define REPEBBLE_VIEWS_MEMBERS_HPP

// The members of a vertex_set as a view of range-v3: lower sets, boundaries and closures within a pipeline.

#include <cstddef>

#include <range/v3/view/filter.hpp>
#include <range/v3/view/iota.hpp>

#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::views {

namespace detail {

struct members_fn {
    [[nodiscard]] auto operator()(vertex_set const& set) const {
        return ranges::views::iota(std::size_t{0}, set.universe()) |
               ranges::views::filter([&set](std::size_t v) { return set.contains(v); });
    }
    void operator()(vertex_set const&&) const = delete;
};

}  // namespace detail

/// The members of a set of vertices, ascending, as a bidirectional view. The set must outlive it.  O(n) in all.
inline constexpr detail::members_fn members{};

}  // namespace repebble::inline v0::views

#endif
