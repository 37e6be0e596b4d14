// Covers chains/chain.hpp, chains/detail/slots/slot_unit.hpp.
#include <limits>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/detail/slots/slot_unit.hpp>

#include "support/catch.hpp"

namespace {

using namespace repebble;

auto stages_that_save(std::vector<bytes> const& saved) -> chain {
    chain made{.input = 0};
    for (auto const size : saved) made.stages.push_back({.tapes = {{.saved = size}}});
    return made;
}

TEST_CASE("the best slot divides the sizes", "[slot_unit]") {
    auto const of = stages_that_save({3000, 3000, 7000, 11000});
    detail::chain_sums const sums(of);
    detail::slot_unit const units(sums, slot_rounding::nearest);
    CHECK(units.best_from(600) == 1000);
    CHECK(units.change(1000) == 0);
    CHECK(units.change(2000) == 4000.0 / 24000);
}

TEST_CASE("the change by a slot follows the direction of rounding", "[slot_unit]") {
    auto const of = stages_that_save({10, 10, 14});
    detail::chain_sums const sums(of);
    CHECK(detail::slot_unit(sums, slot_rounding::up).change(4) == 6.0 / 34);
    CHECK(detail::slot_unit(sums, slot_rounding::down).change(4) == 6.0 / 34);
    CHECK(detail::slot_unit(sums, slot_rounding::up).change(3) == 5.0 / 34);
    CHECK(detail::slot_unit(sums, slot_rounding::down).change(3) == 4.0 / 34);
    CHECK(detail::slot_unit(sums, slot_rounding::nearest).change(3) == 3.0 / 34);
}

TEST_CASE("sizes of 0 fit any slot", "[slot_unit]") {
    auto const of = stages_that_save({0, 0});
    detail::chain_sums const sums(of);
    detail::slot_unit const units(sums, slot_rounding::nearest);
    CHECK(units.best_from(7) == 7);
    CHECK(units.change(7) == 0);
}

TEST_CASE("slots of the largest sizes are found without overflow", "[slot_unit]") {
    auto const most = std::numeric_limits<bytes>::max();
    auto const of = stages_that_save({most - 1});
    detail::chain_sums const sums(of);
    for (auto const round : {slot_rounding::up, slot_rounding::down, slot_rounding::nearest}) {
        detail::slot_unit const units(sums, round);
        CHECK(units.best_from(most) == most);
        CHECK(units.best_from(most / 2 + 1) >= most / 2 + 1);
        CHECK(units.best_from(1) == 1);
    }
}

}  // namespace
