#ifndef REPEBBLE_ALLOCATE_DETAIL_SEARCH_INTERCHANGEABLE_SHAPES_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SEARCH_INTERCHANGEABLE_SHAPES_HPP

// Symmetry classes for `offset_search`: shapes that occupy the same sections with all their bytes. In any plan two such
// shapes can swap places without moving a third, if sizes and alignments allow.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/detail/sort_by.hpp>

namespace repebble::inline v0::detail {

/// Groups the shapes that have all their bytes by equal sections; each of the others is alone.
class interchangeable_shapes {
  public:
    explicit interchangeable_shapes(compact_shapes const& c) : sorted_(c.count()), groups_(c.count()) {
        for (std::uint32_t s = 0; s < sorted_.size(); ++s) sorted_[s] = s;
        std::vector<std::uint8_t> whole(c.count(), 1);
        for (std::uint32_t s = 0; s < whole.size(); ++s)
            for (auto const& p : c.pieces_of(s))
                if (p.lower != 0 || p.upper != c.size[s]) whole[s] = 0;
        auto const precedes = [&](std::uint32_t a, std::uint32_t b) {
            if (whole[a] == 0 || whole[b] == 0) return whole[a] != whole[b] ? whole[a] < whole[b] : a < b;
            auto const x = c.pieces_of(a), y = c.pieces_of(b);
            return std::lexicographical_compare(
                x.begin(), x.end(), y.begin(), y.end(),
                [](auto const& p, auto const& q) { return p.first != q.first ? p.first < q.first : p.last < q.last; });
        };
        sort_numbers(sorted_, precedes);
        for (std::size_t first = 0, last = 0; first < sorted_.size(); first = last) {
            while (last < sorted_.size() && !precedes(sorted_[first], sorted_[last])) ++last;
            for (auto i = first; i < last; ++i) groups_[sorted_[i]] = {first, last};
        }
    }

    /// The shapes with the sections of this one, including itself, ascending.
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
