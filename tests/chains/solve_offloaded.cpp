// Covers chains/detail/solve_offloaded.hpp, chains/detail/offload_table.hpp, chains/detail/overlap_copies.hpp,
// chains/chain_dataflow.hpp.
#include <repebble/chains/solve_chain.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/chains/bytes_to_keep_all.hpp>
#include <repebble/chains/chain_dataflow.hpp>
#include <repebble/chains/detail/offload_table.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/replay.hpp>

#include "chains/random_chain.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

/// The least time of any schedule in which copies stop computations, and gradients are not copied: a shortest path over
/// the values in both pools. Nothing where no schedule fits.
auto least_with_serial_copies(chain_dataflow const& of, std::size_t stages, bytes budget, host_link const& via)
    -> std::optional<std::int64_t> {
    auto const& flow = of.flow();
    using pools = std::pair<std::uint32_t, std::uint32_t>;  // values in the device pool and in the host pool
    using entry = std::pair<std::int64_t, pools>;
    std::map<pools, std::int64_t> least;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> open;
    auto const size_of = [&](std::uint32_t values) {
        bytes all = 0;
        for (std::size_t v = 0; v < flow.value_count(); ++v) all += (values >> v & 1U) != 0 ? flow.size(v) : 0;
        return all;
    };
    auto const reach = [&](std::int64_t time, pools p) {
        if (size_of(p.first) > budget) return;
        auto const [at, is_new] = least.try_emplace(p, time);
        if (!is_new && at->second <= time) return;
        at->second = time;
        open.emplace(time, p);
    };
    std::uint32_t gradients = 0;
    for (std::size_t i = 0; i < stages; ++i) gradients |= 1U << of.gradient(i);
    reach(0, {1U << of.value(0), 0});
    while (!open.empty()) {
        auto const [time, p] = open.top();
        open.pop();
        auto const [device, host] = p;
        if ((device >> of.gradient(0) & 1U) != 0) return time;
        if (least.at(p) < time) continue;
        for (operation_index v = 0; v < flow.operation_count(); ++v) {
            std::uint32_t reads = 0, writes = 0;
            for (auto const value : flow.reads(v)) reads |= 1U << value;
            for (auto const value : flow.writes(v)) writes |= 1U << value;
            if ((reads & ~device) != 0 || !flow.recomputable(v)) continue;
            if (size_of(device | writes) + flow.workspace(v) <= budget)
                reach(time + flow.time(v), {device | writes, host});
        }
        for (std::size_t v = 0; v < flow.value_count(); ++v) {
            auto const bit = 1U << v;
            auto const copy = via.copy_time(flow.size(v));
            if ((device & bit) != 0) reach(time, {device ^ bit, host});
            if ((gradients & bit) != 0) continue;
            if ((device & bit) != 0 && (host & bit) == 0) reach(time + copy, {device, host | bit});
            if ((host & bit) != 0 && (device & bit) == 0) reach(time + copy, {device | bit, host});
            // What the host has is kept: host memory has no limit. A value that is computed again is the same one.
        }
    }
    return std::nullopt;
}

auto random_link(support::split_mix& random) -> host_link {
    return {.size = support::between(random, 1, 4),
            .time = support::between(random, 0, 4),
            .latency = support::between(random, 0, 1),
            .half_duplex = support::chance(random, 30)};
}

}  // namespace

TEST_CASE("chain offloaded: plans replay within the budget, and are no slower than without a second level",
          "[chain][levels][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const of = support::random_chain(
            random, {.stages = 1 + support::below(random, 9), .most_tapes = 1 + support::below(random, 2)});
        auto const via = random_link(random);
        auto const most = bytes_to_keep_all(of);
        auto const budget = support::between(random, support::chance(random, 20) ? 0 : most / 2, most + 3);
        auto const found = solve_chain(of, budget, {.slots = 1000, .link = via});
        auto const alone = solve_chain(of).time_within(budget);
        if (alone) {
            RC_ASSERT(found.has_value());
            RC_ASSERT(found->copies->serial_time <= *alone);
        }
        if (!found) return;
        RC_ASSERT(found->time <= found->copies->serial_time);
        chain_dataflow const flow(of);
        auto const cost =
            replay(flow.flow(), found->copies->plan, {.resident_at_end = {flow.gradient(0)}}, lanes_clock(via));
        RC_ASSERT(cost.time == found->time);
        RC_ASSERT(cost.peak == found->peak);
        RC_ASSERT(cost.peak <= budget);
        auto const rounded = solve_chain(of, budget, {.slots = 1 + support::below(random, 30), .link = via});
        if (rounded) RC_ASSERT(rounded->copies->serial_time >= found->copies->serial_time);
    }));
}

TEST_CASE("chain offloaded: few schedules whose copies stop computations take less time", "[chain][levels][long]") {
    std::size_t cases = 0, equal = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        support::split_mix random(seed);
        auto of = support::random_chain(random, {.stages = 2 + support::below(random, 2)});
        of.stages.back().gradient = 0;  // that of the result, which the chain counts and the dataflow has not
        auto const via = random_link(random);
        auto const most = bytes_to_keep_all(of);
        auto const budget = support::between(random, most * 2 / 3, most);
        auto const least = least_with_serial_copies(chain_dataflow(of), of.stages.size(), budget, via);
        auto const found = solve_chain(of, budget, {.slots = 1000, .link = via});
        CAPTURE(seed, budget);
        if (!least) {
            CHECK(!found);
            continue;
        }
        ++cases;
        if (!found) continue;
        CHECK(found->copies->serial_time >= *least);
        equal += found->copies->serial_time == *least ? 1 : 0;
    }
    CAPTURE(cases, equal);
    CHECK(cases > 15);
    CHECK(equal >= cases - 1);
}

TEST_CASE("chain offloaded: over a free link nothing runs twice, over a slow one nothing is copied",
          "[chain][levels]") {
    chain of{.input = 2, .input_gradient = 2};
    for (int k = 0; k < 12; ++k)
        of.stages.push_back(
            {.forward_time = 3, .backward_time = 5, .output = 2, .gradient = 2, .tapes = {{.saved = 4}}});
    auto const once = 12 * 8;
    auto const budget = bytes_to_keep_all(of) / 2;
    auto const free = solve_chain(of, budget, {.slots = 1000, .link = host_link{.size = 1, .time = 0}});
    REQUIRE(free);
    CHECK(free->time == once);
    CHECK(free->copies->serial_time == once);
    auto const slow = solve_chain(of, budget, {.slots = 1000, .link = host_link{.size = 1, .time = 1000}});
    REQUIRE(slow);
    CHECK(slow->copies->serial_time == solve_chain(of).time_within(budget));
    // In between, each copy takes less time than a stage, and all run beside computations.
    auto const both = solve_chain(of, budget, {.slots = 1000, .link = host_link{.size = 1, .time = 1}});
    REQUIRE(both);
    CHECK(both->time == once);
    CHECK(both->copies->serial_time > once);
    CHECK_THROWS_AS(solve_chain(of, -1, {.link = host_link{.size = 1, .time = 1}}), bad_weight);
    CHECK_THROWS_AS(solve_chain(of, 9, {.slots = 0, .link = host_link{.size = 1, .time = 1}}), bad_weight);
    CHECK_THROWS_AS(solve_chain(of, 9, {.link = host_link{.size = 0, .time = 1}}), bad_weight);
    CHECK(!solve_chain(of, 1, {.link = host_link{.size = 1, .time = 0}}));
}

TEST_CASE("chain offloaded: slots that no plan needs are left out, and too many refused", "[chain][levels]") {
    constexpr auto budget = (bytes{1} << 62U) - 1;
    auto const chain_of = [](bytes size) {
        chain of{.input = size};
        for (int k = 0; k < 3; ++k)
            of.stages.push_back({.forward_time = 1, .backward_time = 1, .output = size, .tapes = {{.saved = size}}});
        return of;
    };
    auto const found = solve_chain(chain_of(2), budget, {.slots = budget, .link = host_link{.size = 1, .time = 1}});
    REQUIRE(found);
    CHECK(*found == solve_chain(chain_of(2), 100, {.slots = 100, .link = host_link{.size = 1, .time = 1}}));
    CHECK(found->copies->serial_time == 6);
    CHECK(solve_chain(chain_of(2), 100,
                      {.slots = std::numeric_limits<std::size_t>::max(), .link = host_link{.size = 1, .time = 1}}) ==
          found);
    // Sizes and slots near 2^63 do not wrap.
    constexpr auto large = bytes{1} << 59U;
    CHECK(detail::slots_of(std::numeric_limits<bytes>::max(), std::numeric_limits<bytes>::max() - 1) == 2);
    CHECK(solve_chain(chain_of(large), std::numeric_limits<bytes>::max(),
                      {.slots = 1, .link = host_link{.size = large, .time = 1}})
              .has_value() == false);
    CHECK_THROWS_WITH(
        solve_chain(chain_of(large), budget, {.slots = budget, .link = host_link{.size = large, .time = 1}}),
        "a table of 3 stages in 3458764513820540928 slots takes up to 309237645313 GiB, and more than 8 "
        "are not allowed");
}

TEST_CASE("chain offloaded: what has been copied out is copied in at half the price", "[chain][offloaded]") {
    // The input and the first tape do not fit beside the second stage: 2 + 1 + 8 bytes of 10.
    chain const of{.input = 2,
                   .stages = {{.forward_time = 50, .backward_time = 1, .output = 1, .tapes = {{.saved = 1}}},
                              {.forward_time = 1, .backward_time = 1, .tapes = {{.forward_workspace = 8}}}}};
    detail::chain_sums const sums(of);
    detail::offload_table const table(sums, 1, 12, [](bytes size) { return 3 * size; });
    auto const anew = table.time({0, 1, false}, 8), copied = table.time({0, 1, true}, 8);
    REQUIRE((anew && copied));
    CHECK(*anew == 53 + 12);   // out and in
    CHECK(*copied == 53 + 6);  // in
}
