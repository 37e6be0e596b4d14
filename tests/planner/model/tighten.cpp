// Covers planner/detail/model/tighten.hpp.

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/planner/detail/model/tighten.hpp>

#include "support/catch.hpp"

namespace rp = repebble;

namespace {

/// What is asked for, one attempt after the other, where `need(asked)` bytes are needed.
template <class Need>
auto asked_for(rp::bytes budget, rp::detail::tightening const& how, Need need) -> std::vector<rp::bytes> {
    std::vector<rp::bytes> all;
    auto const attempt = [&](rp::bytes asked) -> std::optional<rp::bytes> {
        all.push_back(asked);
        return need(asked);
    };
    rp::detail::tighten(budget, how, attempt, [] { return false; });
    return all;
}

using asked = std::vector<rp::bytes>;

}  // namespace

TEST_CASE("tighten: less by the excess, until a plan fits") {
    auto const need = [](rp::bytes a) { return a > 95 ? 110 : 100; };
    CHECK(asked_for(100, {.attempts = 5}, need) == asked{100, 90});
    CHECK(asked_for(100, {.attempts = 5, .twice = true}, need) == asked{100, 80});
    CHECK(asked_for(100, {.attempts = 1}, need) == asked{100});
    CHECK(asked_for(100, {.attempts = 5, .least = 101}, need) == asked{});
}

TEST_CASE("tighten: more while a plan leaves more than the tolerance, but not what was too much") {
    CHECK(asked_for(100, {.attempts = 9, .tolerance = 2}, [](rp::bytes a) { return a - 20; }) == asked{100, 120});
    CHECK(asked_for(100, {.attempts = 9, .too_much = 101, .tolerance = 2}, [](rp::bytes a) { return a - 20; }) ==
          asked{100});
    auto const all = std::numeric_limits<rp::bytes>::max();
    CHECK(asked_for(all, {.attempts = 9, .tolerance = 2}, [](rp::bytes) { return 20; }) == asked{all});
    CHECK(asked_for(100, {.attempts = 9, .tolerance = 1}, [](rp::bytes a) { return a > 86 ? 116 : 100; }) ==
          asked{100, 84, 92, 88, 86, 87});
}

TEST_CASE("tighten: between what is too much and what is too little, where an attempt finds no plan") {
    auto const need = [](rp::bytes a) { return a < 70 ? std::nullopt : std::optional<rp::bytes>(a > 80 ? 140 : 100); };
    CHECK(asked_for(100, {.attempts = 9}, need) == asked{100, 60, 80});
    CHECK(asked_for(100, {.attempts = 9, .least = 65}, need) == asked{100, 82, 73});
    CHECK(asked_for(100, {.attempts = 9}, [](rp::bytes) { return std::nullopt; }) == asked{100});
}

TEST_CASE("tighten: a stop ends it, but not before the first attempt") {
    std::size_t attempts = 0;
    rp::detail::tighten(
        100, {.attempts = 5},
        [&](rp::bytes) { return std::optional<rp::bytes>(100 + static_cast<rp::bytes>(++attempts)); },
        [] { return true; });
    CHECK(attempts == 1);
}
