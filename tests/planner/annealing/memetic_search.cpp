// Covers planner/detail/annealing/memetic_search.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/planner/detail/annealing/memetic_search.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

constexpr double all_moves = 1'000'000;

auto generations_model() -> detail::planning_model {
    support::split_mix random(1);
    return detail::make_planning_model(support::random_dataflow(random, {.operations = 20, .view_percent = 0}));
}

auto is_hot(detail::annealing_stage const& stage) -> bool { return stage.front().front().explores; }

/// Returns the next `count` stages of a search whose walks find nothing.
auto next_stages(detail::memetic_search& generations, std::size_t count) -> std::vector<detail::annealing_stage> {
    std::vector<detail::annealing_stage> asked;
    generations.search(
        all_moves,
        [&](detail::annealing_stage const& stage) {
            asked.push_back(stage);
            return detail::walk_results{.found = std::vector<detail::walked_sequence>(stage.size())};
        },
        [&] { return asked.size() == count; }, [] { return 1.0; });
    return asked;
}

}  // namespace

TEST_CASE("stages: hot walks explore and cool down, hotter ones every other time", "[tuning]") {
    auto const m = generations_model();
    detail::memetic_search generations(m, 1);
    std::vector<double> heats;
    for (int k = 0; k < 4; ++k)
        for (auto const& island : generations.hot_walks(all_moves)) {
            REQUIRE(island.size() == 1);
            CHECK(island.front().explores);
            CHECK_FALSE(island.front().start);
            CHECK(island.front().temperatures.cold < island.front().temperatures.hot);
            heats.push_back(island.front().temperatures.hot);
        }
    CHECK(heats == std::vector<double>{3, 0.5, 10, 1, 3, 0.5, 10, 1});
}

TEST_CASE("stages: first walks begin at every start, in turns, with a share of all moves; early ones are two",
          "[tuning]") {
    std::vector<operation_index> const a{0, 1}, b{1, 0};
    detail::planning_model m;
    m.operations.resize(100);
    for (double const moves : {1000.0, 1e5, 1e9}) {
        auto const first = detail::first_stage(m, {a, b}, moves);
        REQUIRE(first.size() == 6);
        for (std::size_t k = 0; k < first.size(); ++k) {
            CHECK(first[k].front().start == (k % 2 == 0 ? a : b));
            CHECK(first[k].front().rules.brings_forward == (k % 2 == 1));
        }
        CHECK(detail::stage_share(first) <= 0.3 + 1e-9);
        auto const early = detail::early_stage(m, a, moves);
        REQUIRE(early.size() == 2);
        for (std::size_t k = 0; k < early.size(); ++k) {
            CHECK(early[k].front().start == a);
            CHECK(early[k].front().rules.brings_forward == (k == 1));
        }
        CHECK(detail::stage_share(early) <= 0.5 + 1e-9);
        CHECK(detail::stage_share(early) * moves <= 2 * 90 * 101 + 1);
    }
    CHECK(detail::first_stage(m, std::vector(8, a), 1e6).size() == 8);
}

TEST_CASE("memetic_search: children walk until too many fail, then hot walks restart the population", "[tuning]") {
    auto const m = generations_model();
    detail::memetic_search generations(m, 1);
    CHECK(is_hot(next_stages(generations, 1).front()));  // the population is empty
    generations.add(m.order, 100);
    auto const stages = next_stages(generations, 30);
    auto const hot = std::ranges::find_if(stages, is_hot);
    REQUIRE(hot != stages.end());
    CHECK(hot - stages.begin() > 5);
    CHECK(std::ranges::all_of(stages.begin(), hot, [](auto const& s) { return s.size() == 6; }));
    REQUIRE(hot + 1 != stages.end());
    CHECK_FALSE(is_hot(hot[1]));
}

TEST_CASE("memetic_search: nothing is learned from a stage that is cut short", "[tuning]") {
    auto const m = generations_model();
    detail::memetic_search generations(m, 1);
    generations.add(m.order, 100);
    auto const patience = [](detail::memetic_search from) {
        auto const stages = next_stages(from, 30);
        return std::ranges::find_if(stages, is_hot) - stages.begin();
    };
    auto const whole = patience(generations);
    for (int k = 0; k < 20; ++k) static_cast<void>(next_stages(generations, 1));
    CHECK(patience(generations) == whole);
    // Hot walks that are cut short are repeated.
    static_cast<void>(next_stages(generations, static_cast<std::size_t>(whole) + 1));
    CHECK(is_hot(next_stages(generations, 1).front()));
    auto const again = next_stages(generations, 2);
    CHECK(is_hot(again[0]));
    CHECK_FALSE(is_hot(again[1]));
}
