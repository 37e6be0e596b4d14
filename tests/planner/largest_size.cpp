// Covers planner/find_largest_size.hpp.
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/find_largest_size.hpp>
#include <repebble/planner/find_memory_floor.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

/// A chain whose values have n bytes: keeping everything needs most, and recomputation less.
auto chain_of(std::uint64_t n) {
    static std::vector<std::vector<int>> const net{{1}, {2}, {3}, {4}, {5}, {6}, {7}, {}};
    return make_training_problem(net, weights{[](int) { return 1; }, [n](int) { return static_cast<bytes>(n); }});
}

/// A member of a family of random networks: their bytes times n.
auto random_family(support::split_mix& random) {
    return [g = support::random_weighted_dag(random, 5)](std::uint64_t n) {
        auto member = g;
        for (auto& size : member.memory) size *= static_cast<bytes>(n);
        return problem(member.training(gradient_dependencies{}));
    };
}

}  // namespace

TEST_CASE("the largest size has a plan, and the next one has none", "[largest_size]") {
    auto const found = find_largest_size(chain_of, 1000);
    static_assert(std::is_same_v<decltype(found.plan), automatic_plan<training_vertex<int>>>);
    REQUIRE(found.plan.plan);
    CHECK(found.plan.plan->cost.peak <= 1000);
    CHECK(found.impossible == found.found + 1);
    CHECK(find_memory_floor(chain_of(found.found)).size <= 1000);
    CHECK_FALSE(plan(chain_of(found.found + 1), 1000).plan);
    CHECK(found.found > 1000 / static_cast<std::uint64_t>(keep_all(chain_of(1).flow()).cost.peak));
}

TEST_CASE("the largest size within an overhead is smaller, and without any what keeping everything has",
          "[largest_size]") {
    auto const any = find_largest_size(chain_of, 1000);
    auto const none = find_largest_size(chain_of, 1000, {}, {.overhead = 0});
    auto const some = find_largest_size(chain_of, 1000, {}, {.overhead = 0.2});
    CHECK(none.plan.plan->cost.overhead == 0);
    CHECK(none.impossible == any.impossible);
    CHECK(none.found == none.kept);
    CHECK(none.kept == any.kept);
    CHECK(static_cast<double>(some.plan.plan->cost.overhead) <= 0.2 * static_cast<double>(some.plan.plan->cost.time));
    CHECK(none.found <= some.found);
    CHECK(some.found <= any.found);
    CHECK(keep_all(chain_of(none.found).flow()).cost.peak <= 1000);
}

TEST_CASE("where no size fits there is no plan, and where all fit none is impossible", "[largest_size]") {
    auto const none = find_largest_size(chain_of, 1);
    CHECK(none.found == 0);
    CHECK(none.impossible == 1);
    CHECK_FALSE(none.plan.plan);
    CHECK(none.plan == automatic_plan<training_vertex<int>>{});
    auto const all = find_largest_size(chain_of, 1'000'000, {}, {.least = 3, .most = 7});
    CHECK(all.found == 7);
    CHECK_FALSE(all.impossible);
    CHECK(find_largest_size(chain_of, 1000, {}, {.least = 900, .most = 900}).impossible == 900);
    CHECK(find_largest_size(chain_of, 0, {}, {.least = 5, .most = 900}).impossible == 5);
}

TEST_CASE("a size for which no plan was found before a stop is not said to be impossible", "[largest_size]") {
    auto const any = find_largest_size(chain_of, 1000);
    int unfinished = 0;
    for (int questions = 0; questions < 40; ++questions) {
        int asked = 0;
        auto const found =
            find_largest_size(chain_of, 1000, {.limits = {.stop = [&] { return ++asked > questions; }}});
        CHECK(found.found <= any.found);
        if (found.impossible) CHECK(*found.impossible >= any.impossible);
        unfinished += found.found < any.found ? 1 : 0;
    }
    CHECK(unfinished > 0);
}

TEST_CASE("what lies beside the values is in the budget, too", "[largest_size]") {
    auto const with = [](bytes budget, std::function<bytes(std::uint64_t)> const& beside) {
        auto found = find_largest_size(chain_of, budget, {}, {.beside = beside});
        return std::tuple{found.found, found.kept, found.impossible, std::move(found.plan)};
    };
    CHECK(with(1700, [](std::uint64_t) { return 700; }) == with(1000, {}));
    // As many bytes as a value has.
    auto const [found, kept, impossible, plan] = with(1000, [](std::uint64_t n) { return static_cast<bytes>(n); });
    CHECK(plan.plan->cost.peak + static_cast<bytes>(found) <= 1000);
    CHECK(impossible == found + 1);
    CHECK(kept == 1000 / (static_cast<std::uint64_t>(keep_all(chain_of(1).flow()).cost.peak) + 1));
    CHECK(with(1000, [](std::uint64_t n) { return n < 5 ? 0 : 1001; }) ==
          with(1000, [](std::uint64_t n) { return n < 5 ? 0 : 1'000'000; }));
    CHECK(std::get<0>(with(1000, [](std::uint64_t n) { return n < 5 ? 0 : 1001; })) == 4);
    for (auto const seconds : {0.0, 1.0}) {
        auto const none = find_largest_size(chain_of, 10, {.limits = {.seconds = seconds}},
                                            {.beside = [](std::uint64_t) { return 11; }});
        CHECK(none.found == 0);
        CHECK(none.impossible == 1);
    }
    CHECK(support::throws<bad_weight>([&] { return with(10, [](std::uint64_t) { return -3; }); }, {"beside", "-3"}));
}

TEST_CASE("the largest size is the last one that has a plan", "[largest_size][property]") {
    std::size_t last = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const family = random_family(random);
        auto const budget = support::between(random, 0, 200);
        size_options const sizes{.least = 1 + support::below(random, 3), .most = 3 + support::below(random, 9)};
        auto const found = find_largest_size(family, budget, {.limits = {.work = 2000}}, sizes);
        std::uint64_t expected = 0;
        for (auto n = sizes.least; n <= sizes.most; ++n)
            if (plan(family(n), budget).plan) expected = n;
        RC_ASSERT(found.found == expected);
        RC_ASSERT(found.plan.plan.has_value() == (expected > 0));
        if (expected < sizes.most) {
            RC_ASSERT(found.impossible.has_value());
            RC_ASSERT(*found.impossible > found.found);
        } else {
            RC_ASSERT(!found.impossible);
        }
        last += expected > 1;
    }));
    CHECK(last > 5);
}

TEST_CASE("whatever the limits, a size that keeps everything is found, and no plan gets worse", "[largest_size]") {
    for (auto const seconds : {0.0, 1e-6, 0.01}) {
        auto const brief = find_largest_size(chain_of, 1000, {.limits = {.seconds = seconds}});
        REQUIRE(brief.found > 0);
        CHECK(brief.plan.plan->cost.peak <= 1000);
    }
    auto const stopped = find_largest_size(chain_of, 1000, {.limits = {.stop = [] { return true; }}});
    CHECK(stopped.found == plan(chain_of(1), 1000, {.limits = {.stop = [] { return true; }}}).plan.has_value());
    int made = 0;
    auto const counted = [&](std::uint64_t n) {
        ++made;
        return chain_of(n);
    };
    static_cast<void>(find_largest_size(counted, 1000, {.limits = {.seconds = 0}}));
    CHECK(made < 5);
}

TEST_CASE("an overhead that is exactly the share counts", "[largest_size][long]") {
    auto const all = find_largest_size(chain_of, 1000);
    auto const time = all.plan.plan->cost.time - all.plan.plan->cost.overhead;
    for (std::int64_t overhead = 0; overhead <= all.plan.plan->cost.overhead; ++overhead) {
        auto const share = static_cast<double>(overhead) / static_cast<double>(time);
        auto const found = find_largest_size(chain_of, 1000, {.limits = {.work = 2000}}, {.overhead = share});
        CHECK(found.plan.plan->cost.overhead <= overhead);
        CHECK(found.found >= all.kept);
        if (overhead == all.plan.plan->cost.overhead) CHECK(found.found == all.found);
    }
}

TEST_CASE("the search for the largest size ends where its limits do, and passes on what a family throws",
          "[largest_size]") {
    int asked = 0;
    auto const brief = find_largest_size(chain_of, 1000, {.limits = {.stop = [&] { return ++asked > 2; }}});
    if (brief.found > 0) CHECK(brief.plan.plan->cost.peak <= 1000);
    if (brief.impossible) CHECK(*brief.impossible > brief.found);
    auto const refuses = [](std::uint64_t n) {
        if (n > 3) throw std::domain_error("4 is too many");
        return chain_of(n);
    };
    CHECK(support::throws<std::domain_error>([&] { return find_largest_size(refuses, 1000); }, {"4 is too many"}));
}

TEST_CASE("sizes and overheads without a meaning are refused by name", "[largest_size]") {
    auto const refused = [](size_options const& sizes, std::string const& what) {
        return support::throws<bad_option>([&] { return find_largest_size(chain_of, 1000, {}, sizes); }, {what});
    };
    CHECK(support::throws<bad_weight>([] { return find_largest_size(chain_of, -5); }, {"budget", "-5"}));
    CHECK(refused({.least = 0}, "least"));
    CHECK(refused({.least = 5, .most = 4}, "most"));
    CHECK(refused({.most = std::numeric_limits<std::uint64_t>::max()}, "most"));
    CHECK(refused({.overhead = -0.1}, "overhead"));
    CHECK(refused({.overhead = std::numeric_limits<double>::quiet_NaN()}, "overhead"));
}
