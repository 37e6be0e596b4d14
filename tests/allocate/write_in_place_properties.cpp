// Covers allocate/write_in_place.hpp, allocate/lifetimes.hpp, allocate/live_bytes.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/live_bytes.hpp>
#include <repebble/allocate/write_in_place.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "recompute/random_training.hpp"
#include "support/catch.hpp"
#include "support/computations.hpp"
#include "support/generators.hpp"
#include "support/naive_replay.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/random_schedules.hpp"

using namespace repebble;
using support::computations;
using support::in_place_count;

namespace {

/// A reproducible random rule.
struct picky {
    std::uint64_t salt = 0;
    std::uint64_t percent = 50;
    auto operator()(operation_index v, std::uint32_t output, value_index over) const -> bool {
        auto const mixed = (salt + v * 131 + output * 31 + over * 17) * 0x9E3779B97F4A7C15U;
        return (mixed >> 32U) % 100 < percent;
    }
};

/// The plan with step i in place, output j over `over`: other values in the storage are discarded before, and the later
/// discards of its values are dropped. Nullopt if a value in it would have stayed to the end, or the storage is larger.
auto with_one_more(dataflow const& flow, schedule<> const& plan, std::size_t i, std::uint32_t j, value_index over)
    -> std::optional<schedule<>> {
    support::naive_player player(flow);
    for (std::size_t k = 0; k < i; ++k) static_cast<void>(player.play(plan.steps[k]));
    auto const where = player.device.at(over);
    if (where.size() != 1) return std::nullopt;
    schedule<> tried{{plan.steps.begin(), plan.steps.begin() + static_cast<std::ptrdiff_t>(i)}};
    auto const bytes_before = player.device_bytes();
    std::vector<bool> ended(flow.value_count(), false);
    auto const resident = player.device;
    for (auto const& [x, place] : resident) {
        if (std::ranges::none_of(place, [&](auto const& p) { return p.second == where.begin()->second; })) continue;
        ended[x] = true;
        player.device.erase(x);
        auto const [u, k] = flow.as_output(x);
        if (x != over) tried.steps.push_back({action::discard, pool::device, false, k, player.computations[x] - 1, u});
    }
    if (bytes_before - player.device_bytes() != flow.size(flow.writes(plan.steps[i].vertex)[j])) return std::nullopt;
    tried.steps.push_back(plan.steps[i]);
    tried.steps.back().in_place = true;
    tried.steps.back().output = j;
    std::tie(tried.steps.back().over, tried.steps.back().over_output) = [&] {
        auto const named = flow.as_output(over);
        return std::pair(named.vertex, named.output);
    }();
    for (auto k = i; k < plan.steps.size(); ++k) {
        auto const& s = plan.steps[k];
        bool drop = k == i;
        if (s.what == action::compute) {
            for (auto const x : flow.writes(s.vertex)) ended[x] = false;
        } else if (auto const x = flow.writes(s.vertex)[s.output]; s.what == action::discard && ended[x]) {
            ended[x] = false;
            drop = true;
        }
        if (!drop) tried.steps.push_back(s);
    }
    return std::ranges::count(ended, true) == 0 ? std::optional(tried) : std::nullopt;
}

/// The number of steps of a plan without copies that could still be in place.
auto possible_steps_left(dataflow const& flow, schedule<> const& plan, picky const& rule) -> std::size_t {
    std::size_t left = 0;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        auto const& s = plan.steps[i];
        if (s.what != action::compute || s.in_place) continue;
        for (auto const over : flow.reads(s.vertex))
            for (std::uint32_t j = 0; j < flow.writes(s.vertex).size(); ++j) {
                if (flow.size(flow.writes(s.vertex)[j]) == 0 || !rule(s.vertex, j, over)) continue;
                auto const tried = with_one_more(flow, plan, i, j, over);
                left += tried && verify_schedule(flow, *tried);
            }
    }
    return left;
}

/// A random dataflow whose values have few sizes.
auto few_sizes(support::split_mix& random, std::size_t most) -> dataflow {
    return support::random_dataflow(
        random, {.operations = support::below(random, most),
                 .names = support::chance(random, 50) ? support::numbering::shuffled : support::numbering::topological,
                 .most_bytes = support::between(random, 1, 3)});
}
/// A schedule that discards at once, with discards moved to later.
auto with_late_discards(support::split_mix& random, dataflow const& flow, schedule<> plan) -> schedule<> {
    auto& steps = plan.steps;
    for (auto i = steps.size(); i-- > 0;) {
        if (steps[i].what != action::discard) continue;
        auto const x = flow.writes(steps[i].vertex)[steps[i].output];
        for (auto at = i + 1, k = support::below(random, 8); k > 0 && at < steps.size(); --k, ++at) {
            auto const written = flow.writes(steps[at].vertex);
            if (steps[at].what == action::compute && std::ranges::count(written, x) > 0) break;
            std::swap(steps[at - 1], steps[at]);
        }
    }
    return plan;
}

/// Any legal schedule of a dataflow: a random walk, or liveness on a random order.
auto any_legal_schedule(support::split_mix& random, dataflow const& flow) -> std::optional<schedule<>> {
    auto plan = support::chance(random, 50)
                    ? make_schedule(flow, support::random_compute_order(random, flow, support::below(random, 8)))
                    : support::random_schedule(random, flow, support::below(random, 100));
    return verify_schedule(flow, plan) ? std::optional(std::move(plan)) : std::nullopt;
}

}  // namespace

TEST_CASE("in-place schedules are legal, with the same computations, never more bytes, and idempotent",
          "[in_place][property]") {
    std::size_t legal = 0;
    std::ptrdiff_t made = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = few_sizes(random, 14);
            auto const plan = any_legal_schedule(random, flow);
            if (!plan) continue;
            ++legal;
            picky const rule{.salt = random(), .percent = 25 * support::below(random, 5)};
            auto const result = write_in_place(flow, *plan, rule);
            auto const before = replay(flow, *plan);
            auto const after = replay(flow, result);
            made += in_place_count(result) - in_place_count(*plan);
            RC_ASSERT(after.peak <= before.peak);
            RC_ASSERT(after.time == before.time);
            RC_ASSERT(after.host_peak == before.host_peak);
            RC_ASSERT(computations(result) == computations(*plan));
            RC_ASSERT(write_in_place(flow, result, rule) == result);
            RC_ASSERT(find_live_bytes(find_lifetimes(flow, result).buffers).most == after.peak);
            RC_ASSERT(support::naive_replay(flow, result).peak == after.peak);
            // In-place steps of the plan stay, and new ones are allowed by the rule.
            std::size_t at = 0;
            for (auto const& s : result.steps) {
                if (s.what != action::compute) continue;
                while (plan->steps[at].what != action::compute) ++at;
                auto const& old = plan->steps[at++];
                if (old.in_place) RC_ASSERT(s == old);
                if (s.in_place && !old.in_place)
                    RC_ASSERT(rule(s.vertex, s.output, flow.writes(s.over)[s.over_output]));
            }
        }
    }));
    CHECK(legal > 200);
    CHECK(made > 100);
}

TEST_CASE("in-place schedules keep results and leave mutations alone", "[in_place][property]") {
    std::size_t legal = 0, mutations = 0;
    std::ptrdiff_t made = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = support::random_full_dataflow(random, {.operations = 1 + support::below(random, 12)});
            auto const plan = support::random_schedule(random, flow, support::below(random, 80));
            if (!verify_schedule(flow, plan)) continue;
            ++legal;
            for (auto const& [v, repetition] : computations(plan)) mutations += flow.mutations(v).size();
            picky const rule{.salt = random(), .percent = 25 * support::below(random, 5)};
            bytes const slack = support::chance(random, 50) ? 0 : 2;
            for (auto const& result :
                 {write_in_place(flow, plan, rule, {.slack = slack}), write_in_place(flow, plan, {.slack = slack})}) {
                auto const after = verify_schedule(flow, result);
                RC_ASSERT(after);
                RC_ASSERT(after.result.peak <= replay(flow, plan).peak);
                RC_ASSERT(computations(result) == computations(plan));
                auto const naive = support::naive_replay(flow, result);
                RC_ASSERT(!naive.broken_step);
                RC_ASSERT(naive.peak == after.result.peak);
                made += in_place_count(result) - in_place_count(plan);
            }
            for (auto const& s : write_in_place(flow, plan).steps)
                if (s.in_place && std::ranges::find(plan.steps, s) == plan.steps.end()) {
                    overwrite const o{s.output, flow.writes(s.over)[s.over_output]};
                    RC_ASSERT(std::ranges::count(flow.allowed_overwrites(s.vertex), o) > 0);
                }
        }
    }));
    CHECK(legal > 30);  // also of few cases
    CHECK(mutations > 15);
    CHECK(made > 5);
}

TEST_CASE("no computation has more bytes beside it in place than before", "[in_place][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = few_sizes(random, 14);
        auto const plan = any_legal_schedule(random, flow);
        if (!plan) return;
        auto const of_computations = [&](schedule<> const& s) {
            std::vector<bytes> during;
            auto const profile = replay(flow, s, {.profile = true}).profile;
            for (std::size_t i = 0; i < profile.size(); ++i)
                if (s.steps[i].what == action::compute) during.push_back(profile[i]);
            return during;
        };
        auto const before = of_computations(*plan);
        auto const after = of_computations(write_in_place(flow, *plan, always{}));
        for (std::size_t i = 0; i < before.size(); ++i) RC_ASSERT(after[i] <= before[i]);
    }));
}

TEST_CASE("with slack the peak is never higher than without", "[in_place][property]") {
    std::size_t lower = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = support::any_dataflow(random, 14);
            auto const plan = any_legal_schedule(random, flow);
            if (!plan) continue;
            in_place_options const options{.slack = support::between(random, 1, 9)};
            auto const exact = write_in_place(flow, *plan, always{});
            auto const loose = write_in_place(flow, *plan, always{}, options);
            RC_ASSERT(replay(flow, loose).peak <= replay(flow, exact).peak);
            // Once more may find other steps, but none that cost memory.
            RC_ASSERT(replay(flow, write_in_place(flow, loose, always{}, options)).peak <= replay(flow, loose).peak);
            lower += replay(flow, loose).peak < replay(flow, exact).peak;
        }
    }));
    CHECK(lower > 0);
}

TEST_CASE("in-place schedules are legal beside copies between pools", "[in_place][property]") {
    std::size_t legal = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = few_sizes(random, 12);
            auto const plan = support::random_schedule(random, flow, support::below(random, 100));
            if (!verify_schedule(flow, plan)) continue;
            ++legal;
            RC_ASSERT(verify_schedule(flow, write_in_place(flow, plan, always{})));
        }
    }));
    CHECK(legal > 50);
}

TEST_CASE("in-place schedules of strategies' plans are legal and need no more memory", "[in_place][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_training(random, 8);
        picky const rule{.salt = random(), .percent = 80};
        auto const check = [&](auto const& plan) {
            auto const cost = replay(training.flow, write_in_place(training.flow, plan.schedule, rule));
            RC_ASSERT(cost.peak <= plan.cost.peak);
            RC_ASSERT(cost.recomputations == plan.cost.recomputations);
        };
        check(keep_all(training));
        check(forget_all(training));
        check(sqrt_segments(training));
    }));
}

TEST_CASE("no further step can be in place", "[in_place][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = few_sizes(random, 10);
        auto const at_once =
            make_schedule(flow, support::random_compute_order(random, flow, support::below(random, 6)));
        auto const plan = with_late_discards(random, flow, at_once);
        picky const rule{.salt = random(), .percent = 50 + 25 * support::below(random, 3)};
        RC_ASSERT(possible_steps_left(flow, write_in_place(flow, plan, rule), rule) == 0U);
    }));
}
