#ifndef REPEBBLE_DETAIL_JAGGED_ARRAY_HPP
#define REPEBBLE_DETAIL_JAGGED_ARRAY_HPP

// Compressed rows (the CSR layout): an array of rows of different length in two vectors. Graphs, dataflows and all "for
// each x, the list of its y" use it.  Invariant: row r is items [start(r), start(r + 1)).

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace repebble::inline v0::detail {

/// An array of rows of different length, all in one block of memory.
template <class T>
class jagged_array {
  public:
    constexpr jagged_array() = default;

    /// Row r holds the second members of all pairs whose first member is r, in the order of the pairs.
    template <class Row>
    constexpr jagged_array(std::size_t rows, std::vector<std::pair<Row, T>> const& pairs)
        : starts_(rows + 1, 0), items_(pairs.size(), T{}) {  // clang 16: the fill makes it constexpr
        for (auto const& [row, item] : pairs) ++starts_[static_cast<std::size_t>(row) + 1];
        for (std::size_t r = 0; r < rows; ++r) starts_[r + 1] += starts_[r];
        auto next = starts_;
        for (auto const& [row, item] : pairs) items_[next[static_cast<std::size_t>(row)]++] = item;
    }

    /// Makes room for so many rows and items.
    constexpr void reserve(std::size_t rows, std::size_t items) {
        starts_.reserve(rows + 1);
        items_.reserve(items);
    }
    template <class Range>
    constexpr void append(Range const& row) {
        for (auto const& item : row) items_.push_back(static_cast<T>(item));
        starts_.push_back(items_.size());
    }

    [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return starts_.size() - 1; }
    [[nodiscard]] constexpr auto item_count() const noexcept -> std::size_t { return items_.size(); }
    /// Position of the row's first item in the block; an array with one entry per item is indexed by it.
    [[nodiscard]] constexpr auto start(std::size_t row) const noexcept -> std::size_t { return starts_[row]; }
    [[nodiscard]] constexpr auto operator[](std::size_t row) const noexcept -> std::span<T const> {
        return joined(row, row + 1);
    }

    /// The items of rows [first, last), one row after the other.
    [[nodiscard]] constexpr auto joined(std::size_t first, std::size_t last) const noexcept -> std::span<T const> {
        return {items_.data() + starts_[first], starts_[last] - starts_[first]};
    }

    /// Row i of the result lists, in ascending order, the rows of this one in which i occurs.
    template <class Row = T>
    [[nodiscard]] constexpr auto transposed(std::size_t rows) const -> jagged_array<Row> {
        jagged_array<Row> out;
        out.starts_.resize(rows + 1, 0);
        out.items_.resize(items_.size(), Row{});
        for (auto const& item : items_) ++out.starts_[static_cast<std::size_t>(item) + 1];
        for (std::size_t r = 0; r < rows; ++r) out.starts_[r + 1] += out.starts_[r];
        auto next = out.starts_;
        for (std::size_t r = 0; r < size(); ++r)
            for (auto const& item : (*this)[r]) out.items_[next[static_cast<std::size_t>(item)]++] = static_cast<Row>(r);
        return out;
    }

    friend constexpr auto operator==(jagged_array const&, jagged_array const&) -> bool = default;

  private:
    template <class>
    friend class jagged_array;

    std::vector<std::size_t> starts_ = std::vector<std::size_t>(1, 0);
    std::vector<T> items_;
};

}  // namespace repebble::inline v0::detail

#endif
