// Covers planner/detail/bounds/one_cut/cut_search.hpp.
#include <cstddef>

#include <repebble/planner/detail/bounds/one_cut/cut_search.hpp>

#include "support/catch.hpp"
#include "support/equal_values.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

constexpr auto all_are = [](detail::checkpoint_choice const&) { return true; };

auto held_if(detail::first_run_cut const& cut, bool all) -> detail::checkpoint_choice {
    return detail::choice_of(cut, [&](operation_index) { return !all; });
}

}  // namespace

TEST_CASE("fill_capacity: of values of equal density as many are kept as the capacity allows") {
    auto const net = support::make_equal_values(2);
    auto const m = detail::make_planning_model(net.flow);
    detail::first_run_cut const cut(m, net.wide);
    auto const none = held_if(cut, false), all = held_if(cut, true);
    REQUIRE(none.time == 10);
    REQUIRE(all.size == 15);
    auto const filled = detail::fill_capacity(cut, none, all, 10, 100, all_are);
    CHECK(filled.size == 9);
    CHECK(filled.time == 4);
    CHECK(detail::fill_capacity(cut, none, all, 10, 0, all_are) == none);
    CHECK(detail::fill_capacity(cut, none, all, 15, 100, all_are) == all);
    CHECK(detail::fill_capacity(cut, none, all, 2, 100, all_are) == none);
    // A choice that is not allowed is never returned.
    auto const first = m.writes[0].front();
    auto const but_one = detail::fill_capacity(cut, none, all, 15, 100,
                                               [&](detail::checkpoint_choice const& c) { return c.kept[first] == 0; });
    CHECK(but_one.kept[first] == 0);
    CHECK(but_one.time == 2);
}

TEST_CASE("cut_search: values of equal density fill the capacity at the root") {
    auto const net = support::make_equal_values(2);
    auto const m = detail::make_planning_model(net.flow);
    detail::first_run_cut const cut(m, net.wide);
    for (bytes room = 0; room <= 15; ++room) {
        detail::cut_search const search(cut, 10 + room);
        REQUIRE(search.best());
        CHECK(search.best()->time == 10 - room / 3 * 2);
    }
    // One of them is excluded by decision.
    auto const first = m.writes[0].front();
    detail::cut_search const without(cut, 25, [] { return false; }, {{first, false}});
    REQUIRE(without.best());
    CHECK(without.best()->kept[first] == 0);
    CHECK(without.best()->time == 2);
}

TEST_CASE("fill_capacity: no slower than the choice that fits, within the capacity, between both choices") {
    std::size_t better = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(random, {.operations = 6 + seed % 10, .alternative_percent = 0});
        auto const m = detail::make_planning_model(flow);
        for (operation_index v = 0; v < m.operation_count(); ++v) {
            if (!m.required[v]) continue;
            detail::first_run_cut const cut(m, v);
            auto const fits = detail::choice_of(
                cut, [&](operation_index p) { return m.operations[p].recomputable || !cut.is_before(p); });
            auto const beyond = held_if(cut, true);
            auto const room = fits.size + static_cast<bytes>(support::below(random, 20));
            auto const filled = detail::fill_capacity(cut, fits, beyond, room, 50, all_are);
            CHECK(filled.size <= room);
            CHECK(filled.time <= fits.time);
            for (operation_index p = 0; p < m.operation_count(); ++p) CHECK(filled.recomputed[p] <= fits.recomputed[p]);
            if (filled.time < fits.time) ++better;
        }
    }
    CHECK(better > 30);
}
