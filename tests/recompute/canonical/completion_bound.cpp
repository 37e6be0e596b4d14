// Covers recompute/detail/canonical/completion_bound.hpp.
// What the rest of a schedule may cost and cache, against every canonical schedule of small graphs.
#include <cstddef>
#include <cstdint>

#include <rapidcheck.h>

#include <repebble/recompute/detail/canonical/completion_bound.hpp>
#include <repebble/recompute/detail/canonical/lagrangian_bound.hpp>
#include <repebble/recompute/detail/canonical/segment_arcs.hpp>

#include "recompute/canonical/small_canonical.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

constexpr std::size_t no_limit = 1'000'000;

}  // namespace

TEST_CASE("completion_bound: of a chain of four, by hand", "[best_canonical]") {
    auto const training = support::unit_chain(4);
    support::small_canonical const small(training);
    support::never_over observer;
    detail::segment_arcs arcs(small.values, small.sets, 1);
    auto const bound_within = [&](bytes budget) {
        detail::lagrangian_bound lagrangian(small.values, budget);
        REQUIRE(arcs.find(budget, 5, &lagrangian, no_limit, observer) == detail::segment_arcs::ending::reached);
        return detail::completion_bound(arcs, 5, observer);
    };
    auto const roomy = bound_within(6);  // all values stay
    CHECK(roomy.complete());
    CHECK(roomy.bound(0, 0) == 0);
    CHECK((roomy.has(0, 0, 0) && roomy.has(0, 3, 0)));
    auto const tight = bound_within(5);  // one runs again
    CHECK((tight.bound(0, 0) > 0.99 && tight.bound(0, 0) <= 1));
    CHECK((!tight.has(0, 0, 0) && tight.has(0, 1, 0)));
    CHECK((tight.bound(small.full(), 5) == 0 && tight.has(small.full(), 0, 5)));
    CHECK_FALSE(tight.has(small.full(), 4, 6));  // more than the budget
    CHECK_FALSE(tight.has(0, 4, 5));             // nothing runs beside a full cache
}

TEST_CASE("completion_bound: of longer chains, the least overhead of all segments together", "[best_canonical]") {
    auto const training = support::unit_chain(9);
    support::small_canonical const small(training);
    support::never_over observer;
    detail::segment_arcs arcs(small.values, small.sets, 1);
    std::size_t costly = 0;
    for (bytes budget = 5; budget <= 11; ++budget) {
        CAPTURE(budget);
        auto const least = small.least(budget);
        if (!least) continue;
        costly += *least > 2 ? 1U : 0U;
        detail::lagrangian_bound lagrangian(small.values, budget);
        static_cast<void>(arcs.find(budget, 10, &lagrangian, no_limit, observer));
        detail::completion_bound const completion(arcs, 10, observer);
        CHECK(completion.bound(0, 0) <= static_cast<double>(*least));
        CHECK(completion.bound(0, 0) > static_cast<double>(*least) - 0.02);  // in cells of less than a thousandth
    }
    CHECK(costly > 0);
}

TEST_CASE("completion_bound: an observer ends it", "[best_canonical]") {
    auto const training = support::unit_chain(3);
    support::small_canonical const small(training);
    support::never_over never;
    detail::segment_arcs arcs(small.values, small.sets, 1);
    detail::lagrangian_bound lagrangian(small.values, 10);
    REQUIRE(arcs.find(10, 4, &lagrangian, no_limit, never) == detail::segment_arcs::ending::reached);
    struct {
        [[nodiscard]] auto is_over() -> bool { return true; }
    } at_once;
    CHECK_FALSE(detail::completion_bound(arcs, 4, at_once).complete());
}

TEST_CASE("completion_bound: no schedule that fits is cut off, and none costs less than the bound",
          "[best_canonical][property]") {
    std::size_t positive = 0, cut_off = 0;
    auto const check_one = [&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_positional(random, 5);
        support::small_canonical const small(training);
        auto const budget = small.random_budget(random);
        auto const ceiling = small.values.time() / 2 + 1 + support::between(random, 0, small.values.time());
        support::never_over observer;
        detail::lagrangian_bound lagrangian(small.values, budget);
        detail::segment_arcs arcs(small.values, small.sets, 1);
        static_cast<void>(arcs.find(budget, ceiling, &lagrangian, no_limit, observer));
        detail::completion_bound const completion(arcs, ceiling, observer);
        for (auto const& c : small.candidates) {
            if (c.overhead >= ceiling) continue;
            if (c.peak > budget) {
                cut_off += completion.has(0, c.overhead, 0) ? 0U : 1U;
                continue;
            }
            small.for_each_prefix(c, [&](auto set, std::int64_t overhead, bytes cached, bytes claimed) {
                auto const rest = completion.bound(set, cached - claimed);
                RC_ASSERT(rest <= static_cast<double>(c.overhead - overhead));
                RC_ASSERT(completion.has(set, c.overhead - overhead, cached - claimed));
                positive += rest > 0 ? 1U : 0U;
            });
        }
    };
    for (std::uint64_t const seed : {323U, 1749U, 3007U, 3377U}) check_one(seed);  // where values are claimed
    CHECK(support::holds_for_each_seed(check_one));
    CHECK(positive > 5);
    CHECK(cut_off > 5);
}
