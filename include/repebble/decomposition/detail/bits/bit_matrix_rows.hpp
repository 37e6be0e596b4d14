#ifndef REPEBBLE_DECOMPOSITION_DETAIL_BITS_BIT_MATRIX_ROWS_HPP
#define REPEBBLE_DECOMPOSITION_DETAIL_BITS_BIT_MATRIX_ROWS_HPP

// Kernels on rows of bit matrices: counts of common and missing bits, and vertical counters (bit-sliced addition) that
// count per column. Compiled for the instruction sets at hand and selected at run time. `dense_fill` and
// `dense_contraction` use them.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace repebble::inline v0::detail {

/// Calls f with the index of each set bit in word number `at` of a row.
template <class F>
void for_each_in_word(std::uint64_t bits, std::size_t at, F const& f) {
    for (; bits != 0; bits &= bits - 1) f(at * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
}

/// Two rows of bits, and vertical counters of how often each bit was set in both: bit p of a column's count lies in
/// planes[word * depth + p].
template <class Word = std::uint64_t>
struct common_bits {
    static constexpr std::size_t depth = 8;

    Word const* one = nullptr;
    Word const* other = nullptr;
    std::size_t words = 0;
    Word* planes = nullptr;
};

/// Counts the common bits of two rows and adds them to the counters. Inlined into one function for each instruction
/// set.
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
/// The number of bits set in the first row only.
template <class Word>
[[gnu::always_inline]] inline auto count_missing(Word const* of, Word const* in, std::size_t words) -> std::int64_t {
    std::int64_t missing = 0;
    for (std::size_t k = 0; k < words; ++k) missing += std::popcount(of[k] & ~in[k]);
    return missing;
}

/// The kernels for the processor at run time.
struct bit_kernels {
    std::int64_t (*count_common)(common_bits<> const&) = nullptr;
    std::int64_t (*missing)(std::uint64_t const*, std::uint64_t const*, std::size_t) = nullptr;
};

inline auto common_portable(common_bits<> const& of) -> std::int64_t { return add_common(of); }
inline auto missing_portable(std::uint64_t const* of, std::uint64_t const* in, std::size_t words) -> std::int64_t {
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
[[nodiscard]] inline auto select_bit_kernels() -> bit_kernels {
    if (__builtin_cpu_supports("popcnt")) return {&common_by_popcnt, &missing_by_popcnt};
    return {&common_portable, &missing_portable};
}

#else

[[nodiscard]] inline auto select_bit_kernels() -> bit_kernels { return {&common_portable, &missing_portable}; }

#endif

}  // namespace repebble::inline v0::detail

#endif
