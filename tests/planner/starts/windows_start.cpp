// Covers planner/detail/bounds/one_cut/disjoint_windows.hpp, planner/detail/starts/windows_start.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/orders/find_optimal_pebbling.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/detail/bounds/one_cut/disjoint_windows.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/starts/windows_start.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

constexpr auto never_stops = [] { return false; };

/// Times and bytes of the layers of each pass.
struct layer {
    std::int64_t time = 1;
    bytes size = 1;
    bytes beside = 0;  // a second value, which nothing reads; in every second microbatch both are exchanged
};

/// The passes of one rank of a pipeline: so many forward ones, then one backward and one forward in turn.
auto rank_of(std::vector<layer> const& layers, std::size_t microbatches, std::size_t in_flight) -> dataflow {
    dataflow_builder b;
    std::vector<std::vector<value_index>> made(microbatches);
    std::vector<operation_index> all;
    auto const add = [&](std::int64_t time, std::vector<value_index> const& reads, bytes size, bool begins) {
        auto const v = b.add_operation(time);
        for (auto const x : reads) b.add_read(v, x);
        if (begins && !all.empty()) b.add_control_edge(all.back(), v);
        all.push_back(v);
        return b.add_value(v, size);
    };
    auto const forward = [&](std::size_t k) {
        for (auto const& l : layers) {
            auto const reads = made[k].empty() ? std::vector<value_index>{} : std::vector{made[k].back()};
            bool const exchanged = l.beside > 0 && k % 2 == 1;
            made[k].push_back(add(l.time, reads, exchanged ? l.beside : l.size, made[k].empty()));
            if (l.beside > 0) b.add_value(all.back(), exchanged ? l.size : l.beside);
        }
    };
    auto const backward = [&](std::size_t k) {
        auto gradient = made[k].back();
        for (auto i = layers.size(); i-- > 0;)
            gradient = add(1, i + 1 == layers.size() ? std::vector{gradient} : std::vector{gradient, made[k][i]}, 1,
                           i + 1 == layers.size());
    };
    std::size_t next = 0, last = 0;
    while (next < std::min(in_flight, microbatches)) forward(next++);
    while (last < microbatches) {
        backward(last++);
        if (next < microbatches) forward(next++);
    }
    return std::move(b).build();
}

auto random_rank(support::split_mix& random, std::size_t layers, std::size_t microbatches) -> dataflow {
    std::vector<layer> all;
    bool const two = support::chance(random, 30);
    for (std::size_t k = 0; k < layers; ++k)
        all.push_back({.time = static_cast<std::int64_t>(1 + support::below(random, 6)),
                       .size = static_cast<bytes>(1 + support::below(random, 6)),
                       .beside = two ? static_cast<bytes>(1 + support::below(random, 6)) : 0});
    return rank_of(all, microbatches, 1 + support::below(random, 3));
}

}  // namespace

TEST_CASE("windows_of_load: one for as many microbatches as are in flight, cut where all of them are live") {
    auto const m = detail::make_planning_model(rank_of({{1, 2}, {1, 2}}, 6, 2));
    // F0 F1 | B0 F2 B1 F3 | …: two operations a pass; the cut is at the first operation of a backward pass.
    CHECK(detail::windows_of_load(m, 1) == std::vector<detail::cut_window>{{0, 4}, {4, 12}, {12, 20}});
    CHECK(detail::last_window_of_load(m, 1) == detail::cut_window{14, 20});
    CHECK(detail::windows_of_load(detail::make_planning_model(dataflow_builder().build()), 1).empty());
}

TEST_CASE("choose_in_windows: what every window must run again adds up") {
    // Two microbatches of 3 + 3 bytes are live at each cut; within 9 bytes one layer of them runs again.
    auto const m = detail::make_planning_model(rank_of({{5, 3}, {7, 3}}, 4, 2));
    auto const windows = detail::windows_of_load(m, 1);
    REQUIRE(windows.size() == 2);
    auto const chosen = detail::choose_in_windows(m, 10, windows, never_stops);
    CHECK(chosen.is_whole);
    CHECK(chosen.bound == 10);
    auto const dropped =
        std::ranges::count_if(chosen.dropped, [](auto at) { return at != detail::windows_choice::never; });
    CHECK(dropped == 2);
    auto const stopped = detail::choose_in_windows(m, 10, windows, [] { return true; });
    CHECK((stopped.bound == 0 && !stopped.is_whole));
}

TEST_CASE("disjoint windows: no schedule is below their bound, and what they choose is legal and fits") {
    std::size_t optima = 0, positive = 0, exactly = 0, planned = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::chance(random, 70)
                              ? random_rank(random, 1 + support::below(random, 3), 2 + support::below(random, 4))
                              : support::random_dataflow(random, {.operations = 12, .view_percent = 0});
        auto const m = detail::make_planning_model(flow);
        auto const relaxed = detail::relaxed_model(m, flow).value_or(m);
        auto const most = replay(flow, make_schedule(flow)).peak;
        for (bytes const percent : {85, 65, 50}) {
            auto const budget = most * percent / 100;
            std::int64_t bound = 0;
            for (double const share : {1.0, 0.6}) {
                auto const windows = detail::windows_of_load(relaxed, share);
                auto const all = detail::choose_in_windows(relaxed, budget, windows, never_stops);
                std::int64_t one_by_one = 0;
                for (auto const& w : windows)
                    one_by_one += detail::choose_in_windows(relaxed, budget, {w}, never_stops).bound;
                CHECK(all.bound == one_by_one);
                bound = std::max(bound, all.bound);
            }
            auto const made = detail::start_by_windows(m, relaxed, budget, 10'000, never_stops);
            if (made.sequence) {
                ++planned;
                CHECK(std::ranges::max(detail::sequence_loads(m, *made.sequence)) <= budget);
                CHECK(replay(flow, make_schedule(flow, *made.sequence)).peak <= budget);
            }
            auto const exact = find_optimal_pebbling(flow, budget, {.limits = {.work = 20'000}});
            if (!exact.proven || !exact.schedule) continue;
            ++optima;
            auto const least = exact.time - m.time_once;
            CHECK(bound <= least);
            CHECK(made.bound <= least);
            if (made.sequence) CHECK(detail::sequence_time(m, *made.sequence) - m.time_once >= least);
            if (bound > 0) ++positive;
            if (bound > 0 && bound == least) ++exactly;
        }
    }
    UNSCOPED_INFO(optima << " optima, " << positive << " positive, " << exactly << " exactly, " << planned
                         << " planned");
    CHECK(optima > 100);
    CHECK(positive > 30);
    CHECK(exactly > 10);
    CHECK(planned > 20);
}

TEST_CASE("plan: a rank of thirty-two microbatches is planned within two percent of the least, by disjoint windows") {
    std::vector<layer> layers;
    for (int k = 0; k < 3; ++k) layers.insert(layers.end(), {{3, 16}, {5, 48}, {2, 16}, {7, 64}, {4, 16}});
    auto const flow = rank_of(layers, 32, 4);
    auto const budget = replay(flow, make_schedule(flow)).peak / 10 * 6;
    plan_options options{.limits = {.work = 1000}};
    auto const found = plan(flow, budget, options);
    REQUIRE(found.plan);
    CHECK(found.plan->cost.peak <= budget);
    CHECK(found.gap() < 0.02);
    options.without.insert(technique::disjoint_windows);
    CHECK(2 * plan(flow, budget, options).lower_bound < found.lower_bound);
}
