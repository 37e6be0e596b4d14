#ifndef REPEBBLE_DECOMPOSITION_DETAIL_BITS_BIT_MATRIX_ROWS_HPP
#define REPEBBLE_DECOMPOSITION_DETAIL_BITS_BIT_MATRIX_ROWS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>

namespace repebble::inline v0::detail {

/// Calls f with the number of each bit that is set in a word of a row, the at-th one.
template <class F>
void for_each_in_word(std::uint64_t bits, std::size_t at, F const& f) {
    for (; bits != 0; bits &= bits - 1) f(at * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
}

/// Two rows of bits, and columns that count how often each bit was set in both: bit p of the count of a column lies in
/// planes[word * depth + p].
template <class Word = std::uint64_t>
struct common_bits {
    static constexpr std::size_t depth = 8;

    Word const* one = nullptr;
    Word const* other = nullptr;
    std::size_t words = 0;
    Word* planes = nullptr;
};

/// Inlined into functions for each kind of processor, whose instructions it then uses. Returns how many bits are set in
/// both rows.
template <class Word>
[[gnu::always_inline]] inline auto add_common(common_bits<Word> const& of) -> std::int64_t {
    std::int64_t common = 0;
    for (std::size_t k = 0; k < of.words; ++k) {
        auto carry = of.one[k] & of.other[k];
        common += std::popcount(carry);
        auto* const planes = of.planes + k * common_bits<Word>::depth;
        for (std::size_t p = 0; carry != 0; ++p) {
            auto const next = planes[p] & carry;
            planes[p] ^= carry;
            carry = next;
        }
    }
    return common;
}
/// How many bits are set in the first row only.
template <class Word>
[[gnu::always_inline]] inline auto count_missing(Word const* of, Word const* in, std::size_t words) -> std::int64_t {
    std::int64_t missing = 0;
    for (std::size_t k = 0; k < words; ++k) missing += std::popcount(of[k] & ~in[k]);
    return missing;
}

/// The functions for the processor that the program runs on.
struct bit_kernels {
    std::int64_t (*count_common)(common_bits<> const&) = nullptr;
    std::int64_t (*missing)(std::uint64_t const*, std::uint64_t const*, std::size_t) = nullptr;
};

inline auto common_in_any_way(common_bits<> const& of) -> std::int64_t { return add_common(of); }
inline auto missing_in_any_way(std::uint64_t const* of, std::uint64_t const* in, std::size_t words) -> std::int64_t {
    return count_missing(of, in, words);
}

#if defined(__x86_64__)

[[gnu::target("popcnt")]] inline auto common_by_popcnt(common_bits<> const& of) -> std::int64_t {
    return add_common(of);
}
[[gnu::target("popcnt")]] inline auto missing_by_popcnt(std::uint64_t const* of, std::uint64_t const* in,
                                                        std::size_t words) -> std::int64_t {
    return count_missing(of, in, words);
}
[[nodiscard]] inline auto fastest_bits() -> bit_kernels {
    if (__builtin_cpu_supports("popcnt")) return {&common_by_popcnt, &missing_by_popcnt};
    return {&common_in_any_way, &missing_in_any_way};
}

#else

[[nodiscard]] inline auto fastest_bits() -> bit_kernels { return {&common_in_any_way, &missing_in_any_way}; }

#endif

}  // namespace repebble::inline v0::detail

#endif
