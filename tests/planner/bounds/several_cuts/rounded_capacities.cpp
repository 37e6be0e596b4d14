// Covers planner/detail/bounds/several_cuts/multi_cut_search.hpp.
#include <cstddef>

#include <repebble/pebbling/optimal_pebbling.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_search.hpp>

#include "support/catch.hpp"
#include "support/cuts.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

constexpr auto not_stopped = [] { return false; };

}  // namespace

TEST_CASE("multi_cut_search: rounding inequalities keep one of two values that do not fit together") {
    auto const net = support::make_three_alike();
    auto const m = detail::make_planning_model(net.flow);
    CHECK(optimal_pebbling(net.flow, 10).time == m.time_once + 12);
    detail::multi_cut_search search(support::chain_of(m, {net.wide}), 10, 1, 30, 30);
    CHECK(search.bound() == 8);
    search.round_capacities(not_stopped);
    CHECK(search.bound() == 12);
    CHECK_FALSE(search.infeasible());
    search.branch(not_stopped);
    CHECK(search.bound() == 12);
    SECTION("not by no work") {
        detail::multi_cut_search other(support::chain_of(m, {net.wide}), 10, 1, 30, 30);
        auto const before = other.flows();
        other.round_capacities([] { return true; });
        CHECK(other.flows() == before);
        CHECK(other.bound() == 8);
    }
    SECTION("and of what is enough no more is said") {
        detail::multi_cut_search other(support::chain_of(m, {net.wide}), 10, 1, 11, 30);
        other.round_capacities(not_stopped);
        CHECK(other.bound() == 11);
        CHECK(other.is_solved());
        CHECK_FALSE(other.infeasible());
    }
}

TEST_CASE("multi_cut_search: with inequalities no bound is above the optimum, and branching ends at the same",
          "[property]") {
    std::size_t told = 0, raised = 0;
    support::for_each_optimum(160, 4, [&](auto&, auto const& m, bytes budget, auto const& exact, auto const& cuts) {
        detail::multi_cut_search search(cuts, budget, 1, detail::most_time, 5),
            without(cuts, budget, 1, detail::most_time, 5);
        auto const before = search.bound();
        search.round_capacities(not_stopped);
        ++told;
        if (exact.schedule) {
            CHECK_FALSE(search.infeasible());
            CHECK(search.bound() <= exact.time - m.time_once);
            if (search.bound() > before) ++raised;
        }
        search.branch(not_stopped);
        without.branch(not_stopped);
        CHECK(search.infeasible() == without.infeasible());
        if (!search.infeasible()) CHECK(search.bound() == without.bound());
    });
    CHECK(told > 200);
    CHECK(raised > 20);
}

TEST_CASE("multi_cut_search: inequalities and cost splits amid branching never lower the bound", "[property]") {
    std::size_t told = 0, solved = 0;
    support::for_each_optimum(200, 5, [&](auto& random, auto const& m, bytes budget, auto const& exact, auto& cuts) {
        if (!exact.schedule || cuts.size() < 2) return;
        auto const least = exact.time - m.time_once;
        detail::multi_cut_search search(cuts, budget, 1, detail::most_time, 5),
            at_once(cuts, budget, 1, detail::most_time, 5);
        at_once.branch(not_stopped);
        auto bound = search.bound();
        for (int round = 0; round < 200 && !search.is_solved(); ++round) {
            auto const end = search.flows() + support::below(random, 40);
            auto const over = [&] { return search.flows() >= end; };
            if (round % 3 == 0) search.branch(over);
            if (round % 3 == 1) search.round_capacities(over);
            if (round % 3 == 2) search.split_costs(20, over);
            CHECK(search.bound() >= bound);
            CHECK(search.bound() <= least);
            CHECK_FALSE(search.infeasible());
            if (round % 3 == 1) CHECK(search.flows() <= end + 2);  // one flow of an ascent, and the first of another
            bound = search.bound();
            ++told;
        }
        if (!search.is_solved()) search.branch(not_stopped);
        ++solved;
        CHECK(search.bound() >= at_once.bound());  // the optimum of the cuts; a cost split may exceed it
        CHECK(search.bound() <= least);
    });
    CHECK(told > 300);
    CHECK(solved > 100);
}
