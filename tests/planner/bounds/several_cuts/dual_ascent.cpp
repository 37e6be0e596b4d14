// Covers planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp,
// planner/detail/bounds/several_cuts/dual_ascent.hpp, planner/detail/bounds/several_cuts/propagation.hpp.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/planner/detail/bounds/several_cuts/dual_ascent.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>

#include "support/catch.hpp"
#include "planner/cuts.hpp"

using namespace repebble;

namespace {

constexpr auto never_over = [] { return false; };
constexpr auto unseen = [](detail::relaxed_choice const&) {};
constexpr auto beyond = [] { return detail::most_time; };

/// The relaxation of three equal values.
template <class See>
void with_three_alike(See&& see) {
    auto const net = support::make_three_alike();
    auto const m = detail::make_planning_model(net.flow);
    auto const cuts = support::chain_of(m, {net.wide});
    detail::propagation const decided(cuts, 10, 1, {});
    detail::capacity_rows const capacities(decided);
    detail::multiplier_scale const scale(cuts, 10, 1);
    detail::multi_cut_relaxation const chain(capacities, scale.scale);
    see(capacities, chain, scale);
}

}  // namespace

TEST_CASE("dual_ascent: the bound of subgradients comes to that of the linear relaxation") {
    with_three_alike([](auto const& capacities, auto const& chain, auto const& scale) {
        std::size_t flows = 0, seen = 0;
        detail::dual_ascent climb(capacities, chain, scale, flows);
        auto const top = climb.by_subgradients(
            {0.0}, 300, beyond, [&](auto const&) { ++seen; }, never_over);
        CHECK(top.feasible);
        CHECK(top.bound == 8);  // 4/3 of 6
        CHECK(flows == seen);
        CHECK(flows > 0);
    });
}

TEST_CASE("dual_ascent: no more steps than allowed but the first, and none beyond the target") {
    with_three_alike([](auto const& capacities, auto const& chain, auto const& scale) {
        std::size_t flows = 0;
        detail::dual_ascent climb(capacities, chain, scale, flows);
        static_cast<void>(climb.by_subgradients({0.0}, 300, beyond, unseen, [] { return true; }));
        CHECK(flows == 1);
        static_cast<void>(climb.by_subgradients({0.0}, 7, beyond, unseen, never_over));
        CHECK(flows == 8);
        auto const near = [] { return std::int64_t{3}; };
        CHECK(climb.by_subgradients({0.0}, 300, near, unseen, never_over).bound >= 3);
        CHECK(flows < 300);
    });
}

TEST_CASE("choice_at: the time of a choice excludes all multipliers") {
    with_three_alike([](auto const& capacities, auto const& chain, auto const& scale) {
        std::size_t kept = 0, steps = 0;
        for (double const multiplier : {0.0, 1.0, 4.0, 40.0}) {
            auto const now = detail::choice_at(capacities, chain, std::vector{multiplier}, scale);
            std::int64_t again = 0;
            for (bool const is_kept : now.choice.is_kept) again += is_kept ? 0 : 6;
            for (bool const is_kept : now.choice.is_kept) kept += is_kept ? 1 : 0;
            CHECK(now.time == again * scale.scale);
            CHECK(now.lower_bound <= 12 * scale.scale);
            ++steps;
        }
        CHECK(kept > 0);
        CHECK(kept < 3 * steps);
    });
}
