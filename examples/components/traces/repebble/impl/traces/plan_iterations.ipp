#ifndef REPEBBLE_IMPL_TRACES_PLAN_ITERATIONS_IPP
#define REPEBBLE_IMPL_TRACES_PLAN_ITERATIONS_IPP

#include <repebble/traces/plan_iterations.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/traces/shortened_schedule.hpp>
#include <repebble/traces/stochastic_depth.hpp>

namespace repebble::inline v0::detail {

/// The times of operations where each computation counts as often as it occurs in the mean.
REPEBBLE_INLINE auto expected_times(traced_dataflow const& traced, std::span<std::vector<bool> const> iterations)
    -> std::vector<std::int64_t> {
    std::vector<std::int64_t> times;
    for (operation_index v = 0; v < traced.flow.operation_count(); ++v) times.push_back(traced.flow.time(v));
    for (std::size_t c = 0; c < traced.operations.size(); ++c) {
        std::size_t dropped = 0;
        for (auto const& iteration : iterations) dropped += iteration[c] ? 1 : 0;
        auto const kept = 1 - static_cast<double>(dropped) / static_cast<double>(iterations.size());
        auto& time = times[traced.operations[c]];
        time = std::llround(static_cast<double>(time) * kept);
    }
    return times;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto mean_overhead(swap_problem const& full, traced_dataflow const& traced, schedule<> const& steps,
                                   std::span<std::vector<bool> const> iterations, host_link const& link) -> double {
    if (iterations.empty()) detail::raise(bad_option("plan_iterations: there is no iteration"));
    double sum = 0;
    for (auto const& dropped : iterations) {
        auto const shorter = without_computations(full, full.keep_all(), dropped, {.limit = full.peak(), .link = link});
        auto const there = make_traced_dataflow(swap_problem(shorter.trace));
        auto const kept = make_shortened_schedule(full, traced, steps, shorter, there);
        auto const cost = replay(there.flow, kept, {}, lanes_clock(link));
        auto const once = there.flow.time_once();
        sum += once > 0 ? static_cast<double>(cost.overhead) / static_cast<double>(once) : 0.0;
    }
    return sum / static_cast<double>(iterations.size());
}

REPEBBLE_INLINE auto plan_iterations(swap_problem const& full, traced_dataflow const& traced,
                                     std::span<std::vector<bool> const> iterations, bytes limit,
                                     plan_options const& options) -> std::optional<iterations_plan> {
    if (!options.link) detail::raise(bad_option("plan_iterations: the options have no link"));
    auto of_each = options;
    if (of_each.limits.seconds) *of_each.limits.seconds /= 3;
    std::optional<iterations_plan> best;
    auto const consider = [&](dataflow const& flow) {
        auto found = plan(flow, limit, of_each);
        if (!found.plan) return;
        iterations_plan now{.steps = std::move(found.plan->schedule)};
        now.cost = replay(traced.flow, now.steps, {}, lanes_clock(*options.link));
        now.mean_overhead = mean_overhead(full, traced, now.steps, iterations, *options.link);
        if (!best || now.mean_overhead < best->mean_overhead) best = std::move(now);
    };
    consider(traced.flow);
    if (!best) return best;
    // Fewer copies: what an iteration drops would have hidden some of them.
    of_each.link->time = std::min(of_each.link->time, std::numeric_limits<std::int64_t>::max() / 2) * 2;
    consider(traced.flow);
    consider(edit(traced.flow, {.times = detail::expected_times(traced, iterations)}));
    return best;
}

}  // namespace repebble::inline v0

#endif
