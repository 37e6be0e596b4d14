#ifndef REPEBBLE_ALLOCATE_DETAIL_SEARCH_SEARCH_OPTIONS_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SEARCH_SEARCH_OPTIONS_HPP

// Options of one run of `offset_search`, and the value order that they imply. The portfolio runs the search with
// several of these in turn.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/allocate/detail/search/transposition_table.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>

namespace repebble::inline v0::detail {

/// The outcome of a search for a plan under a capacity.
enum class search_end : std::uint8_t { found, impossible, out_of_budget };

/// Branching rules of a run: the section that is decided first, and the shape that is tried first in it.
struct search_options {
    enum class shape : std::uint8_t { longest, greatest_area };
    double slack_weight = 4;    ///< penalty on sections with slack among those with as many choices
    bool lowest_first = false;  ///< decides the lowest valley, whatever its slack
    shape try_first = shape::longest;
    double noise = 0;  ///< amplitude of random noise on the priorities, as a share
    std::uint64_t seed = 0;
};

/// The branching priority of each shape; of several candidates the one with the greatest is tried first.
[[nodiscard]] inline auto branching_priorities(compact_shapes const& c, search_options const& options)
    -> std::vector<double> {
    std::vector<double> priority(c.count());
    for (std::size_t s = 0; s < priority.size(); ++s) {
        auto const length = static_cast<double>(c.end_of(s) - c.begin_of(s));
        auto const share = static_cast<double>(mixed(options.seed * 0x9e3779b97f4a7c15U + s) >> 11) * 0x1p-53;
        bool const by_area = options.try_first == search_options::shape::greatest_area;
        priority[s] = length * (by_area ? static_cast<double>(c.size[s]) : 1) * (1 + options.noise * share);
    }
    return priority;
}

}  // namespace repebble::inline v0::detail

#endif
