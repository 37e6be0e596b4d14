#ifndef REPEBBLE_GRAPH_VERTEX_SET_HPP
#define REPEBBLE_GRAPH_VERTEX_SET_HPP

// A bitset over vertex indices. Lower sets, boundaries and closures are of this type. Invariant: bits beyond the
// universe are zero.

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// A set of vertex indices 0 … n-1. Union, intersection and difference cost n/64 word operations.
class vertex_set {
  public:
    /// 64 vertices.
    using word = std::uint64_t;
    static constexpr std::size_t word_bits = 64;  ///< vertices in a word

    /// The number of words that so many vertices take.
    [[nodiscard]] static constexpr auto words_for(std::size_t universe) noexcept -> std::size_t {
        return (universe + word_bits - 1) / word_bits;
    }

    constexpr vertex_set() = default;
    /// The empty set over 0 … universe-1.
    constexpr explicit vertex_set(std::size_t universe) : universe_(universe), words_(words_for(universe), 0) {}
    /// The set with these words.  Requires: words_for(universe) words, no bit outside the universe.
    constexpr vertex_set(std::size_t universe, std::span<word const> words)
        : universe_(universe), words_(words.begin(), words.end()) {
        REPEBBLE_ASSERT(words.size() == words_for(universe));
        REPEBBLE_ASSERT(universe % word_bits == 0 || words.back() >> (universe % word_bits) == 0);
    }

    /// The set of all vertices.
    [[nodiscard]] static constexpr auto full(std::size_t universe) -> vertex_set {
        vertex_set all(universe);
        for (auto& w : all.words_) w = ~word{0};
        if (universe % word_bits != 0) all.words_.back() = (word{1} << (universe % word_bits)) - 1;
        return all;
    }

    /// The number of vertices that there are.
    [[nodiscard]] constexpr auto universe() const noexcept -> std::size_t { return universe_; }
    /// Bit v % 64 of word v / 64 stands for vertex v.
    [[nodiscard]] constexpr auto words() const noexcept -> std::span<word const> { return words_; }
    /// As above, to be changed; bits beyond the universe must stay 0.
    [[nodiscard]] constexpr auto words() noexcept -> std::span<word> { return words_; }

    /// Whether v is a member.
    [[nodiscard]] constexpr auto contains(std::size_t v) const -> bool {
        REPEBBLE_ASSERT(v < universe_);
        return ((words_[v / word_bits] >> (v % word_bits)) & 1U) != 0;
    }
    /// Makes v a member.
    constexpr void insert(std::size_t v) {
        REPEBBLE_ASSERT(v < universe_);
        words_[v / word_bits] |= word{1} << (v % word_bits);
    }
    /// Removes v.
    constexpr void erase(std::size_t v) {
        REPEBBLE_ASSERT(v < universe_);
        words_[v / word_bits] &= ~(word{1} << (v % word_bits));
    }

    [[nodiscard]] constexpr auto size() const noexcept -> std::size_t {
        std::size_t count = 0;
        for (word const w : words_) count += static_cast<std::size_t>(std::popcount(w));
        return count;
    }
    [[nodiscard]] constexpr auto empty() const noexcept -> bool {
        for (word const w : words_)
            if (w != 0) return false;
        return true;
    }
    /// Whether all members are in the other set.  O(n / 64).
    [[nodiscard]] constexpr auto is_subset_of(vertex_set const& other) const -> bool {
        REPEBBLE_ASSERT(universe_ == other.universe_);
        for (std::size_t i = 0; i < words_.size(); ++i)
            if ((words_[i] & ~other.words_[i]) != 0) return false;
        return true;
    }

  private:
    template <class F>  // defined before its uses, which clang 16 needs in constant expressions
    constexpr auto combine(vertex_set const& other, F f) -> vertex_set& {
        REPEBBLE_ASSERT(universe_ == other.universe_);
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = f(words_[i], other.words_[i]);
        return *this;
    }

  public:
    constexpr auto operator|=(vertex_set const& other) -> vertex_set& {
        return combine(other, [](word a, word b) { return a | b; });
    }
    constexpr auto operator&=(vertex_set const& other) -> vertex_set& {
        return combine(other, [](word a, word b) { return a & b; });
    }
    constexpr auto operator-=(vertex_set const& other) -> vertex_set& {
        return combine(other, [](word a, word b) { return a & ~b; });
    }
    [[nodiscard]] friend constexpr auto operator|(vertex_set a, vertex_set const& b) -> vertex_set { return a |= b; }
    [[nodiscard]] friend constexpr auto operator&(vertex_set a, vertex_set const& b) -> vertex_set { return a &= b; }
    [[nodiscard]] friend constexpr auto operator-(vertex_set a, vertex_set const& b) -> vertex_set { return a -= b; }

    friend constexpr auto operator==(vertex_set const&, vertex_set const&) -> bool = default;

    /// Calls f(v) for every member, in ascending order.
    template <class F>
    constexpr void for_each(F&& f) const {
        for (std::size_t i = 0; i < words_.size(); ++i)
            for (word rest = words_[i]; rest != 0; rest &= rest - 1)
                f(i * word_bits + static_cast<std::size_t>(std::countr_zero(rest)));
    }

    /// The members in ascending order.
    [[nodiscard]] constexpr auto to_vector() const -> std::vector<std::size_t> {
        std::vector<std::size_t> members;
        for_each([&](std::size_t v) { members.push_back(v); });
        return members;
    }

    /// Sum of weight[v] over the members; weights by index.  Throws bad_weight where it overflows.
    [[nodiscard]] constexpr auto sum(std::span<std::int64_t const> weight) const -> std::int64_t {
        REPEBBLE_ASSERT(weight.size() == universe_);
        std::int64_t total{};
        for_each([&](std::size_t v) { total = checked_add(total, weight[v], "weights"); });
        return total;
    }
    /// The sum of the members' weights.
    [[nodiscard]] constexpr auto sum(std::vector<std::int64_t> const& weight) const -> std::int64_t {
        return sum(std::span<std::int64_t const>(weight));
    }

  private:
    std::size_t universe_ = 0;
    std::vector<word> words_;
};

}  // namespace repebble::inline v0

#endif
