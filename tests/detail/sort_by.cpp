// Covers detail/sort_by.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/detail/sort_by.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace {

using namespace repebble;

using numbered = std::pair<int, std::size_t>;

/// Numbers the keys.
auto numbered_keys(std::vector<int> const& keys) -> std::vector<numbered> {
    std::vector<numbered> all;
    for (std::size_t k = 0; k < keys.size(); ++k) all.emplace_back(keys[k], k);
    return all;
}

}  // namespace

TEST_CASE("sort_by: as a stable sort, of all items or from one on") {
    CHECK(support::holds([] {
        auto const keys = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6));
        auto const from = *rc::gen::inRange<std::size_t>(0, keys.size() + 1);
        auto items = numbered_keys(keys);
        detail::sort_by(
            items, [](numbered const& a, numbered const& b) { return a.first > b.first; }, from);
        auto expected = numbered_keys(keys);
        std::stable_sort(expected.begin() + static_cast<std::ptrdiff_t>(from), expected.end(),
                         [](numbered const& a, numbered const& b) { return a.first > b.first; });
        RC_ASSERT(items == expected);
    }));
}

TEST_CASE("sort_numbers: equal ones by number") {
    std::vector<std::uint32_t> numbers{5, 4, 3, 2, 1, 0};
    detail::sort_numbers(numbers, [](std::uint32_t a, std::uint32_t b) { return a % 2 > b % 2; });
    CHECK(numbers == std::vector<std::uint32_t>{1, 3, 5, 0, 2, 4});
}
