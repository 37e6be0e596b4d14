#ifndef REPEBBLE_ALLOCATE_DETAIL_SEARCH_TRANSPOSITION_TABLE_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SEARCH_TRANSPOSITION_TABLE_HPP

// A transposition table of failed positions, as in game search: a direct-mapped hash table of 128-bit keys.
// `offset_search` consults it before it expands a position. A collision of keys would make the search incomplete; 128
// bits make that improbable.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace repebble::inline v0::detail {

/// A set of positions without a plan; an insertion replaces the entry in its slot.
class transposition_table {
  public:
    using key = std::array<std::uint64_t, 2>;
    [[nodiscard]] auto contains(key const& k) const { return table_[k[0] % table_.size()] == k; }
    void insert(key const& k) { table_[k[0] % table_.size()] = k; }
    void clear() { std::fill(table_.begin(), table_.end(), key{}); }

  private:
    std::vector<key> table_ = std::vector<key>(std::size_t{1} << 15);
};

/// A mixing function of 64-bit words for hash keys and noise.
[[nodiscard]] constexpr auto mixed(std::uint64_t x) noexcept -> std::uint64_t {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

}  // namespace repebble::inline v0::detail

#endif
