// Covers allocate/live_bytes.hpp.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/live_bytes.hpp>

#include "support/catch.hpp"
#include "support/naive_offsets.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

TEST_CASE("the greatest live bytes come with the first time at which they occur", "[allocate]") {
    CHECK(find_live_bytes({}) == live_bytes{0, 0});
    // One ends as another begins: they are never live together.
    CHECK(find_live_bytes(std::vector<buffer>{{.lifetime = {0, 3}, .size = 4}, {.lifetime = {3, 9}, .size = 4}}) ==
          live_bytes{4, 0});
    CHECK(find_live_bytes(std::vector<buffer>{{.lifetime = {0, 4}, .size = 4}, {.lifetime = {3, 9}, .size = 4}}) ==
          live_bytes{8, 3});
    // In the gap of the first lies the second.
    CHECK(find_live_bytes(std::vector<buffer>{{.lifetime = {0, 9}, .size = 6, .gaps = {{{3, 6}, interval{0, 2}}}},
                                              {.lifetime = {3, 6}, .size = 3}}) == live_bytes{6, 0});
}

TEST_CASE("live bytes agree with the definition", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const buffers = support::random_arena(random, support::below(random, 8), 12, 6,
                                                   {.alias_percent = support::below(random, 2) * 30, .gaps = true});
        auto const shapes = support::naive_shapes(buffers, 12);
        live_bytes most;
        for (std::int64_t time = 0; time < 12; ++time) {
            bytes now = 0;
            for (auto const& s : shapes) now += std::popcount(s.at[static_cast<std::size_t>(time)]);
            if (now > most.most) most = {now, time};
        }
        RC_ASSERT(find_live_bytes(buffers) == most);
    }));
}

TEST_CASE("a sum of live bytes beyond 64 bits is refused", "[allocate]") {
    auto const half = std::numeric_limits<bytes>::max() / 2 + 1;
    CHECK(support::throws<bad_weight>(
        [&] {
            return find_live_bytes(
                std::vector<buffer>{{.lifetime = {0, 2}, .size = half}, {.lifetime = {1, 2}, .size = half}});
        },
        {"live bytes"}));
}
