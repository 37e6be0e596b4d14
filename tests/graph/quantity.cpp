// Covers graph/quantity.hpp.
#include <cstdint>
#include <limits>
#include <string>

#include <repebble/graph/quantity.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::throws;

namespace {

constexpr auto name = [] { return std::string("weight of x"); };
constexpr auto most = std::numeric_limits<std::int64_t>::max();

static_assert(detail::to_bytes(3.0, name) == 3);

}  // namespace

TEST_CASE("weights may have any arithmetic type", "[quantity]") {
    CHECK_NOTHROW(detail::check_weight(true, name));
    CHECK_NOTHROW(detail::check_weight('a', name));
    CHECK_NOTHROW(detail::check_weight(std::uint8_t{200}, name));
    CHECK_NOTHROW(detail::check_weight(std::uint64_t{most}, name));
    CHECK_NOTHROW(detail::check_weight(0.25F, name));
    CHECK_NOTHROW(detail::check_weight(-0.0, name));
    CHECK_NOTHROW(detail::check_weight(1e300, name));
    CHECK_NOTHROW(detail::check_weight(std::numeric_limits<float>::max(), name));
    CHECK(detail::to_bytes(true, name) == 1);
    CHECK(detail::to_bytes('a', name) == 'a');
    CHECK(detail::to_bytes(std::uint64_t{most}, name) == most);
    CHECK(detail::to_bytes(9007199254740992.0, name) == std::int64_t{1} << 53);
}

TEST_CASE("weights that are none are refused by name", "[quantity]") {
    CHECK(throws<bad_weight>([] { detail::check_weight(-1, name); }, {"weight of x", "negative", "-1"}));
    CHECK(throws<bad_weight>([] { detail::check_weight(std::uint64_t{most} + 1, name); }, {"above 2^63 - 1"}));
    CHECK(throws<bad_weight>([] { return detail::to_bytes(1.5, name); }, {"weight of x", "whole"}));
    CHECK_THROWS_AS(detail::to_bytes(0x1p63, name), bad_weight);
    CHECK_THROWS_AS(detail::check_weight(-0.5, name), bad_weight);
    CHECK_THROWS_AS(detail::check_weight(std::numeric_limits<double>::quiet_NaN(), name), bad_weight);
    CHECK_THROWS_AS(detail::check_weight(std::numeric_limits<double>::infinity(), name), bad_weight);
    CHECK_THROWS_AS(detail::check_weight(std::numeric_limits<float>::infinity(), name), bad_weight);
    CHECK_THROWS_AS(detail::check_weight(std::numeric_limits<long double>::max(), name), bad_weight);
}

TEST_CASE("sums and products are checked", "[quantity]") {
    CHECK(checked_add(most - 1, std::int64_t{1}) == most);
    CHECK(throws<bad_weight>([] { return checked_add(most, std::int64_t{1}, "apples"); }, {"apples", "overflows"}));
    CHECK(checked_multiply(most / 2, std::int64_t{2}) == most - 1);
    CHECK_THROWS_AS(checked_multiply(most, std::int64_t{2}), bad_weight);
}
