#ifndef REPEBBLE_GRAPH_ADAPT_NESTED_RANGE_HPP
#define REPEBBLE_GRAPH_ADAPT_NESTED_RANGE_HPP

// Adjacency lists as standard containers, such as std::vector<std::vector<int>>, as computation graphs: include this
// header and call any algorithm.

#include <concepts>
#include <cstddef>
#include <ranges>
#include <string>
#include <utility>

#include <repebble/graph/error.hpp>
#include <repebble/graph/graph_traits.hpp>

namespace repebble::inline v0 {

namespace detail {
/// An integer that is a number: no character type, no bool.
template <class T>
concept vertex_number = std::integral<T> && sizeof(T) >= 2 && !std::same_as<T, wchar_t> && !std::same_as<T, char16_t> &&
                        !std::same_as<T, char32_t>;
}  // namespace detail

/// A range of ranges of integers, such as std::vector<std::vector<int>>: element u lists the successors of vertex u.
template <class Range>
concept nested_range = std::ranges::random_access_range<Range const> && std::ranges::sized_range<Range const> &&
                       std::ranges::input_range<std::ranges::range_reference_t<Range const>> &&
                       detail::vertex_number<std::ranges::range_value_t<std::ranges::range_reference_t<Range const>>>;

template <nested_range Range>
struct graph_traits<Range> {
    using vertex = std::ranges::range_value_t<std::ranges::range_reference_t<Range const>>;

    static constexpr auto vertices(Range const& g) {
        if (!std::in_range<vertex>(std::ranges::size(g)))
            detail::raise(
                bad_graph(std::to_string(std::ranges::size(g)) + " vertices are more than their type can number"));
        return std::views::iota(vertex{0}, static_cast<vertex>(std::ranges::size(g)));
    }
    static constexpr decltype(auto) successors(Range const& g, vertex v) {
        return (std::ranges::begin(g)[static_cast<std::ranges::range_difference_t<Range const>>(v)]);
    }
    static constexpr auto vertex_index(Range const&, vertex v) -> std::size_t { return static_cast<std::size_t>(v); }
    static constexpr auto vertex_count(Range const& g) -> std::size_t { return std::ranges::size(g); }
};

}  // namespace repebble::inline v0

#endif
