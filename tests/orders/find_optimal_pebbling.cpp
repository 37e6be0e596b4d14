// Covers orders/find_least_peak.hpp, pebbling/make_schedule.hpp, orders/find_optimal_pebbling.hpp, pebbling/replay.hpp,
// orders/detail/placement_search.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/orders/find_least_peak.hpp>
#include <repebble/orders/find_optimal_pebbling.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/brute_pebbling.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/golden.hpp"
#include "support/promises.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::split_mix;

namespace {

/// A tiny dataflow with everything that there is, but for views that stay.
auto tiny_flow(split_mix& random, std::size_t view_percent) -> dataflow {
    for (;;) {
        std::size_t const bound = view_percent == 0 ? 7 : 5;
        auto flow = support::with_free_views(support::any_dataflow(random, bound, view_percent));
        auto const merged = detail::contract_views(flow).flow();
        bool stays = flow.value_count() > 7;
        for (std::size_t x = 0; x < merged.value_count(); ++x) stays = stays || merged.is_view(x);
        if (!stays) return flow;
    }
}

/// "" or what is wrong with a result.
auto optimal_fault(dataflow const& flow, bytes budget, optimal_result<> const& found, std::optional<std::int64_t> least)
    -> std::string {
    if (!found.proven) return "it is not proven";
    if (found.schedule.has_value() != least.has_value()) return least ? "it finds nothing" : "it finds the impossible";
    if (!least) return {};
    auto const cost = replay(flow, *found.schedule);
    if (cost.peak > budget) return "the schedule does not fit";
    if (cost.time != found.time) return "the schedule takes another time";
    if (found.lower_bound != found.time) return "the bound is another than the time";
    return found.time == *least ? "" : "the time is not the least";
}

/// A training chain of n unit operations under op_backward, the backward pass once: forward i is i, its gradient n + i.
auto unit_chain(std::size_t n) -> dataflow {
    support::weighted_dag g{support::chain(n), std::vector<std::int64_t>(n, 1), std::vector<bytes>(n, 1),
                            std::vector<char>(n, 0)};
    return support::backward_once(g.training(gradient_dependencies{}, convention::op_backward));
}

}  // namespace

TEST_CASE("the optimal pebbling is that of a search through every computation and discard",
          "[find_optimal_pebbling][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 3; ++i) {
            auto const flow = tiny_flow(random, support::chance(random, 30) ? 40 : 0);
            auto const peak = replay(flow, make_schedule(flow)).peak;
            auto const lowest = support::brute_pebbling::least_peak(flow);
            auto const bounds = find_least_peak(flow);
            RC_ASSERT(bounds.lower == lowest);
            RC_ASSERT(bounds.upper == lowest);
            RC_ASSERT(replay(flow, bounds.schedule).peak == lowest);
            for (auto const budget : {support::between(random, lowest, peak), std::max<bytes>(lowest - 1, 0)})
                RC_ASSERT(optimal_fault(flow, budget, find_optimal_pebbling(flow, budget),
                                        support::brute_pebbling::least_time(flow, budget)) == std::string());
        }
    }));
}

TEST_CASE("a larger budget never makes an optimal pebbling slower, also where many operations run once",
          "[find_optimal_pebbling][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        support::dataflow_shape const shape{
            .operations = 16, .view_percent = 0, .alternative_percent = 0, .run_once_percent = 60, .most_bytes = 4};
        auto flow = support::random_dataflow(random, shape);
        while (support::has_views(flow)) flow = support::random_dataflow(random, shape);
        auto const peak = replay(flow, make_schedule(flow)).peak;
        auto slower = std::numeric_limits<std::int64_t>::max();
        for (auto budget = find_least_peak(flow).upper; budget <= peak; ++budget) {
            auto const found = find_optimal_pebbling(flow, budget);
            RC_ASSERT(found.schedule.has_value());
            RC_ASSERT(found.time <= slower);
            slower = found.time;
        }
        RC_ASSERT(slower == flow.time_once());
    }));
}

TEST_CASE("optimal pebblings have the proven times of recorded training graphs",
          "[find_optimal_pebbling][golden][data]") {
    auto const cases = support::proven_optima();
    if (cases.empty()) SKIP("there is no data folder own/optimal");
    std::size_t solved = 0;
    for (auto const& entry : cases) {
        auto const training = support::training_from(entry);
        if (training.flow.operation_count() > 24) continue;
        for (auto const& result : entry.at("results")) {
            auto const flow = result.at("game") == "once" ? support::backward_once(training) : training.flow;
            for (auto const& point : result.at("points")) {
                auto const budget = point.at("budget").get<bytes>();
                INFO(entry.at("name") << ", " << result.at("game") << ", budget " << budget);
                auto const found = find_optimal_pebbling(flow, budget, {.limits = {.work = 500}});
                auto const cost = point.at("cost").get<std::int64_t>();
                CHECK(found.lower_bound <= cost);
                if (!found.proven) continue;
                ++solved;
                CHECK(optimal_fault(flow, budget, found, cost) == "");
            }
        }
    }
    CHECK(solved > 80);
}

TEST_CASE("a training chain of 10 unit operations: the least time within every budget", "[find_optimal_pebbling]") {
    auto const flow = unit_chain(10);
    std::vector<std::int64_t> times;
    for (bytes budget = 4; budget <= 12; ++budget) times.push_back(find_optimal_pebbling(flow, budget).time);
    CHECK(times == std::vector<std::int64_t>{58, 39, 35, 34, 33, 32, 31, 30, 30});
    auto const none = find_optimal_pebbling(flow, 3);
    CHECK(none.proven);
    CHECK_FALSE(none.schedule.has_value());
    auto const bounds = find_least_peak(flow);
    CHECK(bounds.lower == 4);
    CHECK(bounds.upper == 4);
}

TEST_CASE("a sink need not run where others have computed its values", "[find_optimal_pebbling]") {
    dataflow_builder builder;
    builder.add_operation(2);  // writes 0, which 1 reads
    builder.add_operation(1);
    builder.add_operation(5);  // a sink: writes 1, which 0 writes, too
    auto const read = builder.add_value(0, 2);
    auto const result = builder.add_value(0, 3);
    builder.add_read(1, read);
    builder.add_producer(2, result);
    auto const flow = std::move(builder).build();
    auto const found = find_optimal_pebbling(flow, 5);
    REQUIRE(found.schedule.has_value());
    CHECK(found.time == 3);
    CHECK(replay(flow, *found.schedule).time == 3);
}

TEST_CASE("a search that reaches its limit reports it, with a bound", "[find_optimal_pebbling]") {
    auto const flow = unit_chain(10);
    std::int64_t before = 0;
    for (std::size_t const limit : {1U, 10U, 40U, 80U}) {
        auto const found = find_optimal_pebbling(flow, 4, {.limits = {.work = limit}});
        CHECK_FALSE(found.proven);
        CHECK_FALSE(found.schedule.has_value());
        CHECK(found.lower_bound >= std::max<std::int64_t>(before, 30));
        CHECK(found.lower_bound <= 58);
        before = found.lower_bound;
    }
    auto const bounds = find_least_peak(unit_chain(12), {.limits = {.work = 3}});
    CHECK(bounds.lower <= 4);
    CHECK(bounds.upper >= 4);
    CHECK(replay(unit_chain(12), bounds.schedule).peak == bounds.upper);
}

TEST_CASE("a search that is stopped again and again ends like one that is not", "[find_optimal_pebbling]") {
    auto const flow = unit_chain(10);
    auto const whole = find_optimal_pebbling(flow, 5);
    optimal_search search(flow, 5);
    optimal_result<> found;
    std::size_t calls = 0;
    for (; !found.proven; ++calls) found = search.go_on({.limits = {.work = 20 * calls}});
    CHECK(calls > 3);
    CHECK(found == whole);
    CHECK(search.go_on() == whole);

    optimal_search below(flow, 5);
    auto const none = below.go_on({.below = whole.time});
    CHECK(none.proven);
    CHECK_FALSE(none.schedule.has_value());
}

TEST_CASE("a search that learns of a plan midway has no bound above the optimum", "[find_optimal_pebbling]") {
    split_mix random(9);
    constexpr support::full_shape plain{.input_percent = 10,
                                        .view_percent = 0,
                                        .alternative_percent = 0,
                                        .mutation_percent = 0,
                                        .control_percent = 0,
                                        .result_percent = 5,
                                        .run_once_percent = 0,
                                        .most_bytes = 6};
    std::size_t searches = 0;
    for (int i = 0; i < 200; ++i) {
        auto shape = plain;
        shape.operations = 6 + support::below(random, 5);
        auto const flow = support::random_full_dataflow(random, shape);
        auto const budget = find_least_peak(flow).upper;
        auto const whole = find_optimal_pebbling(flow, budget);
        if (!whole.schedule) continue;
        for (std::size_t limit = 1; limit < whole.states; limit += 1 + limit / 2) {
            optimal_search search(flow, budget);
            static_cast<void>(search.go_on({.limits = {.work = limit}}));
            CHECK(search.go_on({.below = whole.time}).lower_bound == whole.time);
            ++searches;
        }
    }
    CHECK(searches > 100);
}

TEST_CASE("what is needed again is made by way of a circle, also where a view lies in one of its values",
          "[find_optimal_pebbling]") {
    for (bool const viewed : {false, true}) {
        dataflow_builder builder;
        auto const first = builder.add_operation(1, 0, false), copying = builder.add_operation(1),
                   packing = builder.add_operation(1), unpacking = builder.add_operation(1),
                   viewing = builder.add_operation(viewed ? 1 : 0), wide = builder.add_operation(1, 8),
                   last = builder.add_operation(1);
        auto const x = builder.add_value(first, 4), copy = builder.add_value(copying, 4);
        if (viewed) builder.add_value(copying, 1);
        builder.add_read(copying, x);
        builder.add_read(packing, copy);
        builder.add_read(unpacking, builder.add_value(packing, 1));
        builder.add_producer(unpacking, x);
        builder.add_read(viewing, copy);
        builder.add_read(last, viewed ? builder.add_view(viewing, std::vector{copy}) : copy);
        builder.add_control_edge(packing, wide);
        builder.add_control_edge(wide, last);
        auto const flow = std::move(builder).build();
        CHECK(optimal_search(flow, 9).has_all_moves());
        // Within 9 bytes only what is packed stays beside the wide one.
        auto const found = find_optimal_pebbling(flow, 9);
        REQUIRE(found.schedule);
        CHECK(found.proven);
        CHECK(found.time == (viewed ? 8 : 7));
        CHECK(replay(flow, *found.schedule).peak == 9);
        CHECK(find_optimal_pebbling(flow, 8).none_exists());
        detail::placement_search places(flow, 9);
        auto const never = [] { return false; };
        CHECK(places.run(1000, never) == detail::pebbling_end::found);
        CHECK(places.time() == found.time);
    }
}

TEST_CASE("a value of two operations that run once can be made again by the other", "[find_optimal_pebbling]") {
    dataflow_builder builder;
    auto const first = builder.add_operation(1, 0, false), second = builder.add_operation(1, 0, false),
               reader = builder.add_operation(1), middle = builder.add_operation(1, 4), last = builder.add_operation(1);
    auto const x = builder.add_value(first, 4);
    builder.add_producer(second, x);
    auto const z = builder.add_value(reader, 1), w = builder.add_value(middle, 1);
    builder.add_value(last, 1);
    builder.add_read(reader, x);
    builder.add_read(middle, z);
    builder.add_read(last, x);
    builder.add_read(last, w);
    auto const flow = std::move(builder).build();
    for (bytes budget = 6; budget <= 9; ++budget) {
        auto const found = find_optimal_pebbling(flow, budget);
        REQUIRE(found.schedule.has_value());
        CHECK(found.time == 5);
    }
    auto const least = find_least_peak(flow);
    CHECK((least.lower == 6 && least.upper == 6));
}

TEST_CASE("an optimal pebbling of a graph names its own vertices, in whole units of time", "[find_optimal_pebbling]") {
    support::adjacency const g{{1, 3}, {2}, {3}, {}};  // 3 reads 0 and 2
    std::vector<bytes> const memory{4, 6, 1, 1};
    weights const w{[](int v) { return 0.5 + v; }, support::listed<bytes>{memory}};
    auto const keep = find_optimal_pebbling(g, w, 11);
    REQUIRE(keep.schedule.has_value());
    CHECK(keep.time == 80);                              // in tenths
    auto const again = find_optimal_pebbling(g, w, 10);  // 0 is discarded for 1 and 2, and recomputed
    REQUIRE(again.schedule.has_value());
    CHECK(again.time == 85);
    CHECK(replay(g, *again.schedule, w).peak == 10);
    CHECK_FALSE(find_optimal_pebbling(g, w, 9).schedule.has_value());
    auto const bounds = find_least_peak(g, w);
    CHECK(bounds.lower == 10);
    CHECK(replay(g, bounds.schedule, w).peak == 10);
}

TEST_CASE("64 operations are played, 65 refused", "[find_optimal_pebbling]") {
    auto const flow = make_dataflow(support::chain(64));
    auto const found = find_optimal_pebbling(flow, 2);
    REQUIRE(found.schedule.has_value());
    CHECK(found.time == 64);
    CHECK(replay(flow, *found.schedule).peak == 2);
    CHECK(find_least_peak(flow).upper == 2);
    auto const larger = make_dataflow(support::chain(65));
    CHECK(support::throws<limit_reached>([&] { return find_optimal_pebbling(larger, 2); }, {"65", "64"}));
}

TEST_CASE("a view of two values keeps both, and goes with either", "[find_optimal_pebbling]") {
    // 2 makes a view of 0 and 1 in 5 units; 3 makes 4 bytes in between, which 4 reads beside the view.
    dataflow_builder builder;
    for (std::int64_t const time : {1, 1, 5, 1, 1}) builder.add_operation(time);
    std::vector<value_index> const owners{builder.add_value(0, 2), builder.add_value(1, 2)};
    for (auto const x : owners) builder.add_read(2, x);
    auto const view = builder.add_view(2, owners), large = builder.add_value(3, 4);
    builder.add_read(4, view);
    builder.add_read(4, large);
    builder.add_control_edge(2, 3);
    builder.add_result(builder.add_value(4, 1));
    auto const flow = std::move(builder).build();
    CHECK(find_least_peak(flow).lower == 9);
    for (bytes const budget : {8, 9}) {
        auto const found = find_optimal_pebbling(flow, budget);
        CHECK((found.proven && found.schedule.has_value() == (budget == 9)));
        if (found.schedule) CHECK((found.time == 9 && replay(flow, *found.schedule).peak == 9));
    }
}

TEST_CASE("a view that takes time runs apart from its owner, and once only where it may", "[find_optimal_pebbling]") {
    // 0 makes x, 1 a view of it, which 2 reads; 3 needs room, and 4 reads x: that is made again, and the view is not.
    for (bool const again : {true, false}) {
        dataflow_builder builder;
        for (operation_index v = 0; v < 5; ++v) builder.add_operation(v == 1 ? 5 : 1, v == 3 ? 4 : 0, v != 1 || again);
        auto const x = builder.add_value(0, 3);
        builder.add_read(1, x);
        builder.add_read(2, builder.add_view(1, std::vector{x}));
        builder.add_read(4, x);
        builder.add_control_edge(2, 3);
        builder.add_control_edge(3, 4);
        auto const flow = std::move(builder).build();
        auto const found = find_optimal_pebbling(flow, 5);
        REQUIRE(found.schedule);
        CHECK((found.time == 10 && found.proven && replay(flow, *found.schedule).peak == 4));
    }
}

TEST_CASE("where a value with a view is made beside another output, all is proven", "[find_optimal_pebbling]") {
    dataflow_builder builder;
    for (int v = 0; v < 3; ++v) builder.add_operation(1);
    auto const x = builder.add_value(0, 3), beside = builder.add_value(0, 1);
    builder.add_read(1, x);
    builder.add_read(2, builder.add_view(1, std::vector{x}));
    builder.add_read(2, beside);
    auto const flow = std::move(builder).build();
    optimal_search search(flow, 4);
    auto const found = search.go_on();
    CHECK(search.has_all_moves());
    CHECK((found.time_least() && !found.none_exists() && found.time == 3 && found.lower_bound == 3));
    CHECK(find_optimal_pebbling(flow, 3).none_exists());
}

TEST_CASE("a view stays in one storage while its owner is computed again beside another output",
          "[find_optimal_pebbling]") {
    // The view of `a` is made once; b does not fit beside what runs next, and is computed again with another `a`.
    for (auto const& [again, workspace] : {std::pair<bool, bytes>{true, 0}, {true, 3}, {false, 0}}) {
        dataflow_builder builder;
        builder.add_operation(1, 0, again);
        builder.add_operation(1, 0, false);
        builder.add_operation(1, workspace);
        builder.add_operation(1);
        auto const a = builder.add_value(0, 2), b = builder.add_value(0, 3);
        builder.add_read(1, a);
        builder.add_read(3, builder.add_view(1, std::vector{a}));
        builder.add_read(3, b);
        builder.add_value(2, 5 - workspace);
        builder.add_control_edge(1, 2);
        builder.add_control_edge(2, 3);
        auto const flow = std::move(builder).build();
        auto const found = find_optimal_pebbling(flow, 7);
        CHECK(found.proven);
        CHECK(found.schedule.has_value() == again);
        CHECK(find_least_peak(flow).lower <= (again ? 7 : 10));
        if (found.schedule) CHECK((found.time == 5 && replay(flow, *found.schedule).peak == 7));
        auto const stopped = find_optimal_pebbling(flow, 7, {.limits = {.work = found.states / 2}});
        if (again) CHECK((!stopped.schedule && !stopped.none_exists() && stopped.lower_bound <= 5));
        auto const less = find_optimal_pebbling(flow, 6);
        CHECK((less.none_exists() && !less.time_least()));
        optimal_search search(flow, 7);
        auto const none = search.go_on({.below = 5});
        CHECK((none.none_exists() && none.lower_bound >= 5));
        CHECK(find_optimal_pebbling(flow, 10).time == 4);
    }
}

TEST_CASE("a view stays in one storage while its owner is computed again beside a view of another value",
          "[find_optimal_pebbling]") {
    // Operation 1 writes a and a view of x. A view of `a` is made once; the view of x does not fit beside what runs
    // next, and is made again with another `a`.
    dataflow_builder builder;
    for (bool const recomputable : {true, true, false, true, true}) builder.add_operation(1, 0, recomputable);
    auto const x = builder.add_value(0, 2), a = builder.add_value(1, 1);
    builder.add_read(1, x);
    builder.add_read(4, builder.add_view(1, std::vector{x}));
    builder.add_read(2, a);
    builder.add_read(4, builder.add_view(2, std::vector{a}));
    builder.add_value(3, 4);
    builder.add_control_edge(2, 3);
    builder.add_control_edge(3, 4);
    auto const flow = std::move(builder).build();
    auto const found = find_optimal_pebbling(flow, 5);
    REQUIRE(found.schedule);
    CHECK((found.proven && found.time == 7 && replay(flow, *found.schedule).peak <= 5));
    CHECK(find_least_peak(flow).lower <= 5);
    CHECK(find_optimal_pebbling(flow, 4).none_exists());
}

TEST_CASE("nothing to compute takes no time and no memory", "[find_optimal_pebbling]") {
    auto const nothing = find_optimal_pebbling(dataflow(), 0);
    CHECK(nothing.proven);
    REQUIRE(nothing.schedule.has_value());
    CHECK(nothing.schedule->steps.empty());
    CHECK(find_least_peak(dataflow()).upper == 0);
}

TEST_CASE("optimal_pebbling: discarding a value that the next operation writes anew costs nothing") {
    // Otherwise the bound is too high where an operation of two outputs runs again for one of them.
    for (std::uint64_t seed = 1000; seed < 1120; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow =
            support::random_dataflow(random, {.operations = 3 + seed % 9, .view_percent = 0, .alternative_percent = 0});
        auto const contracted = detail::contract_views(flow);
        bool views = false;
        for (std::size_t x = 0; x < contracted.flow().value_count(); ++x) views = views || contracted.flow().is_view(x);
        if (views) continue;
        bytes const most = replay(flow, make_schedule(flow)).peak;
        for (bytes budget = most / 2; budget < most; budget += 1 + most / 8) {
            detail::small_game const game(contracted.flow());
            detail::pebbling_search plain(game, budget);
            if (plain.run(100'000) != detail::pebbling_end::found) continue;
            // A cutoff just above the optimum leaves only ways whose every bound is right.
            detail::pebbling_search close(game, budget, plain.time() + 1);
            REQUIRE(close.run(100'000) == detail::pebbling_end::found);
            CHECK(close.time() == plain.time());
            CHECK(close.lower_bound() == plain.time());
            detail::pebbling_search none(game, budget, plain.time());
            CHECK(none.run(100'000) == detail::pebbling_end::impossible);
        }
    }
}
