// Covers chains/level_table.hpp, chains/storage_level.hpp, chains/detail/split_row.hpp.
#include <repebble/chains/level_table.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <queue>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include <rapidcheck.h>

#include <repebble/chains/binomial_bounds.hpp>
#include <repebble/chains/storage_level.hpp>

#include "chains/played_levels.hpp"
#include "support/catch.hpp"
#include "support/folders.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

static_assert(std::ranges::input_range<level_schedule>);
static_assert(!std::is_constructible_v<level_schedule, level_table>);  // it would outlive the table

namespace {

using level_list = std::vector<storage_level>;

/// The recurrences of H-Revolve by a scan over all places of the next snapshot.
auto least_by_full_scan(std::size_t steps, level_list const& levels, step_costs step) -> std::vector<std::int64_t> {
    constexpr auto none = std::int64_t{1} << 50U;
    std::vector<std::int64_t> lower(steps + 1, none);
    lower[0] = lower[1] = 0;
    for (auto const& l : levels) {
        auto later = lower;
        for (std::size_t s = 1; s <= std::min<std::size_t>(l.slots, steps); ++s) {
            std::vector<std::int64_t> least(steps + 1);
            for (std::size_t n = 2; n <= steps; ++n) {
                least[n] = lower[n];
                for (std::size_t j = 1; j < n; ++j)
                    least[n] = std::min(least[n],
                                        static_cast<std::int64_t>(j) * step.advance + later[n - j] + l.read + least[j]);
            }
            for (std::size_t n = 2; n <= steps; ++n) later[n] = std::min(lower[n], l.write + least[n]);
        }
        lower = later;
    }
    for (std::size_t n = 1; n <= steps; ++n) lower[n] += static_cast<std::int64_t>(n) * step.reverse;
    return lower;
}

/// The least cost over all schedules: a shortest path over what is current, what is stored and what is reversed.
auto least_of_all_schedules(unsigned steps, level_list const& levels, step_costs step) -> std::int64_t {
    constexpr unsigned nowhere = 31;
    struct position {
        unsigned current, next;
        std::array<unsigned, 3> stored;  // by level, a bit for each state
        auto operator<=>(position const&) const = default;
    };
    using entry = std::pair<std::int64_t, position>;
    std::map<position, std::int64_t> least;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> open;
    auto const reach = [&](std::int64_t cost, position p) {
        for (auto& s : p.stored) s &= (1U << p.next) - 1;
        auto const [at, is_new] = least.try_emplace(p, cost);
        if (!is_new && at->second <= cost) return;
        at->second = cost;
        open.emplace(cost, p);
    };
    reach(0, {0, steps, {}});
    for (;;) {
        auto const [cost, p] = open.top();
        open.pop();
        if (p.next == 0) return cost;
        if (least.at(p) < cost) continue;
        if (p.current + 1 == p.next) reach(cost + step.reverse, {nowhere, p.next - 1, p.stored});
        if (p.current + 1 < p.next) reach(cost + step.advance, {p.current + 1, p.next, p.stored});
        for (std::size_t l = 0; l < levels.size(); ++l)
            for (unsigned i = 0; i < p.next; ++i) {
                bool const is_stored = (p.stored[l] >> i & 1U) != 0;
                if (is_stored) reach(cost + levels[l].read, {i, p.next, p.stored});
                if (p.current == nowhere || (!is_stored && i != p.current)) continue;
                // The current state goes into a free slot, or into that of state i.
                auto q = p;
                if (is_stored) q.stored[l] ^= 1U << i;
                q.stored[l] |= 1U << p.current;
                if (std::popcount(q.stored[l]) <= static_cast<int>(levels[l].slots)) reach(cost + levels[l].write, q);
            }
    }
}

/// One to three levels, from the fastest to the slowest; the lowest costs nothing in half of the cases.
auto random_levels(support::split_mix& random, std::uint32_t most_slots) -> level_list {
    level_list levels;
    bool const free = support::below(random, 2) == 0;
    std::int64_t write = 0, read = 0;
    for (auto count = 1 + support::below(random, 3); count > 0; --count) {
        if (!free || !levels.empty()) {
            write += static_cast<std::int64_t>(support::below(random, 7));
            read += static_cast<std::int64_t>(support::below(random, 7));
        }
        levels.push_back({1 + static_cast<std::uint32_t>(support::below(random, most_slots)), write, read});
    }
    return levels;
}
auto random_costs(support::split_mix& random) -> step_costs {
    return {static_cast<std::int64_t>(support::below(random, 4)), static_cast<std::int64_t>(support::below(random, 4))};
}

}  // namespace

TEST_CASE("H-Revolve: 993 and 780, where the published program's schedules cost 1024 and 787", "[levels][paper]") {
    CHECK(level_table(200, {{5}, {10, 5, 5}}, {1, 2}).least_cost() == 993);
    CHECK(level_table(100, {{5}, {10, 10, 1}}, {1, 5}).least_cost() == 780);
}

TEST_CASE("H-Revolve: the published tables, and schedules that cost as much", "[levels][paper]") {
    auto const file = std::filesystem::path(support::source_dir()) / "tests/data/chain/golden_uniform.json";
    auto const golden = nlohmann::json::parse(std::ifstream(file));
    for (auto const& e : golden.at("hrevolve")) {
        level_list const levels{{e.at("ram").get<std::uint32_t>()},
                                {e.at("disk").get<std::uint32_t>(), e.at("wd"), e.at("rd")}};
        step_costs const step{e.at("uf"), e.at("ub")};
        level_table const table(e.at("N").get<std::uint64_t>(), levels, step);
        CHECK(table.least_cost() == static_cast<std::int64_t>(e.at("opt_table").get<double>()));
        support::played_levels game(table.steps(), levels, step);
        CHECK(game.plays(table.schedule()));
        CHECK(game.cost == table.least_cost());
    }
    CHECK(golden.at("hrevolve").size() == 6);
}

TEST_CASE("levels: pruned rows are those of a full scan, and schedules cost what the table says", "[levels]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const levels = random_levels(random, 6);
        auto const step = random_costs(random);
        auto const steps = 1 + support::below(random, 120);
        auto const scanned = least_by_full_scan(steps, levels, step);
        level_table const table(steps, levels, step);
        for (std::uint64_t n = 0; n <= steps; ++n) RC_ASSERT(table.least_cost(n) == scanned[n]);
        support::played_levels game(steps, levels, step);
        RC_ASSERT(game.plays(table.schedule()));
        RC_ASSERT(game.cost == table.least_cost());
    }));
}

TEST_CASE("levels: no schedule at all costs less, on levels whose costs ascend", "[levels]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const levels = random_levels(random, 2);
        auto const step = random_costs(random);
        auto const steps = 1 + static_cast<unsigned>(support::below(random, 7));
        RC_ASSERT(level_table(steps, levels, step).least_cost() == least_of_all_schedules(steps, levels, step));
    }));
}

TEST_CASE("levels: a level without limit of slots is one with a slot for each step", "[levels]") {
    for (std::uint32_t const ram : {1U, 3U})
        for (std::int64_t const write : {0, 2, 30})
            for (std::int64_t const read : {0, 1, 20}) {
                level_list const disk{{ram}, {storage_level::unlimited, write, read}};
                level_table const table(150, disk);
                CHECK(table.least_cost() == level_table(150, {{ram}, {150, write, read}}).least_cost());
                support::played_levels game(150, disk);
                CHECK(game.plays(table.schedule()));
                CHECK(game.cost == table.least_cost());
            }
    CHECK(level_table(9, {{storage_level::unlimited, 1, 1}}).least_cost() == 9 + 8 + 8 + 8);
}

TEST_CASE("levels: one level without costs is REVOLVE", "[levels]") {
    for (std::uint32_t const slots : {1U, 4U, 30U}) {
        level_table const table(300, {{slots}}, {2, 3});
        for (std::uint64_t n = 0; n <= 300; ++n)
            CHECK(table.least_cost(n) ==
                  static_cast<std::int64_t>(2 * binomial_bounds::least_advances(n, slots) + 3 * n));
        support::played_levels game(300, {{slots}}, {2, 3});
        CHECK(game.plays(table.schedule()));
        CHECK(game.cost == table.least_cost());
    }
}

TEST_CASE("levels: costs that are wrong are named", "[levels]") {
    CHECK_THROWS_WITH(level_table(5, {}), "there is no level of memory");
    CHECK_THROWS_WITH(level_table(5, {{0}}), "level 0 has no slot");
    CHECK_THROWS_AS(level_table(5, {{1}, {1, -1, 0}}), bad_weight);
    CHECK_THROWS_AS(level_table(5, {{1}, {1, 0, -1}}), bad_weight);
    CHECK_THROWS_AS(level_table(5, {{1}}, {-1, 0}), bad_weight);
    CHECK_THROWS_WITH(level_table(5, {{1}, {1, 3, 3}, {1, 2, 9}}),
                      "the cost of a snapshot into level 2 is 2, below that of the level before, 3");
    CHECK_THROWS_AS(level_table(5, {{1}, {1, 3, 3}, {1, 9, 2}}), bad_weight);
    CHECK_THROWS_AS(level_table(1000, {{1}}, {std::int64_t{1} << 50U, 0}), bad_weight);
    CHECK_THROWS_WITH(
        level_table(8, {{1}, {1, std::int64_t{1} << 57U, std::int64_t{1} << 57U}}),
        "the costs of 8 steps, up to those of snapshots into level 1, each 144115188075855872, do not fit "
        "in 60 bits");
    constexpr auto least_refused = std::int64_t{1} << 60U;
    CHECK(level_table(1, {{1}}, {1, least_refused - 1}).least_cost() == least_refused - 1);
    CHECK_THROWS_AS(level_table(1, {{1}}, {1, least_refused}), bad_weight);
    CHECK_THROWS_AS(level_table(std::uint64_t{1} << 33U, {{10}}), bad_weight);
    CHECK(level_table(0, {{1}}).least_cost() == 0);
    level_table const one(1, {{1}});
    CHECK(std::ranges::distance(one.schedule()) == 1);
}

TEST_CASE("levels: tables of more than 8 GiB are refused before they are filled", "[levels]") {
    CHECK_THROWS_WITH(
        level_table(1'000'000, {{1}, {1'000'000, 5, 5}}),
        "a table of 1000000 steps and 1000000 slots takes up to 11176 GiB, and more than 8 are not allowed");
    CHECK_THROWS_AS(level_table(4'000'000'000, {{2}, {2, 5, 5}}), bad_weight);
    CHECK_THROWS_AS(level_table(4'000'000'000, {{2}}), bad_weight);
    // No more than a slot for each step counts.
    CHECK(level_table(100, {{1}, {storage_level::unlimited - 1, 5, 5}}).least_cost() ==
          level_table(100, {{1}, {100, 5, 5}}).least_cost());
}
