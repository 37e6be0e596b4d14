// Covers planner/detail/starts/swap_starts.hpp, planner/detail/swapping/swap_search.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/plan.hpp>
#include <repebble/planner/detail/starts/swap_starts.hpp>
#include <repebble/planner/detail/swapping/swap_search.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/swap_cases.hpp"

using namespace repebble;
using detail::gap_choice;

namespace {

/// The decisions that a search has about a dataflow.
struct swap_problem_case {
    support::swap_case of;
    detail::planning_model model = detail::make_planning_model(of.flow);
    detail::swap_gaps gaps{model, of.via, of.budget, of.host_budget, std::vector<bool>(model.value_count(), true), 0};
};
auto random_swap_problem() -> support::swap_case {
    support::split_mix random(*rc::gen::arbitrary<std::uint64_t>());
    return support::random_swap_case(random, 30);
}
constexpr auto keeps_on = [] { return false; };

/// Bytes beside the operation at a position of the base order, as the decisions hold values.
auto held_beside(detail::swap_gaps const& p, detail::swap_decisions const& d, std::uint32_t at) -> bytes {
    bytes sum = 0;
    for (std::size_t gap = 0; gap < p.gap_count(); ++gap)
        if (d.choice[gap] == gap_choice::hold && detail::lies_across(p, gap, at))
            sum += p.model().sizes[p.value_of(gap)];
    return sum;
}

/// 0 and 1 make eight bytes each, which 4 and 3 read; 2 makes eight more.
auto two_gaps() -> dataflow {
    dataflow_builder b;
    for (int k = 0; k < 5; ++k) b.add_operation(10);
    for (operation_index v : {0U, 1U, 2U}) static_cast<void>(b.add_value(v, 8));
    b.add_read(4, 0);
    b.add_read(3, 1);
    for (operation_index v = 0; v + 1 < 5; ++v) b.add_control_edge(v, v + 1);
    return std::move(b).build();
}

}  // namespace

TEST_CASE("filled decisions copy what is used last") {
    swap_problem_case const c{{.flow = two_gaps(), .via = {.size = 8, .time = 5}, .budget = 16}};
    detail::swap_search search(c.gaps, 1);
    auto const before = c.gaps.keep_all();
    auto const d = search.fill(before);
    CHECK(d.choice[c.gaps.first_gap(0)] == gap_choice::host);
    CHECK(d.choice[c.gaps.first_gap(1)] == gap_choice::hold);
    auto const cost = search.consider(d);
    CHECK(cost.fits());
    CHECK(cost.time == 50);
    // The last that begins comes first.
    auto remade = before;
    remade.choice[c.gaps.first_gap(0)] = remade.choice[c.gaps.first_gap(1)] = gap_choice::remake;
    CHECK(detail::remade_gaps(c.gaps, remade) == std::vector{c.gaps.first_gap(1), c.gaps.first_gap(0)});
}

TEST_CASE("filled decisions are beyond the budget only where nothing is left to copy") {
    CHECK(support::holds([] {
        swap_problem_case const c{random_swap_problem()};
        auto const& p = c.gaps;
        auto before = p.keep_all();
        for (std::size_t gap = 0; gap < p.gap_count(); ++gap)
            if (p.allows(gap, gap_choice::remake) && *rc::gen::inRange(0, 4) == 0)
                before.choice[gap] = gap_choice::remake;
        auto const d = detail::swap_search(p, 1).fill(before);
        for (std::size_t gap = 0; gap < p.gap_count(); ++gap)
            RC_ASSERT(d.choice[gap] == before.choice[gap] ||
                      (before.choice[gap] == gap_choice::hold && d.choice[gap] == gap_choice::host));
        for (std::uint32_t at = 0; at < p.order().size(); ++at) {
            if (held_beside(p, d, at) + p.need(p.order()[at]) <= p.budget()) continue;
            for (std::size_t gap = 0; gap < p.gap_count(); ++gap)
                RC_ASSERT(d.choice[gap] != gap_choice::hold || p.is_last(gap) || !detail::lies_across(p, gap, at) ||
                          !p.allows(gap, gap_choice::host));
        }
    }));
}

TEST_CASE("of an order of gaps so many are remade that neither none nor all is faster") {
    CHECK(support::holds([] {
        swap_problem_case const c{random_swap_problem()};
        auto const& p = c.gaps;
        auto all = p.keep_all();
        for (std::size_t gap = 0; gap < p.gap_count(); ++gap)
            if (p.allows(gap, gap_choice::remake)) all.choice[gap] = gap_choice::remake;
        auto const ranked = detail::remade_gaps(p, all);
        detail::swap_search search(p, 1);
        auto const d = search.remake_first(p.keep_all(), ranked, keeps_on);
        bool before = true;
        for (auto const gap : ranked) {
            bool const is_remade = d.choice[gap] == gap_choice::remake;
            RC_ASSERT(before || !is_remade);
            before = is_remade;
        }
        detail::swap_search others(p, 1);
        others.consider(others.fill(p.keep_all()));
        auto every = p.keep_all();
        for (auto const gap : ranked) every.choice[gap] = gap_choice::remake;
        others.consider(others.fill(every));
        if (others.best()) RC_ASSERT(search.best() && search.best()->cost.time <= others.best()->cost.time);
        // Of equal starts one is left.
        std::vector some{search.fill(d), d, search.fill(d)};
        search.keep_best(some, 3);
        RC_ASSERT(some.size() <= 2U && (some.size() == 1U || some[0] != some[1]));
        search.keep_best(some, 1);
        RC_ASSERT(some.size() == 1U);
    }));
}

TEST_CASE("the order by price has gaps across the cut, each once") {
    CHECK(support::holds([] {
        swap_problem_case const c{random_swap_problem()};
        auto const times = detail::run_times_of(c.model, detail::order_of_runs::base, 0);
        for (auto const v : detail::tight_for_copies(c.model, c.of.via, 2)) {
            detail::swap_bound bound(c.model, v, c.of.budget, c.of.via, detail::order_of_runs::base, times);
            if (!bound.feasible()) continue;
            auto ranked = detail::remade_by_price(c.gaps, bound, keeps_on);
            for (auto const gap : ranked) {
                RC_ASSERT(detail::lies_across(c.gaps, gap, detail::position_of(c.gaps, v)));
                RC_ASSERT(c.gaps.allows(gap, gap_choice::remake));
            }
            std::ranges::sort(ranked);
            RC_ASSERT(std::ranges::adjacent_find(ranked) == ranked.end());
        }
    }));
}

TEST_CASE("a relaxed start of a bound whose limit came before its first multipliers") {
    CHECK(support::holds([] {
        swap_problem_case const c{random_swap_problem()};
        auto const times = detail::run_times_of(c.model, detail::order_of_runs::any, 1000);
        for (auto const v : detail::tight_for_copies(c.model, c.of.via, 2)) {
            detail::swap_bound bound(c.model, v, c.of.budget, c.of.via, detail::order_of_runs::any, times);
            if (!bound.feasible()) continue;
            bound.improve(3, 100, [] { return true; });
            auto const d = detail::relaxed_start(c.gaps, bound, true);
            RC_ASSERT(d.choice.size() == c.gaps.gap_count());
            RC_ASSERT(bound.bound() == 0);
        }
    }));
}
