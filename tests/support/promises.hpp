#ifndef REPEBBLE_TESTS_SUPPORT_PROMISES_HPP
#define REPEBBLE_TESTS_SUPPORT_PROMISES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/orders/find_least_peak.hpp>
#include <repebble/orders/find_optimal_pebbling.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/brute_pebbling.hpp"
#include "support/generators.hpp"
#include "support/naive_replay.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/random_schedules.hpp"

namespace support {

/// Whether the judge and the naive player say the same of a schedule, to the byte.
[[nodiscard]] inline auto judges_agree(repebble::dataflow const& flow, repebble::schedule<> const& plan,
                                       std::vector<repebble::value_index> const& resident_at_end = {},
                                       std::int64_t time_per_byte = 0) -> bool {
    auto const expected = naive_replay(flow, plan, resident_at_end, time_per_byte);
    auto const [result, broken] =
        repebble::verify_schedule(flow, plan, {.profile = true, .resident_at_end = resident_at_end},
                                  repebble::serial_clock{.time_per_byte = time_per_byte});
    return (broken ? std::optional(broken->step) : std::nullopt) == expected.broken_step &&
           result.profile == expected.profile && result.peak == expected.peak &&
           result.host_peak == expected.host_peak && result.time == expected.time &&
           result.overhead == expected.overhead && result.recomputations == expected.recomputations;
}

/// "" or what the naive player finds wrong with a schedule that is promised to have this peak and time.
[[nodiscard]] inline auto schedule_fault(repebble::dataflow const& flow, repebble::schedule<> const& plan,
                                         repebble::bytes peak, std::int64_t time) -> std::string {
    auto const played = naive_replay(flow, plan);
    if (played.broken_step) return "step " + std::to_string(*played.broken_step) + " breaks a rule";
    if (played.peak != peak) return "the peak is " + std::to_string(played.peak) + ", not " + std::to_string(peak);
    if (played.time != time) return "the time is " + std::to_string(played.time) + ", not " + std::to_string(time);
    naive_player player(flow);
    for (auto const& s : plan.steps) static_cast<void>(player.play(s));
    for (auto const x : flow.results())
        if (!player.device.contains(x)) return "result " + std::to_string(x) + " is not there at the end";
    return {};
}

/// What an exhaustive search found for a dataflow; `searched` is false where it had too many states.
struct exhaustive_result {
    bool searched = false;
    std::optional<std::int64_t> least_time{};
};
[[nodiscard]] inline auto exhaustive_search(repebble::dataflow const& flow, repebble::bytes budget,
                                            std::size_t most_states, repebble::policy_marks const* policies = nullptr)
    -> exhaustive_result {
    try {
        return {true, brute_pebbling::least_time(flow, budget, most_states, policies)};
    } catch (too_many_states const&) {
        return {};
    }
}
[[nodiscard]] inline auto exhaustive_peak(repebble::dataflow const& flow, repebble::bytes lower, repebble::bytes upper,
                                          std::size_t most_states) -> std::optional<repebble::bytes> {
    try {
        return brute_pebbling::least_peak(flow, lower, upper, most_states);
    } catch (too_many_states const&) {
        return {};
    }
}

/// Every operation once, in a random order that keeps all edges.
[[nodiscard]] inline auto random_topological_order(split_mix& random, repebble::dataflow const& flow)
    -> std::vector<repebble::operation_index> {
    std::vector<repebble::operation_index> order, waiting(flow.order().begin(), flow.order().end());
    while (!waiting.empty()) {
        auto const at = waiting.begin() + static_cast<std::ptrdiff_t>(below(random, waiting.size()));
        auto const waits = [&](auto u) { return std::ranges::count(waiting, u) > 0; };
        if (std::ranges::any_of(flow.graph().predecessors(*at), waits)) continue;
        order.push_back(*at);
        waiting.erase(at);
    }
    return order;
}

/// "" or a promise that `make_schedule` breaks for an order.
[[nodiscard]] inline auto liveness_fault(repebble::dataflow const& flow,
                                         std::span<repebble::operation_index const> order) -> std::string {
    auto const made = repebble::make_schedule(flow, order);
    if (!judges_agree(flow, made)) return "the judges disagree";
    auto const [result, broken] = repebble::verify_schedule(flow, made);
    return broken ? broken->message : schedule_fault(flow, made, result.peak, result.time);
}

/// "" or a promise that `find_optimal_pebbling` breaks.
[[nodiscard]] inline auto optimal_fault(repebble::dataflow const& flow, repebble::bytes budget,
                                        exhaustive_result const& truth) -> std::string {
    auto const found = repebble::find_optimal_pebbling(flow, budget);
    if (found.schedule) {
        auto const [result, broken] = repebble::verify_schedule(flow, *found.schedule);
        if (broken) return broken->message;
        if (auto const fault = schedule_fault(flow, *found.schedule, result.peak, found.time); !fault.empty())
            return fault;
        if (result.peak > budget) return "it does not fit";
        if (found.proven && found.lower_bound != found.time) return "the bound is another than the time";
        if (truth.searched && (!truth.least_time || found.time < *truth.least_time)) return "there is no such schedule";
    }
    if (!truth.searched || !truth.least_time) return {};
    if (found.lower_bound > *truth.least_time) return "the bound is above the optimum";
    if (found.proven && !found.schedule) return "it proves that none fits, and one does";
    return !found.proven || found.time == *truth.least_time ? "" : "the time is not the least";
}

/// "" or a promise that `find_least_peak` breaks.
[[nodiscard]] inline auto least_peak_fault(repebble::dataflow const& flow, std::optional<repebble::bytes> truth)
    -> std::string {
    auto const found = repebble::find_least_peak(flow);
    auto const [result, broken] = repebble::verify_schedule(flow, found.schedule);
    if (broken) return broken->message;
    if (auto const fault = schedule_fault(flow, found.schedule, found.upper, result.time); !fault.empty()) return fault;
    if (truth && found.lower > *truth) return "the lower bound is above the least peak";
    return !truth || found.upper >= *truth ? "" : "there is no such schedule";
}

/// A random dataflow of 4 to 9 operations: some with every feature, some without views, alternatives or mutations.
[[nodiscard]] inline auto any_full_dataflow(split_mix& random) -> repebble::dataflow {
    full_shape shape{.operations = 4 + below(random, 6)};
    if (chance(random, 30)) shape.alternative_percent = 0;
    if (chance(random, 30)) shape.view_percent = 0;
    if (chance(random, 30)) shape.mutation_percent = 0;
    if (chance(random, 20)) shape.input_percent = 0;
    if (chance(random, 20)) shape.most_bytes = 20;
    shape.free_views = chance(random, 70);
    if (chance(random, 50)) shape.circle_percent = 70;
    return random_full_dataflow(random, shape);
}

}  // namespace support

#endif
