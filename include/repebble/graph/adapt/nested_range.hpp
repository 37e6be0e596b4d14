#ifndef REPEBBLE_GRAPH_ADAPT_NESTED_RANGE_HPP
#define REPEBBLE_GRAPH_ADAPT_NESTED_RANGE_HPP

#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>

#include <repebble/graph/graph_traits.hpp>

namespace repebble {

/// A range of ranges of integers, such as std::vector<std::vector<int>>: element u lists the successors of vertex u.
template <class Range>
concept nested_range =
    std::ranges::random_access_range<Range const> && std::ranges::sized_range<Range const> &&
    std::ranges::input_range<std::ranges::range_reference_t<Range const>> &&
    std::integral<std::ranges::range_value_t<std::ranges::range_reference_t<Range const>>> &&
    sizeof(std::ranges::range_value_t<std::ranges::range_reference_t<Range const>>) >= 2 &&
    !std::same_as<std::ranges::range_value_t<std::ranges::range_reference_t<Range const>>, wchar_t>;

template <nested_range Range>
struct graph_traits<Range> {
    using vertex = std::ranges::range_value_t<std::ranges::range_reference_t<Range const>>;

    static constexpr auto vertices(Range const& g) {
        return std::views::iota(vertex{0}, static_cast<vertex>(std::ranges::size(g)));
    }
    static constexpr decltype(auto) successors(Range const& g, vertex v) {
        return (std::ranges::begin(g)[static_cast<std::ranges::range_difference_t<Range const>>(v)]);
    }
    static constexpr auto vertex_index(Range const&, vertex v) -> std::size_t { return static_cast<std::size_t>(v); }
    static constexpr auto vertex_count(Range const& g) -> std::size_t { return std::ranges::size(g); }
};

}  // namespace repebble

#endif
