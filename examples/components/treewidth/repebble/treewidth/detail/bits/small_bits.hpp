#ifndef REPEBBLE_TREEWIDTH_DETAIL_BITS_SMALL_BITS_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_BITS_SMALL_BITS_HPP

// A fixed-size bit set with the operations of the exact search. `positive_instances` is instantiated for 1 to 16 words.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace repebble::inline v0::detail {

/// A set of numbers below 64 · Words.
template <std::size_t Words>
struct small_bits {
    std::array<std::uint64_t, Words> words{};

    void insert(std::size_t k) noexcept { words[k / 64] |= std::uint64_t{1} << k % 64; }
    [[nodiscard]] auto contains(std::size_t k) const noexcept -> bool { return (words[k / 64] >> k % 64 & 1U) != 0; }
    [[nodiscard]] auto size() const noexcept -> std::size_t {
        std::size_t sum = 0;
        for (auto const w : words) sum += static_cast<std::size_t>(std::popcount(w));
        return sum;
    }
    [[nodiscard]] auto empty() const noexcept -> bool {
        std::uint64_t any = 0;
        for (auto const w : words) any |= w;
        return any == 0;
    }
    [[nodiscard]] auto meets(small_bits const& other) const noexcept -> bool {
        std::uint64_t any = 0;
        for (std::size_t k = 0; k < Words; ++k) any |= words[k] & other.words[k];
        return any != 0;
    }
    /// The least element.  Requires: not empty.
    [[nodiscard]] auto lowest() const noexcept -> std::size_t {
        std::size_t k = 0;
        while (words[k] == 0) ++k;
        return k * 64 + static_cast<std::size_t>(std::countr_zero(words[k]));
    }
    template <class F>
    void for_each(F const& f) const {
        for (std::size_t k = 0; k < Words; ++k)
            for (auto bits = words[k]; bits != 0; bits &= bits - 1)
                f(k * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }
    auto operator|=(small_bits const& other) noexcept -> small_bits& {
        for (std::size_t k = 0; k < Words; ++k) words[k] |= other.words[k];
        return *this;
    }
    auto operator&=(small_bits const& other) noexcept -> small_bits& {
        for (std::size_t k = 0; k < Words; ++k) words[k] &= other.words[k];
        return *this;
    }
    /// Set difference.
    auto operator-=(small_bits const& other) noexcept -> small_bits& {
        for (std::size_t k = 0; k < Words; ++k) words[k] &= ~other.words[k];
        return *this;
    }
    friend auto operator|(small_bits a, small_bits const& b) noexcept -> small_bits { return a |= b; }
    friend auto operator&(small_bits a, small_bits const& b) noexcept -> small_bits { return a &= b; }
    friend auto operator-(small_bits a, small_bits const& b) noexcept -> small_bits { return a -= b; }
    friend auto operator==(small_bits const&, small_bits const&) -> bool = default;

    struct hash {
        [[nodiscard]] auto operator()(small_bits const& set) const noexcept -> std::size_t {
            std::uint64_t h = 0;
            for (auto const w : set.words) {
                h = (h ^ w) * 0x9E3779B97F4A7C15U;
                h ^= h >> 29U;
            }
            return h;
        }
    };
};

}  // namespace repebble::inline v0::detail

#endif
