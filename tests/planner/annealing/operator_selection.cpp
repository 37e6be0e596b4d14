// Covers planner/detail/annealing/memetic_search.hpp.
#include <repebble/detail/split_mix.hpp>
#include <repebble/planner/detail/annealing/memetic_search.hpp>

#include "support/catch.hpp"

using namespace repebble;

namespace {

/// Number of 1000 draws that select the second operator.
auto seconds_of(detail::operator_selection const& rates) -> int {
    detail::split_mix random(1);
    int seconds = 0;
    for (int k = 0; k < 1000; ++k) seconds += rates.draw(random) ? 1 : 0;
    return seconds;
}

effort const usual;

}  // namespace

TEST_CASE("operator_selection: the first operator is tried twice as often at first, both alike at equal success",
          "[tuning]") {
    detail::operator_selection rates(usual);
    CHECK(seconds_of(rates) > 290);
    CHECK(seconds_of(rates) < 375);
    for (int k = 0; k < 400; ++k) rates.note(k % 2 == 0, k % 4 < 2);
    CHECK(seconds_of(rates) > 400);
    CHECK(seconds_of(rates) < 600);
}

TEST_CASE("operator_selection: the successful operator is tried more often, and the other still is") {
    for (bool const second : {false, true}) {
        detail::operator_selection rates(usual);
        for (int k = 0; k < 400; ++k) rates.note(k % 2 == 0, second == (k % 2 == 0));
        auto const tried = second ? seconds_of(rates) : 1000 - seconds_of(rates);
        CHECK(tried > 950);
        CHECK(tried < 1000);
        for (int k = 0; k < 400; ++k)
            rates.note(k % 2 == 0, second != (k % 2 == 0));  // the other operator succeeds now
        CHECK((second ? seconds_of(rates) : 1000 - seconds_of(rates)) < 50);
    }
}
