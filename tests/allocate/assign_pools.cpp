// Covers allocate/assign_pools.hpp, allocate/pool_plan.hpp, allocate/verify_offsets.hpp,
// allocate/detail/pools/pool_table.hpp, allocate/detail/pools/pool_prices.hpp,
// allocate/detail/pools/greedy_pools.hpp, allocate/detail/pools/pool_search.hpp,
// allocate/detail/pools/pool_windows.hpp, allocate/detail/pools/pool_routes.hpp,
// allocate/detail/pools/pool_sections.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/assign_pools.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/allocate/verify_pools.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/naive_pools.hpp"
#include "support/property.hpp"
#include "support/random_buffers.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

using pools = std::vector<bytes>;
using required_pools = std::vector<std::optional<std::size_t>>;

/// Whether the offsets in every pool are a valid plan within its capacity.
void require_pools_hold(std::vector<buffer> const& buffers, pools const& capacities, pool_plan const& plan) {
    REQUIRE(plan.heights.size() == capacities.size());
    for (std::size_t p = 0; p < capacities.size(); ++p) {
        std::vector<buffer> members;
        std::vector<bytes> offsets;
        std::vector<std::size_t> at(buffers.size());
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            if (plan.pool_of[i] != p) continue;
            at[i] = members.size();
            members.push_back(buffers[i]);
            offsets.push_back(plan.offsets[i]);
        }
        for (auto& b : members)
            if (b.alias_of) b.alias_of = at[*b.alias_of];
        auto const verdict = verify_offsets(members, offsets);
        REQUIRE(!verdict.fault);
        REQUIRE(verdict.height == plan.heights[p]);
        REQUIRE(verdict.height <= capacities[p]);
    }
}

}  // namespace

TEST_CASE("the first pool is filled first, the larger buffers before the others", "[allocate]") {
    std::vector<buffer> const buffers{
        {.lifetime = {0, 2}, .size = 3}, {.lifetime = {0, 2}, .size = 8}, {.lifetime = {2, 3}, .size = 3}};
    pools const capacities{9, 4};
    auto const plan = assign_pools(buffers, capacities).plan;
    REQUIRE(plan);
    CHECK(plan->pool_of == std::vector<std::size_t>{1, 0, 0});
    CHECK(plan->heights == pools{8, 3});
    require_pools_hold(buffers, capacities, *plan);
}

TEST_CASE("pools of the largest capacity hold all, however many there are", "[allocate]") {
    auto const most = std::numeric_limits<bytes>::max();
    std::vector<buffer> const buffers{{.lifetime = {0, 2}, .size = 5}, {.lifetime = {1, 2}, .size = 7}};
    CHECK(assign_pools(buffers, pools{most, most, most}).plan);
}

TEST_CASE("buffers that do not fit into the pools together have no plan", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {0, 2}, .size = 5}, {.lifetime = {1, 2}, .size = 5}};
    CHECK(assign_pools(buffers, pools{8}) == pool_result{.none_exists = true});
    CHECK(assign_pools(buffers, pools{}) == pool_result{.none_exists = true});
    CHECK(assign_pools(buffers, pools{8, 5}).plan);
    CHECK(assign_pools(std::vector<buffer>{}, pools{8}).plan == pool_plan{{}, {}, {0}});
}

TEST_CASE("a required pool is respected, also by the aliases of a buffer", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {0, 2}, .size = 4},
                                      {.lifetime = {1, 4}, .size = 2, .alias_of = 0},
                                      {.lifetime = {0, 4}, .size = 4, .pinned = 4}};
    pools const capacities{8, 8};
    auto const plan = assign_pools(buffers, capacities, {.required = required_pools{std::nullopt, 1, 1}}).plan;
    REQUIRE(plan);
    CHECK(plan->pool_of == std::vector<std::size_t>{1, 1, 1});
    CHECK(plan->offsets == pools{0, 0, 4});
}

TEST_CASE("of the buffers of greater priority all are in the first pool, where they fit", "[allocate]") {
    std::vector<buffer> buffers(10, {.lifetime = {0, 8}, .size = 1024});
    buffers.resize(30, {.lifetime = {0, 8}, .size = 64});
    pools const capacities{20 * 64, 10 * 1024};
    auto const in_first = [&](pool_result const& found) {
        auto const& plan = found.plan;
        REQUIRE(plan);
        require_pools_hold(buffers, capacities, *plan);
        return std::count(plan->pool_of.begin() + 10, plan->pool_of.end(), std::size_t{0});
    };
    CHECK(in_first(assign_pools(buffers, capacities)) < 20);
    std::vector<double> traffic(30, 1);
    std::fill(traffic.begin() + 10, traffic.end(), 2.5);
    CHECK(in_first(assign_pools(buffers, capacities, {.priorities = traffic})) == 20);
    // By priority the large ones would be in a pool that is too small for all of them.
    pools const swapped{10 * 1024, 20 * 64};
    auto const plan = assign_pools(buffers, swapped, {.priorities = traffic}).plan;
    REQUIRE(plan);
    require_pools_hold(buffers, swapped, *plan);
}

TEST_CASE("a buffer that fits into a pool by live bytes, but not by offsets, moves on", "[allocate]") {
    // Together they have 8 live bytes and need 9: of the four the last, of least priority, is in the second pool.
    std::vector<buffer> const buffers{{.lifetime = {0, 2}, .size = 4, .pinned = 0},
                                      {.lifetime = {2, 4}, .size = 4, .pinned = 4},
                                      {.lifetime = {1, 3}, .size = 4},
                                      {.lifetime = {0, 1}, .size = 3}};
    required_pools const required{0, 0, std::nullopt, std::nullopt};
    auto const plan =
        assign_pools(buffers, pools{8, 8}, {.required = required, .priorities = std::vector<double>{1, 1, 1, 2}}).plan;
    REQUIRE(plan);
    CHECK(plan->pool_of == std::vector<std::size_t>{0, 0, 1, 0});
}

TEST_CASE("invalid pools are named", "[allocate]") {
    std::vector<buffer> const two{{.lifetime = {0, 2}, .size = 4}, {.lifetime = {0, 2}, .size = 4, .alias_of = 0}};
    std::vector<buffer> const pinned{{.lifetime = {0, 2}, .size = 4, .pinned = 0}};
    CHECK(support::throws<bad_buffer>(
        [&] {
            return assign_pools(two, pools{8, -1});
        },
        {"pool 1: its capacity is negative: -1"}));
    CHECK(support::throws<bad_buffer>(
        [&] {
            return assign_pools(two, pools{8}, {.required = required_pools{std::nullopt, 1}});
        },
        {"buffer 1: pool 1 is required, which does not exist"}));
    CHECK(support::throws<bad_buffer>(
        [&] {
            return assign_pools(two, pools{8, 8}, {.required = required_pools{0, 1}});
        },
        {"buffer 1: pool 1 is required, and its alias must be in pool 0"}));
    CHECK(support::throws<bad_buffer>(
        [&] {
            return assign_pools(pinned, pools{8, 8});
        },
        {"buffer 0 is pinned, and no pool is required for it"}));
    CHECK(support::throws<bad_buffer>(
        [&] {
            return assign_pools(two, pools{8, 8},
                                {.priorities = std::vector<double>{1, std::numeric_limits<double>::quiet_NaN()}});
        },
        {"buffer 1: its priority is not a number"}));
    std::vector<buffer> const overlapping{two[0], pinned[0], pinned[0]};
    CHECK(support::throws<bad_buffer>(
        [&] {
            return assign_pools(overlapping, pools{8, 8}, {.required = required_pools{0, 1, 1}});
        },
        {"buffers 1 and 2 overlap where they are pinned"}));
    using accesses = std::vector<std::vector<pool_access>>;
    CHECK(support::throws<bad_buffer>(
        [&] {
            return assign_pools(two, pools{8, 8}, {.accesses = accesses{{}, {{2, 1}}}});
        },
        {"buffer 1: its access at time 2 is not in its lifetime"}));
    CHECK(support::throws<bad_buffer>(
        [&] {
            return assign_pools(two, pools{8, 8}, {.accesses = accesses{{}, {{1, -1}}}});
        },
        {"buffer 1: its access at time 1 has a negative traffic: -1"}));
    CHECK(support::throws<bad_weight>(
        [&] {
            return assign_pools(pinned, pools{std::int64_t{1} << 60},
                                {.accesses = accesses{{{1, std::int64_t{1} << 62}, {0, std::int64_t{1} << 62}}}});
        },
        {"traffic overflows 64 bits"}));
    CHECK(support::throws<bad_buffer>(
        [&] {
            return assign_pools(two, pools{8, 8}, {.traffic = std::vector<std::int64_t>{1, -2}});
        },
        {"buffer 1: its traffic is negative: -2"}));
    CHECK(support::throws<bad_buffer>(
        [&] {
            return assign_pools(two, pools{8, 8}, {.costs = std::vector<std::int64_t>{1, -3}});
        },
        {"pool 1: its cost is negative: -3"}));
    CHECK(support::throws<bad_weight>(
        [&] {
            return assign_pools(two, pools{8, 8},
                                {.traffic = std::vector<std::int64_t>{std::int64_t{1} << 62, 0},
                                 .costs = std::vector<std::int64_t>{0, 2}});
        },
        {"traffic overflows 64 bits"}));
}

TEST_CASE("plans for pools are valid, and pools that are large enough have one", "[allocate]") {
    CHECK(support::holds([] {
        support::split_mix random(*rc::gen::arbitrary<std::uint32_t>());
        auto const buffers = support::random_buffers(random, 12, 10, 8);
        pools const capacities{support::between(random, 0, 20), support::between(random, 0, 20),
                               support::between(random, 0, 20)};
        std::vector<double> priorities;
        for (std::size_t i = 0; i < buffers.size(); ++i)
            priorities.push_back(static_cast<double>(support::between(random, -2, 2)));
        for (auto const& given : {std::vector<double>{}, priorities})
            if (auto const plan =
                    assign_pools(buffers, capacities, {.priorities = given, .offsets = {.limits = {.work = 10}}}).plan)
                require_pools_hold(buffers, capacities, *plan);
        RC_ASSERT(assign_pools(buffers, pools{0, 12 * 8}).plan.has_value());
    }));
}

TEST_CASE("assign_pools: a required pool that is full is no reason for another one", "[assign_pools]") {
    std::vector<buffer> const buffers{{.lifetime = {0, 2}, .size = 8}, {.lifetime = {0, 2}, .size = 4}};
    std::vector<bytes> const capacities{8, 8};
    std::vector<std::optional<std::size_t>> const required{0, 0};
    CHECK(assign_pools(buffers, capacities, {.required = required}) == pool_result{.none_exists = true});
    CHECK(assign_pools(buffers, capacities).plan);
}

TEST_CASE("assign_pools: two pools of 15 bytes hold 7, 4 and 4, and 6, 5 and 4", "[assign_pools]") {
    std::vector<buffer> buffers;
    for (bytes const size : {7, 6, 5, 4, 4, 4}) buffers.push_back({.lifetime = {0, 1}, .size = size});
    auto const plan = assign_pools(buffers, pools{15, 15}).plan;
    REQUIRE(plan);
    CHECK(plan->heights == pools{15, 15});
    require_pools_hold(buffers, {15, 15}, *plan);
    CHECK(assign_pools(buffers, pools{15, 14, 0}) == pool_result{.none_exists = true});
}

TEST_CASE("assign_pools: traffic lies in the pools that cost least, and no plan has less", "[assign_pools]") {
    // By traffic and bytes the first buffer is best in the fast pool; the two others together are better.
    std::vector<buffer> const buffers{
        {.lifetime = {0, 2}, .size = 5}, {.lifetime = {0, 2}, .size = 4}, {.lifetime = {0, 2}, .size = 4}};
    std::vector<std::int64_t> const traffic{6, 4, 4};
    auto const found = assign_pools(buffers, pools{8, 16}, {.traffic = traffic});
    REQUIRE(found.plan);
    CHECK(found.plan->pool_of == std::vector<std::size_t>{1, 0, 0});
    CHECK((found.traffic == 6 && found.traffic_bound == 6));
    // The pools in another order, each with a cost of its own.
    std::vector<std::int64_t> const costs{5, 2};
    auto const dear = assign_pools(buffers, pools{16, 8}, {.traffic = traffic, .costs = costs});
    REQUIRE(dear.plan);
    CHECK(dear.plan->pool_of == std::vector<std::size_t>{0, 1, 1});
    CHECK(dear.plan->heights == pools{5, 8});
    CHECK((dear.traffic == 6 * 5 + 8 * 2 && dear.traffic_bound == dear.traffic));
}

TEST_CASE("assign_pools: traffic of 10¹⁴ is least to the byte", "[assign_pools]") {
    std::vector<buffer> const buffers{{{0, 2}, 5}, {{0, 2}, 4}, {{0, 2}, 4}, {{0, 2}, 4}};
    constexpr std::int64_t unit = 10'000'000'000'000;
    std::vector<std::int64_t> const traffic{6 * unit, 4 * unit + 1, 4 * unit, 4 * unit};
    auto const found = assign_pools(buffers, std::vector<bytes>{8, 16}, {.traffic = traffic});
    CHECK((found.traffic == 10 * unit && found.traffic_bound == 10 * unit));
}
TEST_CASE("assign_pools: traffic is bounded where offsets, and not live bytes, keep buffers apart", "[assign_pools]") {
    // Together they have 8 live bytes and need 9.
    std::vector<buffer> const buffers{{.lifetime = {0, 2}, .size = 4, .pinned = 0},
                                      {.lifetime = {2, 4}, .size = 4, .pinned = 4},
                                      {.lifetime = {1, 3}, .size = 4},
                                      {.lifetime = {0, 1}, .size = 3}};
    required_pools const required{0, 0, std::nullopt, std::nullopt};
    std::vector<std::int64_t> const traffic{1, 1, 3, 2};
    auto const found = assign_pools(buffers, pools{8, 8}, {.required = required, .traffic = traffic});
    REQUIRE(found.plan);
    CHECK((found.traffic == 3 && found.traffic_bound == 3));
    CHECK(assign_pools(buffers, pools{8, 3}, {.required = required, .traffic = traffic}) ==
          pool_result{.none_exists = true});
}

TEST_CASE("assign_pools: a long table of which few buffers are live at once has a least traffic", "[assign_pools]") {
    support::split_mix random(3);
    std::vector<buffer> buffers;
    std::vector<std::int64_t> traffic;
    for (std::int64_t i = 0; i < 200; ++i) {
        buffers.push_back(
            {.lifetime = {i, i + support::between(random, 2, 5)}, .size = support::between(random, 1, 99)});
        traffic.push_back(buffers.back().size * support::between(random, 1, 4));
    }
    pools const capacities{100, 400};
    auto const found = assign_pools(buffers, capacities, {.traffic = traffic});
    REQUIRE(found.plan);
    require_pools_hold(buffers, capacities, *found.plan);
    CHECK(found.traffic == found.traffic_bound);
}

namespace {

/// Checks the answers for random cases against all distributions; how many have a plan.
auto count_feasible(std::size_t cases) -> std::size_t {
    std::size_t feasible = 0;
    for (std::size_t seed = 0; seed < cases; ++seed) {
        CAPTURE(seed);
        support::split_mix random(seed);
        auto const of = support::random_pool_case(random);
        auto const& [buffers, capacities, required, traffic, costs, none] = of;
        auto const least = support::least_traffic(of);
        auto const any = assign_pools(buffers, capacities, {.required = required});
        auto const found =
            assign_pools(buffers, capacities, {.required = required, .traffic = traffic, .costs = costs});
        for (auto const& result : {any, found}) {
            REQUIRE(result.plan.has_value() == least.has_value());
            REQUIRE(result.none_exists == !least);
            if (!least) continue;
            require_pools_hold(buffers, capacities, *result.plan);
            for (std::size_t i = 0; i < buffers.size(); ++i)
                REQUIRE(required[i].value_or(result.plan->pool_of[i]) == result.plan->pool_of[i]);
        }
        for (std::size_t const work : {0U, 1U, 30U}) {
            auto const hasty =
                assign_pools(buffers, capacities, {.required = required, .offsets = {.limits = {.work = work}}});
            REQUIRE(hasty.none_exists <= !least);
            if (hasty.plan) require_pools_hold(buffers, capacities, *hasty.plan);
        }
        if (!least) continue;
        std::int64_t moved = 0;
        for (std::size_t i = 0; i < buffers.size(); ++i) moved += traffic[i] * costs[found.plan->pool_of[i]];
        REQUIRE(found.traffic == moved);
        REQUIRE(found.traffic == *least);
        REQUIRE(found.traffic_bound == *least);
        ++feasible;
    }
    return feasible;
}

}  // namespace

TEST_CASE("assign_pools: few buffers have the least traffic of all distributions, or no plan exists",
          "[assign_pools][property]") {
    auto const feasible = count_feasible(120);
    CHECK((feasible > 20 && feasible < 100));
}

TEST_CASE("assign_pools: ten thousand tables have the least traffic of all distributions", "[assign_pools][.slow]") {
    CHECK(count_feasible(10'000) > 5000);
}

TEST_CASE("assign_pools: a buffer that rests leaves the fast pool to another one", "[assign_pools]") {
    // In the slow pool the first buffer would cost 16; it is copied there at its last access before it rests.
    std::vector<buffer> const buffers{{.lifetime = {0, 10}, .size = 4}, {.lifetime = {4, 6}, .size = 4}};
    std::vector<std::vector<pool_access>> accesses{{{0, 4}, {1, 4}, {2, 4}, {9, 4}}, {{4, 50}, {5, 50}}};
    auto const found = assign_pools(buffers, pools{4, 8}, {.accesses = accesses});
    REQUIRE(found.plan);
    CHECK((found.traffic == 8 && found.traffic_bound == 8));
    CHECK(found.plan->stays[0] == std::vector<pool_stay>{{0, 0, {0, 3}}, {1, 0, {2, 10}}});
    CHECK(found.plan->copies == std::vector<pool_copy>{{2, 0, 0}});
    // Before dearer accesses it comes back, in a step of accesses in which the other one is gone.
    accesses[0].push_back({8, 0});
    accesses[0].push_back({9, 5});
    CHECK(assign_pools(buffers, pools{4, 8}, {.accesses = accesses}).traffic == 8);
    // The pools in another order.
    std::vector<std::int64_t> const costs{1, 0};
    auto const swapped = assign_pools(buffers, pools{8, 4}, {.costs = costs, .accesses = accesses});
    REQUIRE(swapped.plan);
    CHECK(verify_pools(buffers, pools{8, 4}, *swapped.plan, {.costs = costs, .accesses = accesses}) ==
          pool_verdict{.traffic = 8});
}

TEST_CASE("assign_pools: long lives with copies have traffic at or above the bound, and less than without",
          "[assign_pools]") {
    support::split_mix random(5);
    std::vector<buffer> buffers;
    std::vector<std::vector<pool_access>> accesses;
    std::vector<std::int64_t> traffic;
    for (std::int64_t i = 0; i < 16; ++i) {  // a forward and a backward pass
        auto const size = support::between(random, 1, 9);
        buffers.push_back({.lifetime = {i, 32 - i}, .size = size});
        accesses.push_back({{i, size}});
        if (i < 15) accesses.back().insert(accesses.back().end(), {{i + 1, size}, {30 - i, size}});
        accesses.back().push_back({31 - i, size});
        traffic.push_back(size * static_cast<std::int64_t>(accesses.back().size()));
    }
    pools const capacities{25, 160};
    auto const without = assign_pools(buffers, capacities, {.traffic = traffic});
    pool_options const options{.accesses = accesses};
    auto const found = assign_pools(buffers, capacities, options);
    REQUIRE(found.plan);
    CHECK(verify_pools(buffers, capacities, *found.plan, options) == pool_verdict{.traffic = found.traffic});
    CHECK((found.traffic_bound <= found.traffic && found.traffic < without.traffic_bound));
}

TEST_CASE("two windows in a gap are those of a buffer and of an alias that lives in the gap", "[allocate]") {
    std::vector<buffer> const buffers{
        {.lifetime = {0, 3}, .size = 6, .gaps = {{{1, 2}, interval{0, 2}}}},
        {.lifetime = {1, 2}, .size = 6, .gaps = {{{1, 2}, interval{4, 6}}}, .alias_of = 0},
        {.lifetime = {1, 2}, .size = 2}};
    auto const plan = assign_pools(buffers, pools{6}).plan;
    REQUIRE(plan);
    CHECK(plan->offsets == pools{0, 0, 2});
    CHECK(!verify_offsets(buffers, pools{0, 0, 3}));
}

namespace {

/// Checks the answers with copies for random cases against all plans; how many have fewer traffic than without copies.
auto count_copied(std::size_t cases, std::size_t& feasible) -> std::size_t {
    std::size_t better = 0;
    for (std::size_t seed = 0; seed < cases; ++seed) {
        CAPTURE(seed);
        support::split_mix random(seed);
        auto const of = support::random_copying_case(random);
        auto const least = support::naive_copies(of).least();
        pool_options const options{.required = of.required, .costs = of.costs, .accesses = of.accesses};
        auto const found = assign_pools(of.buffers, of.capacities, options);
        REQUIRE(found.plan.has_value() == least.has_value());
        REQUIRE(found.none_exists == !least);
        if (!least) continue;
        ++feasible;
        REQUIRE(verify_pools(of.buffers, of.capacities, *found.plan, options) == pool_verdict{.traffic = *least});
        REQUIRE(found.traffic == *least);
        REQUIRE(found.traffic_bound == *least);
        if (!found.plan->copies.empty()) ++better;
    }
    return better;
}

}  // namespace

TEST_CASE("assign_pools: few buffers with copies have the least traffic of all plans, or no plan exists",
          "[assign_pools][property]") {
    std::size_t feasible = 0;
    auto const copied = count_copied(120, feasible);
    CHECK((feasible > 20 && feasible < 120 && copied > 1));
}

TEST_CASE("assign_pools: ten thousand tables with copies have the least traffic of all plans",
          "[assign_pools][.slow]") {
    std::size_t feasible = 0;
    CHECK(count_copied(10'000, feasible) > 200);
    CHECK(feasible > 7000);
}

TEST_CASE("assign_pools: a search that is stopped proves nothing", "[assign_pools]") {
    std::vector<buffer> buffers;
    for (bytes const size : {7, 6, 5, 4, 4, 4}) buffers.push_back({.lifetime = {0, 1}, .size = size});
    CHECK(assign_pools(buffers, pools{15, 15}, {.offsets = {.limits = {.stop = [] { return true; }}}}) ==
          pool_result{});
}

TEST_CASE("assign_pools asks whether it is over while it distributes", "[assign_pools]") {
    std::vector<buffer> buffers;
    for (std::int64_t i = 0; i < 600; ++i) buffers.push_back({.lifetime = {i, i + 200}, .size = 1});
    int asked = 0;
    auto const stop = [&] { return ++asked > 2; };
    CHECK(!assign_pools(buffers, pools{199}, {.offsets = {.limits = {.stop = stop}}}).plan);
    CHECK(asked == 0);  // too few bytes: proven at once
    CHECK(!assign_pools(buffers, pools{50, 50, 100, 1}, {.offsets = {.limits = {.stop = stop}}}).plan);
    CHECK(asked == 3);
}
