// Covers orders/detail/pebbling_search.hpp, orders/detail/small_game.hpp, orders/detail/time_bound.hpp.
// The search on the game itself: what it finds, its lower bound on the way, cutoffs and limits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/orders/detail/pebbling_search.hpp>
#include <repebble/orders/detail/small_game.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/brute_pebbling.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

using detail::pebbling_end;
using detail::pebbling_search;
using detail::small_game;

constexpr std::size_t no_limit = 1'000'000;

/// Operation 0 makes 3 bytes in 6; 1 reads them, 2 needs 5 bytes of its own after 1, and 3 reads what 0 and 2 made.
auto kept_across() -> dataflow {
    dataflow_builder builder;
    auto const make = builder.add_operation(6), first = builder.add_operation(0), wide = builder.add_operation(1, 4),
               last = builder.add_operation(1);
    auto const x = builder.add_value(make, 3), nothing = builder.add_value(first, 0), a = builder.add_value(wide, 1);
    builder.add_read(first, x);
    builder.add_read(wide, nothing);
    builder.add_read(last, x);
    builder.add_read(last, a);
    return std::move(builder).build();
}

auto tiny_flow(support::split_mix& random) -> dataflow {
    for (;;) {
        auto flow = support::any_dataflow(random, 7, 0);
        if (flow.value_count() <= 7 && !support::has_views(flow)) return flow;
    }
}

}  // namespace

TEST_CASE("pebbling_search: what two operations write that run once each is made twice", "[find_optimal_pebbling]") {
    dataflow_builder builder;
    auto const first = builder.add_operation(1, 0, false), second = builder.add_operation(2, 0, false),
               over = builder.add_operation(1), wide = builder.add_operation(1, 5);
    auto const x = builder.add_value(first, 3), result = builder.add_value(over, 3);
    builder.add_producer(second, x);
    builder.add_read(over, x);
    builder.add_mutation(over, 0, x);
    builder.add_result(result);
    builder.add_read(wide, builder.add_value(builder.add_operation(1), 1));
    builder.add_control_edge(over, wide);
    auto const flow = std::move(builder).build();
    small_game const game(flow);
    for (auto const& [budget, least] : {std::pair<bytes, std::int64_t>{9, 4}, {8, 7}}) {
        pebbling_search search(game, budget);
        CHECK(search.run(no_limit) == pebbling_end::found);
        CHECK((search.time() == least && search.lower_bound() == least));
        CHECK(support::brute_pebbling::least_time(flow, budget) == least);
    }
}

TEST_CASE("pebbling_search: what two operations write that run once each is dropped, too", "[find_optimal_pebbling]") {
    dataflow_builder builder;
    auto const first = builder.add_operation(1, 0, false), second = builder.add_operation(2, 0, false),
               look = builder.add_operation(1), wide = builder.add_operation(1, 4), last = builder.add_operation(1);
    auto const x = builder.add_value(first, 3), seen = builder.add_value(look, 1), made = builder.add_value(wide, 1);
    builder.add_producer(second, x);
    builder.add_read(look, x);
    builder.add_read(wide, seen);
    for (auto const value : {x, made}) builder.add_read(last, value);
    auto const flow = std::move(builder).build();
    small_game const game(flow);
    for (auto const& [budget, least] : {std::pair<bytes, std::int64_t>{9, 4}, {8, 6}}) {
        pebbling_search search(game, budget);
        CHECK(search.run(no_limit) == pebbling_end::found);
        CHECK((search.time() == least && search.lower_bound() == least));
        CHECK(support::brute_pebbling::least_time(flow, budget) == least);
    }
}

TEST_CASE("pebbling_search: what is made again beside another value is discarded for nothing",
          "[find_optimal_pebbling]") {
    struct operation {
        std::int64_t time;
        bytes workspace;
        std::vector<value_index> reads;
        std::vector<bytes> sizes;  // of what it writes
    };
    std::vector<operation> const operations{
        {5, 0, {}, {3, 1}}, {4, 1, {1}, {3, 2}}, {5, 0, {2, 3}, {4, 3}}, {4, 0, {0, 1, 4}, {1}}, {3, 0, {0, 2, 3}, {3, 1}}};
    dataflow_builder builder;
    for (auto const& o : operations) {
        auto const v = builder.add_operation(o.time, o.workspace);
        for (auto const x : o.reads) builder.add_read(v, x);
        for (auto const size : o.sizes) builder.add_value(v, size);
    }
    auto const flow = std::move(builder).build();
    REQUIRE(support::brute_pebbling::least_time(flow, 12) == 26);
    small_game const game(flow);
    pebbling_search search(game, 12);
    REQUIRE(search.run(no_limit) == pebbling_end::found);
    CHECK(search.time() == 26);
}

TEST_CASE("pebbling_search: a value is kept where it fits, and made again where not", "[find_optimal_pebbling]") {
    auto const flow = kept_across();
    small_game const game(flow);
    pebbling_search roomy(game, 8);
    CHECK(roomy.run(no_limit) == pebbling_end::found);
    CHECK((roomy.time() == 8 && roomy.lower_bound() == 8));
    CHECK(roomy.computations() == std::vector<operation_index>{0, 1, 2, 3});
    for (bytes const budget : {5, 7}) {
        pebbling_search tight(game, budget);
        CHECK(tight.run(no_limit) == pebbling_end::found);
        CHECK((tight.time() == 14 && tight.lower_bound() == 14));
        CHECK(tight.computations() == std::vector<operation_index>{0, 1, 2, 0, 3});
        CHECK(tight.run(no_limit) == pebbling_end::found);  // asked again
        CHECK(tight.time() == 14);
    }
    CHECK(pebbling_search(game, 4).run(no_limit) == pebbling_end::impossible);
}

TEST_CASE("pebbling_search: with a cutoff only less time counts", "[find_optimal_pebbling]") {
    auto const flow = kept_across();
    small_game const game(flow);
    pebbling_search above(game, 7, 15);
    CHECK(above.run(no_limit) == pebbling_end::found);
    pebbling_search at(game, 7, 14);
    CHECK(at.run(no_limit) == pebbling_end::impossible);
    CHECK(at.lower_bound() == 14);
    pebbling_search later(game, 7);
    later.cut_off(10);
    later.cut_off(20);  // does not raise it
    CHECK(later.run(no_limit) == pebbling_end::impossible);
    CHECK(later.lower_bound() == 10);
}

TEST_CASE("pebbling_search: a cutoff at what was found excludes it", "[find_optimal_pebbling]") {
    auto const flow = kept_across();
    small_game const game(flow);
    pebbling_search search(game, 7);
    REQUIRE(search.run(no_limit) == pebbling_end::found);
    search.cut_off(15);
    CHECK(search.run(no_limit) == pebbling_end::found);
    search.cut_off(14);
    CHECK(search.run(no_limit) == pebbling_end::impossible);
}

TEST_CASE("pebbling_search: a position that was reached is reached again in less time", "[find_optimal_pebbling]") {
    dataflow_builder builder;
    auto const slow = builder.add_operation(5), fast = builder.add_operation(1), last = builder.add_operation(1);
    auto const x = builder.add_value(slow, 1);
    builder.add_producer(fast, x);
    builder.add_read(last, x);
    auto const flow = std::move(builder).build();
    small_game const game(flow);
    pebbling_search search(game, 1);
    REQUIRE(search.run(no_limit) == pebbling_end::found);
    CHECK(search.time() == 2);
    CHECK(search.computations() == std::vector<operation_index>{fast, last});
}

TEST_CASE("pebbling_search: stopped, it goes on where it was", "[find_optimal_pebbling]") {
    auto const flow = kept_across();
    small_game const game(flow);
    pebbling_search search(game, 7);
    CHECK(search.run(0) == pebbling_end::limit);
    CHECK((search.lower_bound() <= 14 && search.states() > 0));
    CHECK(search.run(no_limit) == pebbling_end::found);
    CHECK(search.time() == 14);
}

TEST_CASE("pebbling_search: the least time of all ways through the game, and never a bound above it",
          "[find_optimal_pebbling][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = tiny_flow(random);
        auto const peak = replay(flow, make_schedule(flow)).peak;
        auto const budget = support::between(random, std::max<bytes>(0, peak - 8), peak);
        auto const least = support::brute_pebbling::least_time(flow, budget);
        auto const most = least.value_or(std::numeric_limits<std::int64_t>::max());
        small_game const game(flow);
        pebbling_search search(game, budget);
        auto end = pebbling_end::limit;
        std::int64_t before = 0;
        for (auto limit = support::chance(random, 50) ? std::size_t{0} : no_limit; end == pebbling_end::limit;
             ++limit) {
            end = search.run(limit);
            RC_ASSERT((search.lower_bound() >= before && search.lower_bound() <= most));
            before = search.lower_bound();
        }
        RC_ASSERT((end == pebbling_end::found) == least.has_value());
        if (!least) return;
        RC_ASSERT((search.time() == *least && search.lower_bound() == *least));
        auto const played = replay(flow, make_schedule(flow, search.computations()));
        RC_ASSERT((played.time == *least && played.peak <= budget));
    }));
}
