#ifndef REPEBBLE_DETAIL_POSITION_BITS_HPP
#define REPEBBLE_DETAIL_POSITION_BITS_HPP

// Bitsets as rows of words in storage of the caller's, position 0 being the highest bit of the first word. Read as one
// binary number, a set is greater than its subsets, and adding the same new members to two sets keeps their order; so
// families of sets can be sorted and merged. Used for families of lower sets.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace repebble::inline v0::detail::position_bits {

using word = std::uint64_t;
inline constexpr std::size_t word_bits = 64;

[[nodiscard]] constexpr auto words_for(std::size_t universe) noexcept -> std::size_t {
    return (universe + word_bits - 1) / word_bits;
}
[[nodiscard]] constexpr auto bit_of(std::size_t v) noexcept -> word {
    return word{1} << (word_bits - 1 - v % word_bits);
}
[[nodiscard]] constexpr auto has(word const* set, std::size_t v) noexcept -> bool {
    return (set[v / word_bits] & bit_of(v)) != 0;
}
constexpr void insert(word* set, std::size_t v) noexcept { set[v / word_bits] |= bit_of(v); }
constexpr void erase(word* set, std::size_t v) noexcept { set[v / word_bits] &= ~bit_of(v); }

constexpr void add(word* set, word const* other, std::size_t words) noexcept {
    for (std::size_t k = 0; k < words; ++k) set[k] |= other[k];
}
[[nodiscard]] constexpr auto meets(word const* a, word const* b, std::size_t words) noexcept -> bool {
    word common = 0;
    for (std::size_t k = 0; k < words; ++k) common |= a[k] & b[k];
    return common != 0;
}
[[nodiscard]] constexpr auto is_subset(word const* a, word const* b, std::size_t words) noexcept -> bool {
    word missing = 0;
    for (std::size_t k = 0; k < words; ++k) missing |= a[k] & ~b[k];
    return missing == 0;
}
[[nodiscard]] constexpr auto equal(word const* a, word const* b, std::size_t words) noexcept -> bool {
    word different = 0;
    for (std::size_t k = 0; k < words; ++k) different |= a[k] ^ b[k];
    return different == 0;
}
/// Whether a is smaller than b, both read as binary numbers.
[[nodiscard]] constexpr auto less(word const* a, word const* b, std::size_t words) noexcept -> bool {
    for (std::size_t k = 0; k < words; ++k)
        if (a[k] != b[k]) return a[k] < b[k];
    return false;
}

/// Calls f(v) for the members of the k-th word, in ascending order.
template <class F>
constexpr void for_each_of_word(word members, std::size_t k, F&& f) {
    while (members != 0) {
        auto const v = k * word_bits + static_cast<std::size_t>(std::countl_zero(members));
        members &= ~bit_of(v);
        f(v);
    }
}
/// Calls f(v) for every member, in ascending order.
template <class F>
constexpr void for_each(word const* set, std::size_t words, F&& f) {
    for (std::size_t k = 0; k < words; ++k) for_each_of_word(set[k], k, f);
}

}  // namespace repebble::inline v0::detail::position_bits

#endif
