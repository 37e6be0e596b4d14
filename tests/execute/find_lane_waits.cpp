// Covers execute/find_lane_waits.hpp, execute/bind_schedule.hpp, execute/bound_schedule.hpp.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/fit_offsets.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/execute/bind_schedule.hpp>
#include <repebble/execute/find_lane_waits.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/early_and_late_swap.hpp"
#include "support/event_simulation.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/random_schedules.hpp"

using namespace repebble;

namespace {

auto waits_of(lane_program const& p) -> std::vector<std::vector<std::size_t>> {
    std::vector<std::vector<std::size_t>> all;
    for (auto const& s : p.steps) all.emplace_back(s.waits.begin(), s.waits.end());
    return all;
}

/// One byte range that a step touches.
struct touched_bytes {
    pool where = pool::device;
    block at{};
    bool writes = false;
};

auto touches_of(bound_step const& s, bool poison) -> std::vector<touched_bytes> {
    std::vector<touched_bytes> all;
    for (auto const& r : s.reads)
        all.push_back({s.what == action::prefetch ? pool::host : pool::device, r.where, false});
    for (auto const& w : s.writes)
        if (w.what.value == w.owner)
            all.push_back({s.what == action::offload ? pool::host : pool::device, w.where, true});
    if (s.workspace) all.push_back({pool::device, *s.workspace, true});
    if (!poison) return all;
    for (auto const& b : s.ends) all.push_back({pool::device, b, true});
    for (auto const& b : s.host_ends) all.push_back({pool::host, b, true});
    return all;
}

auto conflict(std::vector<touched_bytes> const& a, std::vector<touched_bytes> const& b) -> bool {
    for (auto const& x : a)
        for (auto const& y : b)
            if (x.where == y.where && (x.writes || y.writes) &&
                std::max(x.at.offset, y.at.offset) < std::min(x.at.offset + x.at.size, y.at.offset + y.at.size))
                return true;
    return false;
}

using step_pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// All pairs of steps that touch the same bytes, one of them to write.
auto byte_conflicts(bound_schedule const& bound, bool poison) -> step_pairs {
    std::vector<std::vector<touched_bytes>> touches;
    for (std::size_t i = 0; i < bound.step_count(); ++i) touches.push_back(touches_of(bound[i], poison));
    step_pairs pairs;
    for (std::size_t j = 0; j < touches.size(); ++j)
        for (std::size_t i = 0; i < j; ++i)
            if (conflict(touches[i], touches[j])) pairs.emplace_back(i, j);
    return pairs;
}

/// For each step the steps that have ended when it begins, by the waits and the order of the lanes; one wait, number
/// `without` of step `of`, may be left out. The last row is the end.
auto steps_before(lane_program const& p, std::size_t of = ~std::size_t{0}, std::size_t without = 0)
    -> std::vector<std::vector<bool>> {
    auto const count = p.steps.size();
    std::vector<std::vector<bool>> before(count + 1, std::vector<bool>(count, false));
    std::array<std::vector<std::size_t>, 3> lanes;
    for (std::size_t i = 0; i <= count; ++i) {
        auto const on = i == count ? lane::compute : p.steps[i].on;
        auto& queue = lanes[static_cast<std::size_t>(on)];
        std::vector<std::size_t> ended;
        if (!queue.empty()) ended.push_back(queue.back());
        std::size_t number = 0;
        for (auto const w : i == count ? p.at_end : p.steps[i].waits)
            if (number++ != without || i != of) ended.push_back(w);
        for (auto const e : ended) {
            before[i][e] = true;
            for (std::size_t k = 0; k < count; ++k) before[i][k] = before[i][k] || before[e][k];
        }
        queue.push_back(i);
    }
    return before;
}

auto all_ordered(std::vector<std::vector<bool>> const& before, step_pairs const& pairs) -> bool {
    return std::ranges::all_of(pairs, [&](auto const& p) { return before[p.second][p.first]; });
}

/// The end of the last step where each begins as soon as its lane and its waits let it.
auto makespan_of(dataflow const& flow, bound_schedule const& bound, lane_program const& p, host_link const& via)
    -> std::int64_t {
    std::array<std::int64_t, 3> idle_from{};
    std::vector<std::int64_t> ends;
    for (std::size_t i = 0; i < bound.step_count(); ++i) {
        auto const s = bound[i];
        auto& idle = idle_from[static_cast<std::size_t>(p.steps[i].on)];
        auto begin = idle;
        for (auto const w : p.steps[i].waits) begin = std::max(begin, ends[w]);
        if (s.what == action::compute)
            idle = begin + flow.time(s.operation);
        else if (s.what != action::discard)
            idle = begin + via.copy_time(s.reads.front().where.size);
        ends.push_back(idle);
    }
    return std::ranges::max(idle_from);
}

/// What holds of the program of one schedule.
void check_program(support::split_mix& random, dataflow const& flow, schedule<> const& plan, std::size_t& waits) {
    host_link const via{.size = support::between(random, 1, 3),
                        .time = support::between(random, 0, 4),
                        .latency = support::between(random, 0, 2),
                        .half_duplex = support::below(random, 3) == 0};
    arena a{.lifetimes = find_lifetimes(flow, plan)};
    a.offsets = fit_offsets(a.lifetimes.buffers);
    a.size = verify_offsets(a.lifetimes.buffers, a.offsets).height;
    auto const bound = bind_schedule(flow, plan, a);
    for (bool const poison : {false, true}) {
        auto const p = find_lane_waits(bound, {.half_duplex = via.half_duplex, .poison = poison});
        auto const before = steps_before(p);
        auto pairs = byte_conflicts(bound, poison);
        support::event_simulation const events(flow, plan, via);
        for (auto const& [first, second] : events.conflicts()) pairs.emplace_back(first->step, second->step);
        RC_ASSERT(all_ordered(before, pairs));
        for (std::size_t i = 0; i < plan.steps.size(); ++i)
            if (plan.steps[i].what != action::discard || poison) {
                RC_ASSERT(before.back()[i]);
                pairs.emplace_back(i, plan.steps.size());  // at the end all lanes are idle
            }
        if (!poison) RC_ASSERT(makespan_of(flow, bound, p, via) <= replay(flow, plan, {}, lanes_clock(via)).time);
        for (std::size_t i = 0; i <= p.steps.size(); ++i)
            for (std::size_t k = 0; k < (i == p.steps.size() ? p.at_end : p.steps[i].waits).size(); ++k) {
                RC_ASSERT(!all_ordered(steps_before(p, i, k), pairs));
                ++waits;
            }
        for (std::size_t i = 0; i < p.steps.size(); ++i) {
            auto const waits_for_it = [&](wait_list const& w) { return std::ranges::count(w, i) > 0; };
            RC_ASSERT(p.steps[i].signals ==
                      (waits_for_it(p.at_end) ||
                       std::ranges::any_of(p.steps, waits_for_it, [](lane_step const& s) { return s.waits; })));
        }
    }
}

}  // namespace

TEST_CASE("a reader waits for the copy in, and who takes memory for the copy out of it", "[execute][lanes]") {
    auto const flow = support::two_values_and_a_reader();
    auto const early = find_lane_waits(support::bound_swap(flow, false));
    // compute a, offload a, discard, compute b over a, prefetch a, compute c, discard from the host
    CHECK(waits_of(early) == std::vector<std::vector<std::size_t>>{{}, {0}, {}, {1}, {1}, {4}, {}});
    CHECK(early.at_end == wait_list{});
    CHECK(early.steps[1].on == lane::offload);
    CHECK(early.steps[4].on == lane::prefetch);
    auto const late = find_lane_waits(support::bound_swap(flow, true));
    // compute a, offload a, compute b, discard, prefetch a, compute c, discard from the host
    CHECK(waits_of(late) == std::vector<std::vector<std::size_t>>{{}, {0}, {}, {}, {1}, {4}, {}});
    CHECK_FALSE(late.steps[2].signals);
}

TEST_CASE("over a half duplex link copies wait for one another by their order", "[execute][lanes]") {
    auto const flow = support::two_values_and_a_reader();
    auto const p = find_lane_waits(support::bound_swap(flow, true), {.half_duplex = true});
    CHECK(waits_of(p) == std::vector<std::vector<std::size_t>>{{}, {0}, {}, {}, {}, {4}, {}});
}

TEST_CASE("a storage that ends is poisoned on the lane that used it last", "[execute][lanes]") {
    auto const flow = support::two_values_and_a_reader();
    auto const bound = support::bound_swap(flow, false);
    CHECK(bound[2].ends.size() == 1);
    CHECK(bound[2].host_ends.empty());
    CHECK(bound[6].ends.empty());
    CHECK(std::vector(bound[6].host_ends.begin(), bound[6].host_ends.end()) == std::vector{block{0, 4}});
    auto const p = find_lane_waits(bound, {.poison = true});
    CHECK(p.steps[2].on == lane::offload);
    CHECK(p.steps[6].on == lane::prefetch);
    CHECK(waits_of(p) == std::vector<std::vector<std::size_t>>{{}, {0}, {}, {2}, {1}, {4}, {}});
    CHECK(std::vector(p.at_end.begin(), p.at_end.end()) == std::vector<std::size_t>{6});
}

TEST_CASE("without copies nothing waits", "[execute][lanes]") {
    auto const flow = support::two_values_and_a_reader();
    schedule_builder plan(flow);
    for (operation_index v = 0; v < 3; ++v) plan.compute(v);
    auto const p = find_lane_waits(bind_schedule(flow, std::move(plan).finish()), {.poison = true});
    CHECK(p == lane_program{.steps = std::vector<lane_step>(3)});
}

TEST_CASE("a value of no bytes, written over one that is copied in, waits for no copy", "[execute][lanes]") {
    dataflow_builder builder;
    auto const copied = builder.add_value(builder.add_operation(1), 1);
    builder.add_value(builder.add_operation(1), 0);
    auto const flow = std::move(builder).build();
    schedule_builder builds(flow);
    builds.compute(0);
    builds.offload(copied);
    builds.discard(copied);
    builds.prefetch(copied);
    builds.compute_in_place(1, 0, copied);
    auto const plan = std::move(builds).finish();
    auto const p = find_lane_waits(bind_schedule(flow, plan));
    CHECK(waits_of(p) == std::vector<std::vector<std::size_t>>{{}, {0}, {}, {1}, {}});
    CHECK(std::vector(p.at_end.begin(), p.at_end.end()) == std::vector<std::size_t>{3});
    support::event_simulation const events(flow, plan, {.size = 1, .time = 1});
    REQUIRE(events.conflicts().size() == 1);
    CHECK(events.conflicts()[0].first->step == 0);
    CHECK(events.conflicts()[0].second->step == 1);
}

TEST_CASE("waits order all that share bytes, none of them is redundant, and no schedule is later than judged",
          "[execute][lanes][property]") {
    std::size_t legal = 0, waits = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 5; ++i) {
            auto const flow = support::any_dataflow(random, 10);
            auto const plan = support::random_schedule(random, flow, support::below(random, 100));
            if (!verify_schedule(flow, plan)) continue;
            check_program(random, flow, plan, waits);
            ++legal;
        }
    }));
    CHECK(legal > 50);
    CHECK(waits > legal);
}
