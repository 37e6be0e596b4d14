#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/pebbling/optimal_pebbling.hpp>
#include <repebble/recompute/moments_search.hpp>
#include <repebble/recompute/operation_floor.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/moments.hpp"

using namespace repebble;

namespace {

constexpr auto not_stopped = [] { return false; };

}  // namespace

TEST_CASE("moments_search: rows say that what does not fit twice is held once") {
    auto const net = support::make_three_alike();
    auto const m = detail::make_search_model(net.flow);
    CHECK(optimal_pebbling(net.flow, 10).time == m.time_once + 12);
    detail::moments_search search(support::chain_of(m, {net.wide}), 10, 1, 30, 30);
    CHECK(search.bound() == 8);
    search.round_rooms(not_stopped);
    CHECK(search.bound() == 12);
    CHECK_FALSE(search.infeasible());
    search.divide(not_stopped);
    CHECK(search.bound() == 12);
    SECTION("not by no work") {
        detail::moments_search other(support::chain_of(m, {net.wide}), 10, 1, 30, 30);
        auto const before = other.flows();
        other.round_rooms([] { return true; });
        CHECK(other.flows() == before);
        CHECK(other.bound() == 8);
    }
    SECTION("and of what is enough no more is said") {
        detail::moments_search other(support::chain_of(m, {net.wide}), 10, 1, 11, 30);
        other.round_rooms(not_stopped);
        CHECK(other.bound() == 11);
        CHECK(other.is_solved());
        CHECK_FALSE(other.infeasible());
    }
}

TEST_CASE("moments_search: with rows no bound is above the optimum, and what is divided is the same", "[property]") {
    std::size_t told = 0, raised = 0;
    for (std::uint64_t seed = 1; seed <= 160; ++seed) {
        support::random_source random(seed);
        auto const flow = seed % 3 == 0 ? support::random_without_views(random, 6 + seed % 4)
                                        : support::random_narrow_gradients(random);
        auto const m = detail::make_search_model(flow);
        for (bytes const more : {0, 1, 2, 4}) {
            auto const budget = detail::floor_of(m).size + more;
            auto const exact = optimal_pebbling(flow, budget, {.state_limit = 20'000});
            if (!exact.proven) continue;
            auto const cuts = support::random_chain(random, m, 1 + seed % 4);
            if (cuts.empty()) continue;
            detail::moments_search search(cuts, budget, 1, detail::most_time, 5),
                without(cuts, budget, 1, detail::most_time, 5);
            auto const before = search.bound();
            search.round_rooms(not_stopped);
            CAPTURE(seed, budget);
            ++told;
            if (exact.schedule) {
                CHECK_FALSE(search.infeasible());
                CHECK(search.bound() <= exact.time - m.time_once);
                if (search.bound() > before) ++raised;
            }
            search.divide(not_stopped);
            without.divide(not_stopped);
            CHECK(search.infeasible() == without.infeasible());
            if (!search.infeasible()) CHECK(search.bound() == without.bound());
        }
    }
    CHECK(told > 200);
    CHECK(raised > 20);
}

TEST_CASE("moments_search: by rows and splits, between parts of the division, the bound only rises", "[property]") {
    std::size_t told = 0, solved = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        support::random_source random(seed);
        auto const flow = support::random_narrow_gradients(random);
        auto const m = detail::make_search_model(flow);
        for (bytes const more : {0, 2, 4}) {
            auto const budget = detail::floor_of(m).size + more;
            auto const exact = optimal_pebbling(flow, budget, {.state_limit = 20'000});
            auto const cuts = support::random_chain(random, m, 2 + seed % 4);
            if (!exact.schedule || !exact.proven || cuts.size() < 2) continue;
            CAPTURE(seed, budget);
            auto const least = exact.time - m.time_once;
            detail::moments_search search(cuts, budget, 1, detail::most_time, 5),
                at_once(cuts, budget, 1, detail::most_time, 5);
            at_once.divide(not_stopped);
            auto bound = search.bound();
            for (int round = 0; round < 200 && !search.is_solved(); ++round) {
                auto const before = search.flows();
                auto const end = before + support::below(random, 40);
                auto const over = [&] { return search.flows() >= end; };
                if (round % 3 == 0) search.divide(over);
                if (round % 3 == 1) search.round_rooms(over);
                if (round % 3 == 2) search.split_costs(20, over);
                CHECK(search.bound() >= bound);
                CHECK(search.bound() <= least);
                CHECK_FALSE(search.infeasible());
                if (round % 3 == 1) CHECK(search.flows() <= end + 2);  // one of a climb, and the first of another
                bound = search.bound();
                ++told;
            }
            if (!search.is_solved()) search.divide(not_stopped);
            ++solved;
            CHECK(search.bound() >= at_once.bound());  // the optimum of the moments; a split may say more
            CHECK(search.bound() <= least);
        }
    }
    CHECK(told > 300);
    CHECK(solved > 100);
}
