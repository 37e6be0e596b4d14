// Covers planner/detail/swapping/exact_swaps.hpp, planner/detail/swapping/swap_gaps.hpp.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/detail/model/memory_floor.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/swapping/exact_swaps.hpp>
#include <repebble/planner/detail/swapping/swap_gaps.hpp>

#include "support/brute_swapping.hpp"
#include "support/catch.hpp"
#include "support/cuts.hpp"
#include "support/generators.hpp"

using namespace repebble;
using support::between;

TEST_CASE("exact_swaps: no list is faster, over a link of one lane and of two") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        support::split_mix random(seed);
        auto const flow = support::random_without_views(random, 4 + seed % 2, 0);
        auto const m = detail::make_planning_model(flow);
        host_link<std::int64_t> const via{.size = 1, .time = between(random, 1, 2), .half_duplex = seed % 4 != 0};
        auto const budget = between(random, detail::floor_of(m).size, replay(flow, liveness(flow)).peak);
        CAPTURE(seed, budget, via.half_duplex);
        detail::swap_gaps const problem(m, via, budget, std::nullopt, std::vector<bool>(m.value_count(), true), 0);
        auto const found = detail::exact_swaps(problem).search({}, 300'000, [] { return false; });
        if (!found.bound) continue;
        ++compared;
        CHECK_FALSE(support::brute_swapping::best(flow, via, {.budget = budget, .below = *found.bound}));
    }
    CHECK(compared > 100);
}
