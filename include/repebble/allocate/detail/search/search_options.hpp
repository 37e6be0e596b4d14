#ifndef REPEBBLE_ALLOCATE_DETAIL_SEARCH_SEARCH_OPTIONS_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SEARCH_SEARCH_OPTIONS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/allocate/detail/search/transposition_table.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>

namespace repebble::inline v0::detail {

/// What a search for a plan under a capacity found out.
enum class search_end : std::uint8_t { found, impossible, out_of_budget };

/// A run of the search: which section it decides first, and which shape it tries first there.
struct search_options {
    enum class shape : std::uint8_t { longest, greatest_area };
    double slack_weight = 4;    ///< how much later a section that can waste much comes than one with as many choices
    bool lowest_first = false;  ///< decides the lowest valley, whatever its slack
    shape try_first = shape::longest;
    double noise = 0;  ///< shares of at most this much are added to what the shapes are compared by
    std::uint64_t seed = 0;
};

/// What the shapes are worth to a style: of several that can be placed it tries the one of greatest worth first.
[[nodiscard]] inline auto worths(compact_shapes const& c, search_options const& style) -> std::vector<double> {
    std::vector<double> worth(c.count());
    for (std::size_t s = 0; s < worth.size(); ++s) {
        auto const length = static_cast<double>(c.end_of(s) - c.begin_of(s));
        auto const share = static_cast<double>(mixed(style.seed * 0x9e3779b97f4a7c15U + s) >> 11) * 0x1p-53;
        bool const by_area = style.try_first == search_options::shape::greatest_area;
        worth[s] = length * (by_area ? static_cast<double>(c.size[s]) : 1) * (1 + style.noise * share);
    }
    return worth;
}

}  // namespace repebble::inline v0::detail

#endif
