// Covers recompute/detail/canonical/label_setting.hpp, recompute/detail/canonical/segment_arcs.hpp,
// recompute/detail/canonical/interned_sets.hpp.
// The shortest path over lower sets, against every canonical schedule of small graphs.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/recompute/detail/canonical/completion_bound.hpp>
#include <repebble/recompute/detail/canonical/label_setting.hpp>
#include <repebble/recompute/detail/canonical/lagrangian_bound.hpp>
#include <repebble/recompute/detail/canonical/segment_arcs.hpp>

#include "recompute/canonical/small_canonical.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

using setting = detail::label_setting<detail::segment_arcs>;

constexpr std::size_t no_label_limit = 1'000'000;

/// The label setting over all arcs within a budget and below a ceiling.
auto extended(support::small_canonical const& small, bytes budget, std::int64_t ceiling, std::int64_t slack,
              std::size_t limit) -> setting::result {
    support::never_over observer;
    detail::lagrangian_bound lagrangian(small.values, budget);
    detail::segment_arcs arcs(small.values, small.sets, 1);
    static_cast<void>(arcs.find(budget, ceiling, &lagrangian, no_label_limit, observer));
    detail::completion_bound const completion(arcs, ceiling, observer);
    return setting(arcs, completion).extend(ceiling, slack, limit, observer);
}

}  // namespace

TEST_CASE("label_setting: of a chain of four, by hand", "[best_canonical]") {
    auto const training = support::unit_chain(4);
    support::small_canonical const small(training);
    auto const roomy = extended(small, 6, 5, 0, no_label_limit);
    REQUIRE(roomy.best);
    CHECK((roomy.complete && !roomy.over && roomy.bound == 0 && roomy.best->overhead == 0));
    auto const tight = extended(small, 5, 5, 0, no_label_limit);
    REQUIRE(tight.best);
    CHECK((tight.bound == 1 && tight.best->overhead == 1 && tight.best->peak == 5));
    CHECK(tight.best->sets.back() == small.full());
    auto const none = extended(small, 5, 1, 0, no_label_limit);  // nothing takes less than 1
    CHECK((none.complete && !none.best && none.bound == 1));
    CHECK_FALSE(extended(small, 5, 5, 0, 0).complete);
}

TEST_CASE("label_setting: the least overhead of all sequences, and a sequence of it", "[best_canonical][property]") {
    std::size_t found = 0, costly = 0;
    auto const check_one = [&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_positional(random, 5);
        support::small_canonical const small(training);
        auto const budget = small.random_budget(random);
        auto const ceiling = small.values.time() + 1;
        auto const least = small.least(budget);
        auto const labels = extended(small, budget, ceiling, 0, no_label_limit);
        RC_ASSERT(labels.complete);
        RC_ASSERT(labels.best.has_value() == least.has_value());
        RC_ASSERT(labels.bound == least.value_or(ceiling));
        if (!least) return;
        ++found;
        costly += *least > 0 ? 1U : 0U;
        auto const judged = small.cost_of(labels.best->sets);
        RC_ASSERT((labels.best->overhead == *least && judged.overhead == *least));
        RC_ASSERT((labels.best->peak == judged.peak && judged.peak <= budget));
        // Below the least there is nothing.
        auto const below = extended(small, budget, *least, 0, no_label_limit);
        RC_ASSERT((!below.best && below.bound == *least));
    };
    check_one(39760);  // where states differ by their claimed values only
    CHECK(support::holds_for_each_seed(check_one));
    CHECK(found > 5);
    CHECK(costly > 2);
}

TEST_CASE("label_setting: with slack or a limit the least lies between the bound and what is found",
          "[best_canonical][property]") {
    std::size_t merged = 0;
    auto const check_one = [&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_positional(random, 5);
        support::small_canonical const small(training);
        auto const budget = small.random_budget(random);
        auto const ceiling = small.values.time() + 1;
        auto const slack = support::between(random, 1, 1 + small.values.time() / 2);
        auto const limit = support::chance(random, 30) ? support::below(random, 6) : no_label_limit;
        auto const labels = extended(small, budget, ceiling, slack, limit);
        auto const least = small.least(budget).value_or(ceiling);
        if (labels.complete) RC_ASSERT(labels.bound <= least);
        if (limit == no_label_limit) RC_ASSERT(labels.complete);
        if (!labels.best) return;
        auto const judged = small.cost_of(labels.best->sets);
        RC_ASSERT((judged.overhead == labels.best->overhead && judged.peak == labels.best->peak));
        RC_ASSERT((judged.overhead >= least && judged.peak <= budget));
        merged += labels.complete && labels.bound < labels.best->overhead ? 1U : 0U;
    };
    for (std::uint64_t seed = 1; seed <= 40; ++seed) check_one(seed);  // some of these, whatever RapidCheck draws
    CHECK(support::holds_for_each_seed(check_one));
    CHECK(merged > 0);
}
