// Covers detail/places_in.hpp.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/detail/places_in.hpp>

#include "support/catch.hpp"

using namespace repebble;

TEST_CASE("places_in: where each item stands, and 0 for those that do not") {
    std::vector<std::uint32_t> const order{3, 0, 2};
    CHECK(detail::places_in(order, 5) == std::vector<std::size_t>{1, 0, 2, 0, 0});
    CHECK(detail::places_in({}, 0).empty());
}
