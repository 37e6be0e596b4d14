// Covers allocate/detail/search/skyline_fit.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/detail/search/skyline_fit.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/allocate/fit_offsets.hpp>
#include <repebble/allocate/verify_offsets.hpp>

#include "support/catch.hpp"
#include "support/naive_offsets.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

constexpr auto any_height = std::numeric_limits<bytes>::max();
constexpr auto go_on = [] { return false; };

auto compact_of(std::vector<buffer> const& buffers) -> repebble::detail::compact_shapes {
    return repebble::detail::compact(repebble::detail::shapes_of(buffers));
}

}  // namespace

TEST_CASE("the tightest section decides which shape is placed first", "[skyline_fit]") {
    // Only in [3, 4), beside three of them, is no byte to spare at the bound.
    auto const c = compact_of({{.lifetime = {0, 2}, .size = 1},
                               {.lifetime = {1, 4}, .size = 1},
                               {.lifetime = {3, 5}, .size = 1},
                               {.lifetime = {3, 5}, .size = 1}});
    repebble::detail::skyline_fit fit(c);
    REQUIRE(c.lower_bound == 3);

    // The second is placed first: the first is not in that section.
    auto const second = fit.run(3, std::vector<double>{4, 3, 2, 1}, any_height, go_on);
    REQUIRE(second);
    CHECK(second->offsets == std::vector<bytes>{1, 0, 1, 2});
    CHECK(second->height == 3);
    // The third is; the first fits beside it on the floor, and the second on all others.
    auto const third = fit.run(3, std::vector<double>{4, 1, 3, 2}, any_height, go_on);
    REQUIRE(third);
    CHECK(third->offsets == std::vector<bytes>{0, 2, 0, 1});
    CHECK(third->height == 3);
}

TEST_CASE("offsets on a skyline are aligned", "[skyline_fit]") {
    auto const c = compact_of({{.lifetime = {0, 1}, .size = 3}, {.lifetime = {0, 1}, .size = 2, .alignment = 4}});
    repebble::detail::skyline_fit fit(c);
    auto const plan = fit.run(5, std::vector<double>{2, 1}, any_height, go_on);
    REQUIRE(plan);
    CHECK(plan->offsets == std::vector<bytes>{0, 4});
    CHECK(plan->height == 6);
}

TEST_CASE("a skyline takes neither pins nor gaps", "[skyline_fit]") {
    using repebble::detail::skyline_fit;
    CHECK(skyline_fit::supports(compact_of({{.lifetime = {0, 3}, .size = 1}})));
    CHECK_FALSE(skyline_fit::supports(compact_of({{.lifetime = {0, 3}, .size = 1, .pinned = 0}})));
    CHECK_FALSE(skyline_fit::supports(compact_of({{.lifetime = {0, 3}, .size = 1, .gaps = {{.lifetime = {1, 2}}}}})));
}

TEST_CASE("a skyline is filled by a valid plan, unless its height is not below the limit", "[skyline_fit]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random{seed};
        auto const buffers = support::random_arena(random, 14, 10, 6, {.aligned_percent = 30});
        auto const shapes = repebble::detail::shapes_of(buffers);
        auto const c = repebble::detail::compact(shapes);
        if (c.count() == 0) return;
        std::vector<double> priority(c.count());
        for (auto& p : priority) p = static_cast<double>(support::below(random, 5));
        auto const aim = c.lower_bound + support::between(random, 0, 3);
        repebble::detail::skyline_fit fit(c);

        auto const plan = fit.run(aim, priority, any_height, go_on);
        RC_ASSERT(plan.has_value());
        auto const verdict =
            verify_offsets(buffers, repebble::detail::offsets_of_buffers(buffers, shapes, c, plan->offsets));
        RC_ASSERT(!verdict.fault);
        bytes never_live = 0;  // a buffer of no lifetime lies at 0, and is no shape
        for (auto const& b : buffers)
            if (b.lifetime.empty()) never_live = std::max(never_live, b.size);
        RC_ASSERT(verdict.height == std::max(plan->height, never_live));
        RC_ASSERT(!fit.run(aim, priority, plan->height, go_on));
        auto const again = fit.run(aim, priority, plan->height + 1, go_on);
        RC_ASSERT(again.has_value());
        RC_ASSERT(again->offsets == plan->offsets);
    }));
}

TEST_CASE("a skyline is left when it is told to stop", "[skyline_fit]") {
    std::vector<buffer> const buffers(100, {.lifetime = {0, 1}, .size = 1});
    auto const c = compact_of(buffers);
    repebble::detail::skyline_fit fit(c);
    std::vector<double> const priority(c.count());
    CHECK(fit.run(100, priority, any_height, go_on));
    CHECK_FALSE(fit.run(100, priority, any_height, [] { return true; }));
}
