#ifndef REPEBBLE_TESTS_SUPPORT_SWAP_CASES_HPP
#define REPEBBLE_TESTS_SUPPORT_SWAP_CASES_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>

#include "support/brute_force.hpp"
#include "support/brute_swapping.hpp"
#include "support/event_simulation.hpp"
#include "support/naive_replay.hpp"
#include "support/random_full_dataflow.hpp"

namespace support {

/// A dataflow to plan over a link, within budgets.
struct swap_case {
    repebble::dataflow flow;
    repebble::host_link via;
    repebble::bytes budget = 0;
    std::optional<repebble::bytes> host_budget{};

    [[nodiscard]] auto options(std::size_t moves) const -> repebble::plan_options {
        return {.limits = {.work = moves}, .link = via, .host_budget = host_budget};
    }
};

/// A link on which copies take about as long as operations do.
[[nodiscard]] inline auto random_link(split_mix& random) -> repebble::host_link {
    return {.size = between(random, 1, 6),
            .time = chance(random, 5) ? 0 : between(random, 1, 6),
            .latency = chance(random, 30) ? between(random, 1, 3) : 0,
            .half_duplex = chance(random, 25)};
}

/// Of up to `most` operations: any dataflow without views, alternatives and mutations; or the joint
/// graph of a forward graph. The budget lies between the largest operation and what keeping everything takes.
[[nodiscard]] inline auto random_swap_case(split_mix& random, std::size_t most) -> swap_case {
    swap_case c{.flow = {}, .via = random_link(random)};
    if (chance(random, 50)) {
        auto const forward = random_weighted_dag(random, most / 2, 9, chance(random, 30) ? 20 : 0);
        c.flow = forward.training(repebble::gradient_dependencies{}).flow;
    } else {
        full_shape shape{.operations = below(random, most + 1),
                         .input_percent = chance(random, 50) ? 30U : 0U,
                         .view_percent = 0,
                         .alternative_percent = 0,
                         .mutation_percent = 0,
                         .overwrite_percent = 0,
                         .most_bytes = 9};
        if (chance(random, 60)) shape.control_percent = shape.result_percent = 0;
        if (chance(random, 40)) shape.overwrite_percent = 70;
        c.flow = random_full_dataflow(random, shape);
    }
    auto const high = repebble::replay(c.flow, repebble::make_schedule(c.flow)).peak;
    auto const low = repebble::plan(c.flow, high, {.limits = {.work = 0}}).floor.size;
    c.budget = chance(random, 5) ? between(random, 0, high + 1) : between(random, low, high);
    if (chance(random, 25)) c.host_budget = between(random, 0, high);
    return c;
}

/// "" or a promise that a plan over a link breaks, optima left aside.
[[nodiscard]] inline auto swap_fault(swap_case const& c, repebble::automatic_plan<> const& found) -> std::string {
    if (found.base_order_bound < found.lower_bound) return "its bound of the base order is below that of any order";
    if (!found.plan) return {};
    auto const verdict = repebble::verify_schedule(c.flow, found.plan->schedule, {}, repebble::lanes_clock(c.via));
    if (verdict.broken) return verdict.broken->message;
    if (verdict.result != found.plan->cost) return "its cost is not that of the replay";
    if (verdict.result.peak > c.budget) return "it is above the budget";
    if (c.host_budget && verdict.result.host_peak > *c.host_budget) return "it is above the host budget";
    if (found.lower_bound > verdict.result.overhead) return "its bound is above its overhead";
    if (found.proven != (found.lower_bound == verdict.result.overhead))
        return "proven is another than bound = overhead";
    return {};
}

/// "" or what a plan says of itself that its simulation does not.
[[nodiscard]] inline auto simulation_fault(swap_case const& c, repebble::recompute_plan<> const& found) -> std::string {
    auto const played = naive_replay(c.flow, found.schedule);
    if (played.broken_step) return "step " + std::to_string(*played.broken_step) + " breaks a rule";
    if (played.peak != found.cost.peak) return "its peak is " + std::to_string(played.peak);
    if (played.host_peak != found.cost.host_peak) return "its host peak is " + std::to_string(played.host_peak);
    if (played.peak > c.budget) return "it does not fit";
    if (c.host_budget && played.host_peak > *c.host_budget) return "it does not fit the host";
    event_simulation const lanes(c.flow, found.schedule, c.via);
    if (lanes.makespan() != found.cost.time) return "its makespan is " + std::to_string(lanes.makespan());
    if (lanes.peak_in_time() > found.cost.peak) return "at some time it has more bytes";
    return lanes.has_race() ? "lanes race for a storage" : "";
}

/// How a plan compares with all lists.
struct swap_verdict {
    std::string fault{};                      ///< a promise that it breaks
    bool is_optimal = true;                   ///< or there is none, and no list is within the budgets
    std::optional<std::int64_t> best_time{};  ///< less than that of the plan
};

/// Throws too_many_states.
[[nodiscard]] inline auto compared_with_all(swap_case const& c, repebble::automatic_plan<> const& found,
                                            std::size_t most_states) -> swap_verdict {
    swap_verdict out{.fault = swap_fault(c, found)};
    if (!out.fault.empty()) return out;
    swap_limits limits{.budget = c.budget, .host_budget = c.host_budget, .most_states = most_states};
    if (found.plan) limits.below = found.plan->cost.time;
    auto const time_of = [&](repebble::schedule<> const& list) {
        auto const cost = repebble::replay(c.flow, list, {}, repebble::lanes_clock(c.via));
        if (cost.peak > c.budget || (c.host_budget && cost.host_peak > *c.host_budget))
            out.fault = "the exhaustive search is wrong";
        return cost.time;
    };
    auto const once = c.flow.time_once();
    if (auto const list = brute_swapping::best(c.flow, c.via, limits)) {
        out.is_optimal = false;
        out.best_time = time_of(*list);
        if (found.plan && *out.best_time >= found.plan->cost.time) out.fault = "the exhaustive search is wrong";
        if (found.proven) out.fault = found.plan ? "it is proven, and not optimal" : "it proves that none fits";
        if (*out.best_time < once + found.lower_bound) out.fault = "its bound is above the optimum";
    }
    if (found.base_order_bound > 0) {
        limits.below = once + found.base_order_bound;
        limits.in_base_order = true;
        if (auto const list = brute_swapping::best(c.flow, c.via, limits)) {
            static_cast<void>(time_of(*list));
            out.fault = "its bound of the base order is above the optimum of that order";
        }
    }
    return out;
}

}  // namespace support

#endif
