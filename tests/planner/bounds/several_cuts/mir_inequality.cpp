// Covers planner/detail/bounds/several_cuts/mir_inequality.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/planner/detail/bounds/several_cuts/mir_inequality.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

TEST_CASE("mir_inequality: of values larger than half of the capacity one is kept at most") {
    std::vector<detail::kept_share> const parts{{0, 3, 0.5}, {1, 3, 0.5}, {2, 3, 0.5}};
    // Divided by 3: each counts 1, of 5 bytes that is 1 and a rest of 2.
    detail::rounded_capacity const by_three(parts, 5, 3);
    CHECK(by_three.row(4, 3) == detail::mir_inequality{4, 1, {1, 1, 1}});
    CHECK(by_three.excess() == Approx(0.5));
    auto const found = detail::violated_mir(parts, 5, 4, 3);
    REQUIRE(found);
    CHECK(found->cut == 4);
    CHECK(found->sizes[0] == found->capacity);
    SECTION("the rest of a size counts as far as it is above that of the room") {
        // Of 4 bytes, divided by 3, there is 1 whole part and a rest of 1: 5 bytes have one and a rest of 2.
        std::vector<detail::kept_share> const two{{0, 5, 0.4}, {1, 3, 0.4}};
        CHECK(detail::rounded_capacity(two, 4, 3).row(0, 2) == detail::mir_inequality{0, 2, {3, 2}});
        // Without a remainder the inequality is that of the bytes.
        CHECK(detail::rounded_capacity(two, 3, 3).excess() <= 0);
    }
    SECTION("of what fits there is nothing to say") {
        CHECK_FALSE(detail::violated_mir(std::vector<detail::kept_share>{{0, 3, 1}, {1, 3, 0}, {2, 3, 0}}, 5, 0, 3));
        CHECK_FALSE(detail::violated_mir(parts, 9, 0, 3));
        CHECK_FALSE(detail::violated_mir({}, 5, 0, 3));
    }
    SECTION("what is mostly kept counts by what is not") {
        // Of a + b + c <= 14, with sizes of 10, 5 and 4, 3/4 of a is too much beside b and c: by 5, 1 - b and 1 - c
        // make room for it.
        std::vector<detail::kept_share> const mostly{{0, 10, 0.4}, {1, 5, 1}, {2, 4, 1}};
        auto const row = detail::violated_mir(mostly, 14, 0, 3);
        REQUIRE(row);
        auto const kept = [&](std::vector<int> const& is_kept) {
            bytes all = 0;
            for (std::size_t k = 0; k < 3; ++k) all += is_kept[k] * row->sizes[k];
            return all;
        };
        CHECK(kept({0, 1, 1}) <= row->capacity);
        CHECK(kept({1, 0, 1}) <= row->capacity);
        CHECK(kept({1, 1, 1}) > row->capacity);
    }
}

TEST_CASE("mir_inequality: valid for every choice that fits, and violated by the shares by its excess", "[property]") {
    std::size_t found = 0, tight = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        support::split_mix random(seed);
        auto const n = 2 + support::below(random, 8);
        std::vector<detail::kept_share> parts;
        bytes all = 0;
        for (std::size_t k = 0; k < n; ++k) {
            auto const size = static_cast<bytes>(1 + support::below(random, 30));
            parts.push_back(
                {static_cast<value_index>(k), size, static_cast<double>(support::below(random, 101)) / 100});
            all += size;
        }
        auto const room = static_cast<bytes>(support::below(random, static_cast<std::size_t>(all)));
        auto const divisor = static_cast<bytes>(2 + support::below(random, 40));
        detail::rounded_capacity const rounded(parts, room, divisor);
        auto const row = rounded.row(0, n);
        for (std::uint32_t kept = 0; kept < 1U << n; ++kept) {
            bytes size = 0, counted = 0;
            for (std::size_t k = 0; k < n; ++k) {
                if ((kept >> k & 1U) == 0) continue;
                size += parts[k].size;
                counted += row.sizes[k];
            }
            CAPTURE(seed, kept, room, divisor);
            if (size <= room) REQUIRE(counted <= row.capacity);
            if (size <= room && counted == row.capacity) ++tight;
        }
        CHECK(std::ranges::min(row.sizes) >= 0);
        for (auto const& p : parts) CHECK(row.sizes[p.value] <= p.size);
        double kept = 0;
        for (auto const& p : parts) kept += p.share * static_cast<double>(row.sizes[p.value]);
        auto const beyond = kept - static_cast<double>(row.capacity);
        if (rounded.excess() > 0) {
            ++found;
            CHECK(beyond > 0);
            CHECK(rounded.excess() == Approx(beyond / std::max(1.0, static_cast<double>(row.capacity))));
        }
    }
    CHECK(found > 20);
    CHECK(tight > 20);
}
