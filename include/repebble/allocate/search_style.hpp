#ifndef REPEBBLE_ALLOCATE_SEARCH_STYLE_HPP
#define REPEBBLE_ALLOCATE_SEARCH_STYLE_HPP

#include <cstdint>

namespace repebble::detail {

/// What a search for a plan under a capacity found out.
enum class search_end : std::uint8_t { found, impossible, out_of_budget };

/// A run of the search: which section it decides first, and which shape it tries first there.
struct search_style {
    enum class shape : std::uint8_t { longest, greatest_area };
    double slack_weight = 4;    ///< how much later a section that can waste much comes than one with as many choices
    bool lowest_first = false;  ///< decides the lowest valley, whatever its slack
    shape try_first = shape::longest;
    double noise = 0;  ///< shares of at most this much are added to what the shapes are compared by
    std::uint64_t seed = 0;
};

}  // namespace repebble::detail

#endif
