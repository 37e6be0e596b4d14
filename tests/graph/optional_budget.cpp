// Covers graph/optional_budget.hpp.
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include <repebble/graph/optional_budget.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

auto in_bytes(optional_budget b) -> std::optional<bytes> { return b; }

static_assert(!std::is_convertible_v<double, optional_budget>);
static_assert(!std::is_constructible_v<optional_budget, float>);

}  // namespace

TEST_CASE("a budget is a whole number of bytes, or none", "[budget]") {
    CHECK_FALSE(in_bytes({}));
    CHECK_FALSE(in_bytes(std::nullopt));
    CHECK_FALSE(in_bytes(std::optional<bytes>{}));
    CHECK(in_bytes(0) == 0);
    CHECK(in_bytes(7U) == 7);
    CHECK(in_bytes(std::optional<int>(7)) == 7);
    CHECK(in_bytes(std::numeric_limits<bytes>::max()) == std::numeric_limits<bytes>::max());
}

TEST_CASE("a negative budget is refused by its number, and a great one is not wrapped", "[budget]") {
    CHECK(support::throws<bad_weight>([] { return in_bytes(-1); }, {"budget", "negative: -1"}));
    CHECK(support::throws<bad_weight>([] { return in_bytes(std::optional<bytes>(-2)); }, {"-2"}));
    CHECK(support::throws<bad_weight>([] { return in_bytes(std::uint64_t{1} << 63); },
                                      {"above 2^63 - 1: 9223372036854775808"}));
}
