// Covers pipelines/find_least_ranks.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/pipelines/find_least_ranks.hpp>
#include <repebble/pipelines/pipeline_bounds.hpp>
#include <repebble/pipelines/verify_pipeline.hpp>

#include "support/catch.hpp"
#include "support/pipeline_cases.hpp"
#include "support/throws.hpp"

namespace {

using namespace repebble;

/// Stages with so many constant bytes and a byte of each microbatch.
auto row_of(std::vector<bytes> const& constants) -> pipeline {
    pipeline p{.ranks = 1, .microbatches = 2};
    for (auto const c : constants)
        p.stages.push_back({.forward = 1, .input_gradient = 2, .constant = c, .choices = {{.kept = 1}}});
    return p;
}

/// The least ranks of all placements of the stages, in a row where that is asked; nothing where none fits.
auto least_by_trying(pipeline p, bytes budget, bool in_a_row) -> std::optional<std::size_t> {
    std::optional<std::size_t> best;
    p.ranks = p.stages.size();
    std::function<void(std::size_t, std::size_t)> const place = [&](std::size_t s, std::size_t used) {
        if (s == p.stages.size()) {
            auto const needed = find_least_bytes(p);
            if (std::ranges::all_of(needed, [&](bytes b) { return b <= budget; }))
                best = std::min(best.value_or(used), used);
            return;
        }
        for (auto r = in_a_row && used > 0 ? used - 1 : 0; r <= used && r < p.ranks; ++r) {
            p.stages[s].rank = r;
            place(s + 1, std::max(used, r + 1));
        }
    };
    place(0, 0);
    return best;
}

}  // namespace

TEST_CASE("ranks are filled as far as they go, and cut where that takes least time", "[pipelines]") {
    auto const found = find_least_ranks(row_of({3, 3, 3, 3, 3}), 8);
    CHECK(found.ranks == 3);  // two stages need 3 + 3 + 2
    CHECK(found.lower_bound == 3);
    CHECK(found.placed.stages.size() == 3);
    CHECK(found.placed.stages[0].forward == 2);
    REQUIRE(found.plan.schedule);
    CHECK(found.plan.cost.peaks[0] <= 8);
    auto const one = find_least_ranks(row_of({3, 3, 3, 3, 3}), 100);
    CHECK(one.ranks == 1);
    CHECK(one.plan.cost.makespan == 2 * 5 * 3);
    // Four in a row fit, and the other way to have two ranks is faster.
    auto const two = find_least_ranks(row_of({1, 1, 1, 1, 1, 1}), 8);
    CHECK(two.ranks == 2);
    CHECK(two.placed.stages[0].constant == 3);
}

TEST_CASE("rows are cut where times reach to the end of 64 bits", "[pipelines]") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    auto row = row_of({0, 0, 0}).stages;
    for (auto& s : row) s.input_gradient = 0;
    row[0].forward = most / 2;
    row[1].forward = most / 4;
    row[2].forward = most - most / 2 - most / 4;
    CHECK(cut_row(row, 2) == std::vector<std::size_t>{0, 1});
    CHECK(cut_row(row, 3) == std::vector<std::size_t>{0});
}

TEST_CASE("a stage that fits on no rank is named", "[pipelines]") {
    auto const none = find_least_ranks(row_of({3, 9, 10}), 9);
    CHECK(none.ranks == 0);
    CHECK(none.too_large == 1);
    CHECK(none.lower_bound == 0);
    CHECK_FALSE(none.plan.schedule);
    CHECK(find_least_ranks(row_of({0}), 0).too_large == 0);
    CHECK(support::throws<bad_weight>([] { return find_least_ranks(row_of({1}), -1); }, {"budget", "-1"}));
    CHECK(support::throws<bad_graph>([] { return find_least_ranks(pipeline{}, 1); }, {"stage"}));
}

TEST_CASE("stages that lie out of order may need fewer ranks, never fewer than the bound", "[pipelines]") {
    auto const p = row_of({5, 1, 5, 1});  // 5 + 1 + 2 of two, but 1 + 1 + 2 and 5 + 1 each
    auto const found = find_least_ranks(p, 7);
    CHECK(found.ranks == 4);
    CHECK(found.lower_bound == 3);
    CHECK(least_by_trying(p, 7, false) == 3U);
}

TEST_CASE("the least ranks are those of all cuts, and the bound is below all placements", "[pipelines][property]") {
    std::size_t several = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        support::split_mix random(seed);
        auto const p = support::random_pipeline(random, {.ranks = 1, .chunks = 5, .microbatches = 2, .choices = 3});
        auto const budget = support::between(random, 0, 40);
        INFO("seed " << seed << ", budget " << budget);
        auto const found = find_least_ranks(p, budget, {.limits = {.work = 5}});
        auto const row = least_by_trying(p, budget, true);
        CHECK(found.ranks == row.value_or(0));
        CHECK(found.too_large.has_value() == !row.has_value());
        if (!row) continue;
        CHECK(found.lower_bound <= least_by_trying(p, budget, false).value());
        REQUIRE(found.plan.schedule);
        CHECK(std::ranges::all_of(found.plan.cost.peaks, [&](bytes b) { return b <= budget; }));
        CHECK(static_cast<bool>(verify_pipeline(found.placed, *found.plan.schedule)));
        several += found.ranks > 1;
    }
    CHECK(several > 50);
}

TEST_CASE("stages as one need what they need one by one on a rank", "[pipelines][property]") {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        support::split_mix random(seed);
        auto p = support::random_pipeline(random, {.ranks = 1, .chunks = 5, .microbatches = 3, .choices = 3});
        auto const merged = merge_stages(p.stages);
        pipeline const one{.ranks = 1, .microbatches = p.microbatches, .stages = {merged}};
        check_pipeline(one);
        INFO("seed " << seed);
        CHECK(find_least_bytes(one) == find_least_bytes(p));
    }
}
