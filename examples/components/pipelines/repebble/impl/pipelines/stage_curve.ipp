#ifndef REPEBBLE_IMPL_PIPELINES_STAGE_CURVE_IPP
#define REPEBBLE_IMPL_PIPELINES_STAGE_CURVE_IPP

#include <repebble/pipelines/stage_curve.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include <repebble/allocate/lifetimes.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/find_memory_floor.hpp>
#include <repebble/recompute/keep_all.hpp>

namespace repebble::inline v0::detail {

[[nodiscard]] inline auto is_of_forward(training_graph const& stage, operation_index v) -> bool {
    return stage.origin[v].pass == pass::forward;
}
/// Time of the operations of the forward pass, or of the others, each once.
[[nodiscard]] inline auto time_of_pass(training_graph const& stage, bool forward) -> std::int64_t {
    std::int64_t time = 0;
    for (operation_index v = 0; v < stage.flow.operation_count(); ++v)
        if (is_of_forward(stage, v) == forward) time = checked_add(time, stage.flow.time(v), "times");
    return time;
}
/// The number of steps before the first operation that is not of the forward pass.
[[nodiscard]] inline auto steps_of_forward(training_graph const& stage, schedule<> const& plan) -> std::size_t {
    auto const first = std::ranges::find_if(
        plan.steps, [&](auto const& s) { return s.what == action::compute && !is_of_forward(stage, s.vertex); });
    return static_cast<std::size_t>(first - plan.steps.begin());
}

[[nodiscard]] inline auto stage_of(training_graph const& graph, stage_curve_options const& options) -> pipeline_stage {
    auto const backward = time_of_pass(graph, false);
    pipeline_stage made{
        .forward = time_of_pass(graph, true),
        .weight_gradient = std::llround(std::floor(options.weight_share * static_cast<double>(backward)))};
    made.input_gradient = backward - made.weight_gradient;
    problem const p(graph);
    auto planner = options.planner;
    planner.link.reset();
    planner.arena = false;
    auto const all = keep_all(p);
    std::vector<stage_choice> found;
    auto const add = [&](schedule<> const& plan) {
        if (auto const c = find_stage_choice(graph, plan)) found.push_back(*c);
    };
    add(all.schedule);
    auto const floor = find_memory_floor(p).size;
    std::vector<bytes> budgets;
    auto const count = static_cast<bytes>(options.budgets);
    for (bytes k = 0; k < count; ++k) budgets.push_back(floor + (all.cost.peak - floor) / count * k);
    if (!budgets.empty())
        for (auto const& planned : plan(p, budgets, planner))
            if (planned.plan) add(planned.plan->schedule);
    std::ranges::stable_sort(found, {}, &stage_choice::recomputation);
    made.choices.clear();
    for (auto& c : found) {
        if (made.weight_gradient == 0) c.for_weights = 0;
        auto const is_no_less = [&](auto&& bytes_of) { return bytes_of(c) > bytes_of(made.choices.back()); };
        if (!made.choices.empty() &&
            (is_no_less([](auto const& x) { return x.kept; }) || is_no_less(bytes_in_forward) ||
             is_no_less(bytes_in_backward) || is_no_less([](auto const& x) { return x.for_weights; })))
            continue;
        // As fast as the one before it, and it needs no more.
        if (!made.choices.empty() && made.choices.back().recomputation == c.recomputation) made.choices.pop_back();
        made.choices.push_back(c);
    }
    if (made.choices.empty())
        raise(bad_graph("without recomputation a gradient of the stage comes before the end of its forward pass"));
    return made;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto find_stage_choice(training_graph const& stage, schedule<> const& plan)
    -> std::optional<stage_choice> {
    auto const cost = replay(stage.flow, plan, {.profile = true});
    auto const end = detail::steps_of_forward(stage, plan);
    std::vector<bool> ran(stage.flow.operation_count(), false);
    std::int64_t forward = 0;
    for (std::size_t i = 0; i < end; ++i) {
        auto const& s = plan.steps[i];
        if (s.what != action::compute) continue;
        if (ran[s.vertex]) return std::nullopt;
        ran[s.vertex] = true;
        forward += stage.flow.time(s.vertex);
    }
    if (forward != detail::time_of_pass(stage, true)) return std::nullopt;
    stage_choice made{.recomputation = cost.time - forward - detail::time_of_pass(stage, false)};
    if (made.recomputation < 0) return std::nullopt;  // something of the backward pass never runs
    for (auto const& b : find_lifetimes(stage.flow, plan).buffers)
        if (std::cmp_less(b.lifetime.lower, end) && std::cmp_greater(b.lifetime.upper, end)) made.kept += b.size;
    for (std::size_t i = 0; i < cost.profile.size(); ++i) {
        auto& most = i < end ? made.in_forward : made.in_backward;
        most = std::max(most, cost.profile[i]);
    }
    made.for_weights = made.in_backward;
    return made;
}

REPEBBLE_INLINE auto make_pipeline_stages(std::span<training_graph const> stages, stage_curve_options const& options)
    -> std::vector<pipeline_stage> {
    detail::check_option("the share of gradients of weights", options.weight_share);
    if (options.weight_share > 1)
        detail::raise(
            bad_option("the share of gradients of weights is above 1: " + std::to_string(options.weight_share)));
    std::vector<pipeline_stage> made;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        if (stages[s].flow.unit() != stages[0].flow.unit())
            detail::raise(
                bad_weight("times of stage " + std::to_string(s) + " have another unit than those of stage 0"));
        auto const same = std::ranges::find_if(
            stages.first(s), [&](auto const& t) { return t.flow == stages[s].flow && t.origin == stages[s].origin; });
        auto const before = static_cast<std::size_t>(same - stages.begin());
        if (before < s) {
            auto copy = made[before];
            made.push_back(std::move(copy));
        } else {
            made.push_back(detail::stage_of(stages[s], options));
        }
    }
    return made;
}

}  // namespace repebble::inline v0
#endif
