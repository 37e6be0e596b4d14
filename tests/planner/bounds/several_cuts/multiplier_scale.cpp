// Covers planner/detail/bounds/several_cuts/multi_cut_search.hpp,
// planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp, planner/detail/model/planning_model.hpp.
#include <cstdint>

#include <repebble/planner/detail/bounds/several_cuts/multi_cut_search.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

#include "support/catch.hpp"
#include "planner/cuts.hpp"

using namespace repebble;

TEST_CASE("multiplier_scale: integer multipliers never overflow their sums") {
    auto const net = support::make_three_alike();
    auto const m = detail::make_planning_model(net.flow);
    auto const cuts = support::chain_of(m, {net.wide});
    detail::multiplier_scale const scale(cuts, 10, 1);
    CHECK(scale.is_exact);
    CHECK(scale.unit_multiplier(3, 1) == 3 * scale.scale);
    CHECK(scale.unit_multiplier(3, 6) == scale.scale / 2);
    CHECK(scale.unit_multiplier(1e30, 1) == scale.highest);
    CHECK(scale.rounded_up(scale.scale + 1) == 2);
    CHECK(scale.rounded_up(scale.scale) == 1);
    CHECK(scale.unscaled(3 * scale.scale) == Approx(3));
    CHECK(static_cast<double>(scale.highest) * scale.all <= 0x1p58);
}

TEST_CASE("multiplier_scale: times too large for integer multipliers are reported") {
    auto const net = support::make_three_alike();
    auto m = detail::make_planning_model(net.flow);
    m.time_once = std::int64_t{1} << 60;
    CHECK_FALSE(detail::multiplier_scale(support::chain_of(m, {net.wide}), 10, 1).is_exact);
    // Then the search has no bound, and proves nothing.
    detail::multi_cut_search search(support::chain_of(m, {net.wide}), 10, 1, detail::most_time, 30);
    CHECK(search.bound() == 0);
    CHECK_FALSE(search.infeasible());
}
