// Covers pebbling/make_schedule.hpp, pebbling/replay.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;
using support::below;
using support::split_mix;

namespace {

struct planned {
    dataflow flow;
    std::vector<operation_index> order;
    std::vector<value_index> kept;
    schedule<> plan;
};

auto any_planned(split_mix& random) -> planned {
    planned p;
    p.flow = support::random_dataflow(random, {.operations = below(random, 12), .names = support::numbering::shuffled});
    p.order = support::random_compute_order(random, p.flow, below(random, 12));
    for (value_index x = 0; x < p.flow.value_count(); ++x) {
        auto const writes_it = [&](operation_index v) { return std::ranges::count(p.flow.writes(v), x) > 0; };
        if (support::chance(random, 15) && std::ranges::any_of(p.order, writes_it)) p.kept.push_back(x);
    }
    p.plan = make_schedule(p.flow, p.order, p.kept);
    return p;
}

/// Whether value x, in the device pool after computation `position`, is read again before it is computed again, or
/// kept.
auto is_needed(planned const& p, value_index x, std::size_t position) -> bool {
    for (++position; position < p.order.size(); ++position) {
        auto const v = p.order[position];
        if (std::ranges::count(p.flow.reads(v), x) > 0) return true;
        if (std::ranges::count(p.flow.writes(v), x) > 0) return false;
    }
    return std::ranges::count(p.kept, x) > 0;
}

}  // namespace

TEST_CASE("liveness makes a legal schedule of every order that computes before it reads", "[make_schedule][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 20; ++i) {
            auto const p = any_planned(random);
            RC_ASSERT(verify_schedule(p.flow, p.plan));
            RC_ASSERT(verify_schedule(p.flow, p.plan, {.resident_at_end = p.kept}));
            std::vector<operation_index> computations;
            for (auto const& s : p.plan.steps)
                if (s.what == action::compute) computations.push_back(s.vertex);
            RC_ASSERT(computations == p.order);
        }
    }));
}

TEST_CASE("no discard can come one computation earlier", "[make_schedule][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const p = any_planned(random);
        for (std::size_t i = 0; i < p.plan.steps.size(); ++i) {
            if (p.plan.steps[i].what != action::discard) continue;
            auto earlier = p.plan;
            auto const at = earlier.steps.begin() + static_cast<std::ptrdiff_t>(i);
            auto computation = at;
            while (computation->what != action::compute) --computation;
            std::rotate(computation, at, at + 1);
            RC_ASSERT(!verify_schedule(p.flow, earlier));
        }
    }));
}

TEST_CASE("nothing stays that is not read again", "[make_schedule][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const p = any_planned(random);
            std::vector<char> resident(p.flow.value_count(), 0);
            std::size_t position = 0;
            for (std::size_t k = 0; k < p.plan.steps.size(); ++k) {
                auto const& s = p.plan.steps[k];
                for (std::uint32_t j = 0; j < p.flow.writes(s.vertex).size(); ++j)
                    if (s.what == action::compute || j == s.output)
                        resident[p.flow.writes(s.vertex)[j]] = s.what == action::compute ? 1 : 0;
                if (k + 1 < p.plan.steps.size() && p.plan.steps[k + 1].what == action::discard) continue;
                for (value_index x = 0; x < resident.size(); ++x)
                    RC_ASSERT(resident[x] == 0 || is_needed(p, x, position));
                ++position;
            }
        }
    }));
}

TEST_CASE("a value is discarded after its last use before it is recomputed", "[make_schedule]") {
    // 0 -> 1 -> 2 -> 3, and 0 -> 3
    auto const flow = make_dataflow(support::adjacency{{1, 3}, {2}, {3}, {}});
    std::vector<operation_index> const order{0, 1, 2, 0, 3};
    schedule_builder expected(flow);
    expected.compute(0);
    expected.compute(1);
    expected.discard(0);
    expected.compute(2);
    expected.discard(1);
    expected.compute(0);
    expected.compute(3);
    expected.discard(3);
    expected.discard(2);
    expected.discard(0);
    auto plan = make_schedule(flow, order);
    auto const by_name = [](step<> const& a, step<> const& b) { return a.vertex > b.vertex; };
    std::sort(plan.steps.end() - 3, plan.steps.end(),
              by_name);  // the order of discards at one position is not specified
    CHECK(plan == std::move(expected).finish());
    CHECK(replay(flow, plan).peak == 3);
}

TEST_CASE("without an order everything runs once, by index where that is topological", "[make_schedule]") {
    auto const flow = make_dataflow(support::chain(5));
    auto const result = replay(flow, make_schedule(flow));
    CHECK(result.time == 5);
    CHECK(result.overhead == 0);
    CHECK(result.peak == 2);
}

TEST_CASE("liveness refuses operations and values that are not there", "[make_schedule]") {
    auto const flow = make_dataflow(support::chain(2));
    std::vector<operation_index> const order{0, 2};
    CHECK_THROWS_AS(make_schedule(flow, order), bad_graph);
    std::vector<value_index> const kept{2};
    CHECK_THROWS_AS(make_schedule(flow, flow.order(), kept), precondition_violated);
}

TEST_CASE("long sequences hear a stop while their schedule is made, and while it is judged", "[make_schedule]") {
    auto const flow = make_dataflow(std::vector<std::vector<int>>{{}});
    std::vector<operation_index> const often(300'000, 0);
    auto const made = make_schedule(flow, often);
    for (int asked = 0; asked < 8; ++asked) {
        int left = asked;
        auto const stop = [&] { return --left < 0; };
        bool const is_made = detail::make_schedule_until(flow, often, {}, stop).has_value();
        CHECK(is_made == (left >= 0));
        left = std::min(asked, 3);
        CHECK_FALSE(detail::verify_schedule_fn::until(stop, flow, made));
    }
    CHECK(detail::make_schedule_until(flow, often, {}, [] { return false; }) == made);
    CHECK(detail::verify_schedule_fn::until([] { return false; }, flow, made)->result == replay(flow, made));
}
