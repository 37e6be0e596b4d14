#ifndef REPEBBLE_ALLOCATE_DETAIL_SEARCH_INTERCHANGEABLE_SHAPES_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SEARCH_INTERCHANGEABLE_SHAPES_HPP

// Symmetry classes for `offset_search`: shapes that occupy the same sections. In any plan two such shapes can swap
// places without moving a third, if sizes and alignments allow.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/detail/sort_by.hpp>

namespace repebble::inline v0::detail {

/// Groups the shapes by equal lifetimes in sections.
class interchangeable_shapes {
  public:
    explicit interchangeable_shapes(compact_shapes const& c) : sorted_(c.count()), groups_(c.count()) {
        for (std::uint32_t s = 0; s < sorted_.size(); ++s) sorted_[s] = s;
        auto const lifetime = [&](std::uint32_t s) { return std::pair(c.begin_of(s), c.end_of(s)); };
        sort_numbers(sorted_, [&](std::uint32_t a, std::uint32_t b) { return lifetime(a) < lifetime(b); });
        for (std::size_t first = 0, last = 0; first < sorted_.size(); first = last) {
            while (last < sorted_.size() && lifetime(sorted_[last]) == lifetime(sorted_[first])) ++last;
            for (auto i = first; i < last; ++i) groups_[sorted_[i]] = {first, last};
        }
    }

    /// The shapes with the lifetime of this one, including itself, ascending.
    [[nodiscard]] auto of(std::uint32_t shape) const -> std::span<std::uint32_t const> {
        auto const [first, last] = groups_[shape];
        return {sorted_.data() + first, last - first};
    }

  private:
    std::vector<std::uint32_t> sorted_;
    std::vector<std::pair<std::size_t, std::size_t>> groups_;  // per shape
};

}  // namespace repebble::inline v0::detail

#endif
