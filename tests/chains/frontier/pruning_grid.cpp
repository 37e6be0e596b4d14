// Covers chains/detail/frontier/pruning_grid.hpp.
#include <cstddef>
#include <cstdint>

#include <rapidcheck.h>

#include <repebble/chains/detail/frontier/pruning_grid.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

TEST_CASE("the bound of a cell is the curve's at its end, and so not above the curve within it", "[chains][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        detail::chain_curve curve;
        std::int64_t time = 400;
        for (auto budget = support::between(random, 1, 40); time > 0; budget += support::between(random, 1, 30)) {
            curve.push_back({budget, time});
            time -= support::between(random, 1, 60);
        }
        bytes const most = curve.back().budget + 20;
        detail::pruning_grid const grid(most, static_cast<std::uint32_t>(support::between(random, 1, 12)), 400);
        auto const row = grid.row_of(curve);
        std::size_t k = 0;
        for (auto memory = curve.front().budget; memory <= most; ++memory) {
            while (k + 1 < curve.size() && curve[k + 1].budget <= memory) ++k;
            auto const cell = grid.cell_of(memory);
            auto const bound = cell < row.end() ? row.least.at(cell - row.first) : row.after;
            RC_ASSERT(bound <= curve[k].time);
            if (memory == grid.last_of(cell)) RC_ASSERT(bound == curve[k].time);
        }
    }));
}

TEST_CASE("the units below an overhead are those of the next smaller one, also where a unit is many", "[chains]") {
    support::split_mix random(1);
    for (std::int64_t const worst : {400LL, 3'000'000'000LL, 1LL << 60}) {
        detail::pruning_grid const grid(100, 4, worst);
        CHECK((grid.down(worst) < worst) == (worst > 400));
        for (int i = 0; i < 1000; ++i) {
            auto const overhead = support::between(random, 1, worst);
            CHECK(grid.below(overhead) == grid.down(overhead - 1));
        }
    }
}
