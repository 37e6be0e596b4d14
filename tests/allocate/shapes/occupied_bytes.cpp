// Covers allocate/detail/shapes/occupied_bytes.hpp.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/detail/shapes/occupied_bytes.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

using repebble::detail::byte_set;
using repebble::detail::compact_piece;
using repebble::detail::occupied_bytes;

constexpr std::size_t naive_bytes = 64;

auto listed_intervals(byte_set const& set) -> std::vector<interval> {
    return {set.intervals().begin(), set.intervals().end()};
}
/// The runs of ones.
auto runs_of(std::array<bool, naive_bytes> const& bits) -> std::vector<interval> {
    std::vector<interval> runs;
    for (std::size_t i = 0; i < bits.size(); ++i) {
        if (!bits[i]) continue;
        auto const at = static_cast<bytes>(i);
        if (!runs.empty() && runs.back().upper == at)
            ++runs.back().upper;
        else
            runs.push_back({at, at + 1});
    }
    return runs;
}

/// A bit for every byte of every section.
class bitmap {
  public:
    explicit bitmap(std::size_t sections) : taken_(sections) {}
    void take(std::vector<compact_piece> const& pieces, bytes offset) {
        for (auto const& p : pieces)
            for (auto t = p.first; t < p.last; ++t)
                for (auto b = p.lower; b < p.upper; ++b) taken_[t][static_cast<std::size_t>(offset + b)] = true;
    }
    [[nodiscard]] auto is_free(std::vector<compact_piece> const& pieces, bytes offset) const -> bool {
        for (auto const& p : pieces)
            for (auto t = p.first; t < p.last; ++t)
                for (auto b = p.lower; b < p.upper; ++b)
                    if (taken_[t][static_cast<std::size_t>(offset + b)]) return false;
        return true;
    }

  private:
    std::vector<std::array<bool, 4 * naive_bytes>> taken_;
};

/// One to three pieces, one after the other in time.
auto random_pieces(support::split_mix& random, std::size_t sections) -> std::vector<compact_piece> {
    std::vector<compact_piece> pieces;
    std::uint32_t from = 0;
    for (auto count = 1 + support::below(random, 3); count > 0 && from < sections; --count) {
        auto const first = from + static_cast<std::uint32_t>(support::below(random, sections - from));
        auto const last = first + 1 + static_cast<std::uint32_t>(support::below(random, sections - first));
        auto const lower = support::between(random, 0, 5);
        pieces.push_back({first, last, lower, support::between(random, lower + 1, 8)});
        from = last;
    }
    return pieces;
}

}  // namespace

TEST_CASE("intervals that touch or overlap are merged", "[allocate]") {
    byte_set set;
    CHECK(set.add({4, 6}));
    CHECK(set.add({8, 9}));
    CHECK(listed_intervals(set) == std::vector<interval>{{4, 6}, {8, 9}});
    CHECK(set.add({6, 7}));
    CHECK_FALSE(set.add({5, 7}));
    CHECK(set.add({0, 1}));
    CHECK(listed_intervals(set) == std::vector<interval>{{0, 1}, {4, 7}, {8, 9}});
    CHECK(set.add({1, 20}));
    CHECK(listed_intervals(set) == std::vector<interval>{{0, 20}});
    set.clear();
    CHECK(listed_intervals(set).empty());
}

TEST_CASE("a byte set agrees with a bitmap", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        byte_set set;
        std::array<bool, naive_bytes> bits{};
        for (auto count = support::below(random, 30); count > 0; --count) {
            auto const lower = support::below(random, naive_bytes - 1);
            auto const upper = std::min(naive_bytes, lower + 1 + support::below(random, 9));
            bool fresh = false;
            for (auto i = lower; i < upper; ++i) fresh |= !std::exchange(bits[i], true);
            RC_ASSERT(set.add({static_cast<bytes>(lower), static_cast<bytes>(upper)}) == fresh);
            RC_ASSERT(listed_intervals(set) == runs_of(bits));
        }
    }));
}

TEST_CASE("first fit, best fit and free positions agree with a bitmap", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const sections = 1 + support::below(random, 20);
        occupied_bytes occupied(sections);
        bitmap naive(sections);
        for (auto count = support::below(random, 25); count > 0; --count) {
            auto const pieces = random_pieces(random, sections);
            auto const alignment = support::between(random, 1, 5);
            auto const from = support::chance(random, 50) ? 0 : support::between(random, 0, 40);
            auto lowest = repebble::detail::aligned(from, alignment);
            while (!naive.is_free(pieces, lowest)) lowest += alignment;
            RC_ASSERT(occupied.first_fit(pieces, alignment, from) == lowest);
            auto const somewhere = support::between(random, 0, 60);
            RC_ASSERT(occupied.is_free(pieces, somewhere) == naive.is_free(pieces, somewhere));
            auto const at = support::chance(random, 50) ? lowest : somewhere;  // overlaps are allowed
            occupied.take(pieces, at);
            naive.take(pieces, at);
        }
        occupied.clear();
        RC_ASSERT(occupied.first_fit(random_pieces(random, sections), 1) == 0);
    }));
}
