// Covers graph/detail/limit_test.hpp, graph/detail/deadline_observer.hpp, graph/limits.hpp.
#include <limits>

#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/graph/detail/limit_test.hpp>

#include <repebble/graph/limits.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;

TEST_CASE("limit test: without limits a search never ends", "[limits]") {
    limits const none;
    detail::limit_test ask(none);
    CHECK_FALSE(ask());
    CHECK_FALSE(ask.was_over());
}

TEST_CASE("limit test: no seconds are over at once", "[limits]") {
    limits const none{.seconds = 0};
    detail::limit_test ask(none);
    CHECK(ask());
    limits const many{.seconds = 1e6};
    CHECK_FALSE(detail::limit_test(many).is_over());
}

TEST_CASE("limit test: once stopped, a search stays so and the caller is not asked again", "[limits]") {
    int asked = 0;
    limits const third{.stop = [&] { return ++asked == 3; }};
    detail::limit_test ask(third);
    CHECK_FALSE(ask());
    CHECK_FALSE(ask());
    CHECK_FALSE(ask.was_over());
    CHECK(ask());
    CHECK(ask());
    CHECK(ask.was_over());
    CHECK(asked == 3);
}

TEST_CASE("limits: seconds that are negative or not a number are refused by name", "[limits]") {
    for (double const seconds : {-1.5, std::numeric_limits<double>::quiet_NaN()}) {
        limits const wrong{.seconds = seconds};
        auto const number = seconds < 0 ? "-1.5" : "nan";
        CHECK(support::throws<bad_option>([&] { return detail::limit_test(wrong); }, {"time limit", number}));
        int observer = 0;
        CHECK(support::throws<bad_option>([&] { return detail::deadline_observer(observer, wrong); }, {number}));
    }
}
