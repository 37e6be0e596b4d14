// Covers allocate/detail/search/squeaky_wheel.hpp.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/detail/search/squeaky_wheel.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/allocate/verify_offsets.hpp>

#include "support/catch.hpp"
#include "support/naive_offsets.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

/// The heights of plans in turn, each of them checked.
auto heights_of_orders(std::vector<buffer> const& buffers, int count) -> std::vector<bytes> {
    auto const shapes = repebble::detail::shapes_of(buffers);
    auto const c = repebble::detail::compact(shapes);
    std::vector<std::uint32_t> given(c.count());
    std::iota(given.begin(), given.end(), 0U);
    repebble::detail::occupied_bytes occupied(c.sections());
    repebble::detail::squeaky_wheel orders(c, given);
    std::vector<bytes> heights;
    for (int i = 0; i < count; ++i) {
        auto const plan = orders.run(occupied, c.lower_bound, repebble::detail::never_stop{});
        auto const verdict =
            verify_offsets(buffers, repebble::detail::offsets_of_buffers(buffers, shapes, c, plan.offsets));
        if (verdict.fault) return {};
        heights.push_back(plan.height);
    }
    return heights;
}

}  // namespace

TEST_CASE("a buffer that ends too high is placed earlier", "[squeaky_wheel]") {
    // In the given order the second lies on the first, and the third on the second.
    std::vector<buffer> const buffers{
        {.lifetime = {0, 2}, .size = 1}, {.lifetime = {1, 4}, .size = 1}, {.lifetime = {3, 5}, .size = 2}};
    auto const heights = heights_of_orders(buffers, 10);
    REQUIRE(heights.size() == 10);
    CHECK(heights.front() == 4);
    CHECK(*std::min_element(heights.begin(), heights.end()) == 3);
}

TEST_CASE("every corrected order gives a plan, also with pins, gaps and alignments", "[squeaky_wheel]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random{seed};
        auto const buffers = support::random_arena(
            random, 12, 8, 6, {.aligned_percent = 30, .pinned_percent = 20, .alias_percent = 20, .gaps = true});
        RC_ASSERT(heights_of_orders(buffers, 30).size() == 30U);
    }));
}
