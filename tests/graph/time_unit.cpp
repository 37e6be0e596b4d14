// Covers graph/time_unit.hpp: how floating-point times become whole, and the way back.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/time_unit.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

using numbers = std::vector<double>;
using whole_numbers = std::vector<std::int64_t>;

/// The times are these multiples of 1 / per, and come back as they were given.
void is_exact(numbers const& given, whole_numbers const& times, double per) {
    auto const whole = detail::to_whole_times(given);
    CHECK(whole.times == times);
    CHECK(whole.unit == time_unit{.per = per});
    for (std::size_t i = 0; i < given.size(); ++i) CHECK(whole.unit.in_caller_units(times[i]) == given[i]);
}

/// Each time is rounded down by less than a unit, and all together are up to 2^40 units, but more than half of them.
void is_rounded(numbers const& given) {
    auto const [times, unit] = detail::to_whole_times(given);
    CHECK_FALSE(unit.exact);
    CHECK(unit.per == 1);
    int exponent = 0;
    CHECK(std::frexp(unit.size, &exponent) == 0.5);
    REQUIRE(times.size() == given.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        CHECK(unit.in_caller_units(times[i]) <= given[i]);
        CHECK(unit.in_caller_units(times[i] + 1) > given[i]);
    }
    auto const sum = std::accumulate(times.begin(), times.end(), std::int64_t{0});
    CHECK(sum <= std::int64_t{1} << 40);
    CHECK(sum > (std::int64_t{1} << 39) - static_cast<std::int64_t>(given.size()));
}

/// A decimal of up to six digits, of which up to six are behind the point.
auto random_decimal(support::split_mix& random) -> double {
    auto const digits = std::to_string(support::between(random, 0, 999'999));
    auto const places = support::below(random, 7);
    return std::stod(digits + "e-" + std::to_string(places));
}

}  // namespace

TEST_CASE("whole numbers stay what they are", "[time_unit]") {
    is_exact({}, {}, 1);
    is_exact({0.0, -0.0}, {0, 0}, 1);
    is_exact({3, 0, 120, 4e6}, {3, 0, 120, 4'000'000}, 1);
    is_exact({0x1p53 - 8, 7}, {(std::int64_t{1} << 53) - 8, 7}, 1);
}

TEST_CASE("decimals are whole multiples of the least power of ten that all of them need", "[time_unit]") {
    is_exact({0.1, 0.25}, {10, 25}, 100);
    is_exact({0.1, 0.2, 0.3}, {1, 2, 3}, 10);
    is_exact({1.5, 1000, 0}, {15, 10'000, 0}, 10);
    is_exact({1e-12, 2}, {1, 2'000'000'000'000}, 1e12);
    is_exact({0.07, 1e3}, {7, 100'000}, 100);
}

TEST_CASE("other times are rounded down to 2^-40 of their sum", "[time_unit]") {
    is_rounded({1.0 / 3});
    is_rounded({1, 2, 1.0 / 3});
    is_rounded({1e-13, 5});         // 13 digits behind the point
    is_rounded({1e-12, 9008});      // more than 2^53 of 10^-12
    is_rounded({0x1p53, 0x1p53});   // whole, but their sum is not exact
    is_rounded({1e300, 1e300, 1});  // whose sum is beyond 1e300
    is_rounded({1e-290, 3e-290});
    is_rounded(numbers(1000, 0.1 + 0.2));
}

TEST_CASE("the least times there are have fewer bits, or none", "[time_unit]") {
    auto const [times, unit] = detail::to_whole_times(numbers{1e-300});
    CHECK_FALSE(unit.exact);
    CHECK(times.front() > 0);
    CHECK(unit.in_caller_units(times.front()) <= 1e-300);
    CHECK(unit.in_caller_units(times.front() + 1) > 1e-300);
    auto const least = detail::to_whole_times(numbers{5e-324});
    CHECK_FALSE(least.unit.exact);
    CHECK(least.times == whole_numbers{0});
}

TEST_CASE("a time on its way into units is rounded up", "[time_unit]") {
    CHECK(time_unit{}.whole_above(3) == 3);
    CHECK(time_unit{}.whole_above(2.5) == 3);
    CHECK(time_unit{.per = 100}.whole_above(0.25) == 25);
    CHECK(time_unit{.per = 100}.whole_above(0.251) == 26);
    CHECK(time_unit{.size = 0x1p-3, .exact = false}.whole_above(1) == 8);
    CHECK(time_unit{.size = 8, .exact = false}.whole_above(1) == 1);
    CHECK(time_unit{.size = 8, .exact = false}.whole_above(0) == 0);
    CHECK(time_unit{}.whole_above(0x1p61) == std::int64_t{1} << 61);
    CHECK(support::throws<bad_weight>([] { return time_unit{}.whole_above(0x1p62); }, {"too long", "2^62"}));
    CHECK(support::throws<bad_weight>([] { return time_unit{.per = 10}.whole_above(1e300); }, {"too long"}));
}

TEST_CASE("random decimals come back as they were given, and sums are exact", "[time_unit][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        numbers given;
        for (auto n = 1 + support::below(random, 9); n > 0; --n) given.push_back(random_decimal(random));
        auto const [times, unit] = detail::to_whole_times(given);
        RC_ASSERT((unit.exact && unit.size == 1.0));
        bool is_least = unit.per == 1;
        for (std::size_t i = 0; i < given.size(); ++i) {
            RC_ASSERT(unit.in_caller_units(times[i]) == given[i]);
            RC_ASSERT(unit.whole_above(std::floor(given[i])) <= times[i]);
            is_least = is_least || times[i] % 10 != 0;
        }
        RC_ASSERT(is_least);
    }));
}

TEST_CASE("random times are whole where that is exact, or else rounded down", "[time_unit][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        numbers given;
        auto const exponent = static_cast<int>(support::between(random, -900, 900));
        for (auto n = 1 + support::below(random, 9); n > 0; --n)
            given.push_back(std::ldexp(static_cast<double>(support::between(random, 0, 1 << 20)) / 3, exponent));
        auto const [times, unit] = detail::to_whole_times(given);
        for (std::size_t i = 0; i < given.size(); ++i) {
            RC_ASSERT(unit.in_caller_units(times[i]) <= given[i]);
            RC_ASSERT(unit.in_caller_units(times[i] + 1) > given[i]);
            if (unit.exact) RC_ASSERT(unit.in_caller_units(times[i]) == given[i]);
        }
    }));
}

TEST_CASE("a float is the shortest decimal that reads back as it", "[time_unit]") {
    CHECK(detail::as_written(0.1F) == 0.1);
    CHECK(detail::as_written(3) == 3);
    CHECK(detail::as_written(0) == 0);
    CHECK(detail::as_written(16777216.0F) == 16777216.0);
}
