// Covers planner/detail/bounds/clauses/max_sat_bound.hpp, planner/detail/bounds/several_cuts/multi_cut_search.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <repebble/orders/find_optimal_pebbling.hpp>
#include <repebble/planner/detail/bounds/clauses/max_sat_bound.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_search.hpp>

#include "support/catch.hpp"
#include "planner/cuts.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

constexpr auto without_stop = [] { return false; };

}  // namespace

TEST_CASE("max_sat_bound: of values of which one fits, one is kept") {
    auto const net = support::make_three_alike();
    auto const m = detail::make_planning_model(net.flow);
    detail::max_sat_bound bound(m, support::chain_of(m, {net.wide}), 10, 30);
    CHECK(bound.bound() == 0);
    bound.improve(without_stop);
    CHECK(bound.bound() == 12);
    CHECK(bound.is_done());
    CHECK(bound.work() > 0);
    SECTION("and of what is enough no more is said") {
        detail::max_sat_bound other(m, support::chain_of(m, {net.wide}), 10, 11);
        other.improve(without_stop);
        CHECK(other.bound() == 11);
        CHECK(other.is_done());
    }
    SECTION("by no work, nothing") {
        detail::max_sat_bound other(m, support::chain_of(m, {net.wide}), 10, 30);
        other.improve([] { return true; });
        CHECK(other.bound() == 0);
        CHECK_FALSE(other.is_done());
    }
    SECTION("beside what does not fit, there is nothing that takes less than enough") {
        detail::max_sat_bound other(m, support::chain_of(m, {net.wide}), 4, 30);
        CHECK(other.is_done());
        CHECK(other.bound() == 30);
    }
}

TEST_CASE("max_sat_bound: equals branch and bound over the same cuts, and is never above the optimum", "[property]") {
    std::size_t told = 0, above = 0, infeasible = 0;
    support::for_each_optimum(200, 5, [&](auto&, auto const& m, bytes budget, auto const& exact, auto const& cuts) {
        detail::max_sat_bound cores(m, cuts, budget, detail::most_time);
        cores.improve(without_stop);
        bool const none = cores.bound() == detail::most_time;
        detail::multi_cut_search search(cuts, budget, 1, detail::most_time, 5);
        search.branch(without_stop);
        CHECK(none == search.infeasible());
        if (none) {
            CHECK_FALSE(exact.schedule);
            ++infeasible;
            return;
        }
        CHECK(cores.is_done());
        CHECK(cores.bound() == search.bound());
        if (exact.schedule) CHECK(cores.bound() <= exact.time - m.time_once);
        ++told;
        if (cores.bound() > 0) ++above;
    });
    CHECK(told > 200);
    CHECK(above > 100);
    CHECK(infeasible > 0);
}

TEST_CASE("max_sat_bound: a lower cutoff ends the search") {
    auto const net = support::make_three_alike();
    auto const m = detail::make_planning_model(net.flow);
    detail::max_sat_bound bound(m, support::chain_of(m, {net.wide}), 10, 30);
    bound.lower(40);  // a cutoff above the present one changes nothing
    bound.lower(7);
    bound.improve(without_stop);
    CHECK(bound.bound() == 7);
    CHECK(bound.is_done());
}

TEST_CASE("max_sat_progress: promising while it leads, or gained much in the last half of its work", "[tuning]") {
    auto const net = support::make_three_alike();
    auto const m = detail::make_planning_model(net.flow);
    detail::max_sat_bound bound(m, support::chain_of(m, {net.wide}), 10, 30);
    detail::max_sat_progress progress(bound);
    CHECK(progress.work() == 0);
    CHECK(progress.is_promising(1000));  // no work has been done
    bound.improve(without_stop);
    CHECK(progress.work() > 0);
    CHECK(progress.is_promising(11));
}

TEST_CASE("tightest_cuts: a chain of cuts of small capacity, and the tightest of too many", "[property]") {
    std::size_t longer = 0, shortened = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        support::split_mix random(seed);
        auto const flow = support::random_narrow_gradients(random);
        auto const m = detail::make_planning_model(flow);
        auto const budget = detail::floor_of(m).size + 2;
        auto const chain = detail::tightest_cuts(m, budget, 100);
        for (std::size_t i = 0; i < chain.size(); ++i) {
            CHECK(chain[i].capacity(budget) <= budget - budget / 4);
            if (i > 0) CHECK(chain[i].is_before(chain[i - 1].at()));
        }
        if (chain.size() > 2) ++longer;
        auto const fewer = detail::tightest_cuts(m, budget, 2);
        CHECK(fewer.size() == std::min<std::size_t>(2, chain.size()));
        if (fewer.size() == chain.size()) continue;
        ++shortened;
        for (auto const& kept : fewer)
            for (auto const& other : chain) {
                auto const is_kept = [&](auto const& cut) { return cut.at() == other.at(); };
                if (std::ranges::none_of(fewer, is_kept)) CHECK(kept.capacity(budget) <= other.capacity(budget));
            }
    }
    CHECK(longer > 30);
    CHECK(shortened > 5);
}
