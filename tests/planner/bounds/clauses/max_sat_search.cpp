// Covers planner/detail/bounds/one_cut/best_cut_bound.hpp, planner/detail/bounds/clauses/max_sat_search.hpp.
#include <cstdint>
#include <vector>

#include <repebble/planner/detail/bounds/one_cut/best_cut_bound.hpp>
#include <repebble/planner/detail/bounds/clauses/max_sat_search.hpp>

#include "support/catch.hpp"
#include "support/cuts.hpp"

using namespace repebble;

namespace {

/// All that bounds are told, on three values of which one fits beside the operation in the middle.
struct late_search {
    support::three_alike net = support::make_three_alike();
    detail::planning_model m = detail::make_planning_model(net.flow);
    plan_options options{};
    detail::listener hears{};
    detail::profile counts{};
    detail::deadline clock{{}, hears};
    detail::incumbent found{m, 10, 0, hears, counts};
    detail::plan_guided_bounds late{m, 10, options, clock, found};

    /// In which two of the three are made again, and more.
    void know_a_plan(std::int64_t overhead) { found.consider("known", 10, m.time_once + overhead, m.order); }
};

}  // namespace

TEST_CASE("plan_guided_bounds: MaxSAT leads where values fit as a whole only") {
    late_search s;
    s.know_a_plan(14);
    s.found.raise_bound(8);
    s.late.bound_by_cores(1, 1);
    CHECK(s.found.lower_bound() == 12);
    CHECK(s.late.cores_lead());
    SECTION("and say no more than a plan that is found later") {
        s.know_a_plan(12);
        s.late.bound_by_cores(1, 1);
        CHECK(s.found.lower_bound() == 12);
    }
}

TEST_CASE("plan_guided_bounds: MaxSAT does not lead with a bound that is known") {
    late_search s;
    s.know_a_plan(14);
    s.found.raise_bound(12);
    s.late.bound_by_cores(1, 1);
    CHECK(s.found.lower_bound() == 12);
    CHECK_FALSE(s.late.cores_lead());
}

TEST_CASE("plan_guided_bounds: without work MaxSAT gives no bound") {
    late_search s;
    s.know_a_plan(14);
    s.late.bound_by_cores(0, 1);
    CHECK(s.found.lower_bound() == 0);
}

TEST_CASE("plan_guided_bounds: without a plan no bound is raised; with one its tight cuts raise it") {
    late_search s;
    detail::best_cut_bound const cut(s.m, 10, std::vector{s.net.wide});
    REQUIRE(cut.bound() == 8);
    s.late.bound_by_cores(1, 1);
    s.late.bound_by_plan(cut, 1000, 1);
    CHECK(s.found.lower_bound() == 0);
    s.know_a_plan(14);
    s.late.bound_by_plan(cut, 1000, 1);
    CHECK(s.found.lower_bound() >= 8);
    CHECK_FALSE(s.late.infeasible());
}
