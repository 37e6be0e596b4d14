// Covers chains/periodic_disk_revolve.hpp, chains/detail/offset_reversal.hpp.
#include <repebble/chains/periodic_disk_revolve.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <ranges>
#include <vector>

#include <nlohmann/json.hpp>

#include <rapidcheck.h>

#include <repebble/chains/binomial_bounds.hpp>
#include <repebble/chains/level_table.hpp>

#include "chains/played_levels.hpp"
#include "support/catch.hpp"
#include "support/folders.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

static_assert(std::ranges::input_range<periodic_disk_schedule>);

namespace {

/// The least cost where each snapshot on disk is read once, by the recurrence over the first of them.
auto least_read_once(std::size_t steps, std::uint32_t slots, storage_level disk, step_costs step) -> std::int64_t {
    std::vector<std::int64_t> by_steps(steps + 1), memory(steps + 1);
    for (std::size_t n = 1; n <= steps; ++n)
        memory[n] = static_cast<std::int64_t>(binomial_bounds::least_advances(n, slots)) * step.advance;
    for (std::uint64_t t = 0; t <= std::min<std::uint64_t>(disk.slots, steps); ++t) {
        auto next = memory;
        for (std::size_t n = 2; t > 0 && n <= steps; ++n)
            for (std::size_t j = 1; j < n; ++j)
                next[n] = std::min(next[n], disk.write + static_cast<std::int64_t>(j) * step.advance + by_steps[n - j] +
                                                disk.read + memory[j]);
        by_steps = next;
    }
    return by_steps[steps] + static_cast<std::int64_t>(steps) * step.reverse;
}

}  // namespace

TEST_CASE("periodic: the published costs of Disk-Revolve with snapshots that are read once", "[levels][paper]") {
    auto const file = std::filesystem::path(support::source_dir()) / "tests/data/chain/golden_uniform.json";
    auto const golden = nlohmann::json::parse(std::ifstream(file));
    for (auto const& e : golden.at("disk_revolve")) {
        auto const found = periodic_disk_revolve(e.at("N").get<std::uint64_t>(), e.at("c").get<std::uint32_t>(),
                                                 {storage_level::unlimited, e.at("wd"), e.at("rd")});
        CHECK(found.least_cost() == e.at("cost").at(0).get<std::int64_t>());
        CHECK(found.disk_snapshots() == e.at("cost").at(2).get<std::uint64_t>());
    }
    CHECK(golden.at("disk_revolve").size() == 3);
}

TEST_CASE("periodic: no schedule that reads each snapshot on disk once, in a slot of its own, costs less", "[levels]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const steps = support::below(random, 90);
        auto const slots = 1 + static_cast<std::uint32_t>(support::below(random, 5));
        storage_level const disk{static_cast<std::uint32_t>(support::chance(random, 50) ? support::below(random, 8)
                                                                                        : storage_level::unlimited),
                                 support::between(random, 0, 40), support::between(random, 0, 40)};
        step_costs const step{support::between(random, 0, 3), support::between(random, 0, 3)};
        auto found = periodic_disk_revolve(steps, slots, disk, step);
        RC_ASSERT(found.least_cost() == least_read_once(steps, slots, disk, step));
        RC_ASSERT(found.least_cost() >= level_table(steps, {{slots}, disk}, step).least_cost());
        support::played_levels game(steps, {{slots}, disk}, step);
        RC_ASSERT(game.plays(found));
        RC_ASSERT(game.cost == found.least_cost());
        RC_ASSERT(game.taken[1] == found.disk_snapshots());
        RC_ASSERT(game.restored[1] == found.disk_snapshots());
    }));
}

TEST_CASE("periodic: a million steps, and closed forms far beyond", "[levels][long]") {
    constexpr storage_level disk{storage_level::unlimited, 1000, 1000};
    auto found = periodic_disk_revolve(1'000'000, 10, disk);
    CHECK(found.least_cost() == 7'205'817);  // that of level_table, which may read snapshots more often
    CHECK(found.period() == 3003);           // β(10, 5)
    support::played_levels game(1'000'000, {{10}, disk});
    CHECK(game.plays(found));
    CHECK(game.cost == found.least_cost());
    // So many steps have the same period, and cost as much for each step.
    auto const longer = periodic_disk_revolve(1'000'000'000'000, 10, disk);
    CHECK(longer.period() == 3003);
    CHECK(longer.least_cost() / 1'000'000 - found.least_cost() < 10'000);
    CHECK_THROWS_AS(periodic_disk_revolve(std::numeric_limits<std::uint64_t>::max(), 1, disk), bad_weight);
    CHECK_THROWS_AS(periodic_disk_revolve(10, 0, disk), bad_weight);
    CHECK_THROWS_AS(periodic_disk_revolve(10, 1, {1, -1, 0}), bad_weight);
}

TEST_CASE("periodic: steps that advance at no cost need no disk, however many advances there are", "[levels]") {
    constexpr auto steps = std::uint64_t{1} << 34U;
    auto const found = periodic_disk_revolve(steps, 1, {100, 5, 5}, {0, 0});
    CHECK(found.least_cost() == 0);
    CHECK(found.disk_snapshots() == 0);
    CHECK(periodic_disk_revolve(steps, 1, {0, 5, 5}, {0, 3}).least_cost() == std::int64_t{3} << 34U);
}

TEST_CASE("periodic: more than 2^32 - 1 snapshots on a disk without limit are refused", "[levels]") {
    constexpr auto steps = std::uint64_t{1} << 34U;
    CHECK_THROWS_WITH(periodic_disk_revolve(steps, 1, {storage_level::unlimited, 0, 0}),
                      "17179869184 steps would take 17179869182 snapshots on disk, and no more than 2^32 - 1 can be "
                      "numbered");
    CHECK(periodic_disk_revolve((std::uint64_t{1} << 32U) + 1, 1, {storage_level::unlimited, 0, 0}).disk_snapshots() ==
          storage_level::unlimited);
    CHECK_THROWS_WITH(periodic_disk_revolve(std::uint64_t{1} << 61U, 1, {1, 0, 0}),
                      "2305843009213693952 steps are too many: there may be 2^61 - 1");
}

TEST_CASE("periodic: segments take no more slots than they have use for", "[levels]") {
    // A table of REVOLVE's binomials in 60,000 slots for each of the 5,000 segments would take far longer.
    auto found = periodic_disk_revolve(5000, 60'000, {storage_level::unlimited, 0, 0});
    support::played_levels game(5000, {{60'000}, {storage_level::unlimited, 0, 0}});
    CHECK(game.plays(found));
    CHECK(game.cost == found.least_cost());
}
