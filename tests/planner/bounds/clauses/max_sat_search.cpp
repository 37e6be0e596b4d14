// Covers planner/detail/bounds/clauses/max_sat_bound.hpp.
#include <cstdint>
#include <vector>

#include <repebble/planner/detail/bounds/clauses/max_sat_bound.hpp>

#include "support/catch.hpp"
#include "planner/cuts.hpp"

using namespace repebble;

namespace {

/// All that bounds are told, on three values of which one fits beside the operation in the middle.
struct max_sat_run {
    support::three_alike net = support::make_three_alike();
    detail::planning_model m = detail::make_planning_model(net.flow);
    plan_options options{};
    detail::listener hears{};
    detail::profile counts{};
    detail::deadline clock{{}, hears};
    detail::incumbent found{m, 10, 0, hears, counts};
    detail::max_sat_search search{m, 10, options, clock, found};

    /// In which two of the three are made again, and more.
    void know_a_plan(std::int64_t overhead) { found.consider("known", 10, m.time_once + overhead, m.order); }
};

}  // namespace

TEST_CASE("max_sat_search: MaxSAT leads where values fit as a whole only") {
    max_sat_run s;
    s.know_a_plan(14);
    s.found.raise_bound(8);
    s.search.improve(1, 1);
    CHECK(s.found.lower_bound() == 12);
    CHECK(s.search.leads());
    SECTION("and say no more than a plan that is found later") {
        s.know_a_plan(12);
        s.search.improve(1, 1);
        CHECK(s.found.lower_bound() == 12);
    }
}

TEST_CASE("max_sat_search: MaxSAT does not lead with a bound that is known") {
    max_sat_run s;
    s.know_a_plan(14);
    s.found.raise_bound(12);
    s.search.improve(1, 1);
    CHECK(s.found.lower_bound() == 12);
    CHECK_FALSE(s.search.leads());
}

TEST_CASE("max_sat_search: without work MaxSAT gives no bound") {
    max_sat_run s;
    s.know_a_plan(14);
    s.search.improve(0, 1);
    CHECK(s.found.lower_bound() == 0);
}
