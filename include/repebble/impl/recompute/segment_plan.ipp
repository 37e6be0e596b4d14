#ifndef REPEBBLE_IMPL_RECOMPUTE_SEGMENT_PLAN_IPP
#define REPEBBLE_IMPL_RECOMPUTE_SEGMENT_PLAN_IPP

#include <repebble/recompute/segment_plan.hpp>

#include <optional>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/detail/plan_preference.hpp>
#include <repebble/recompute/plan_mirrors.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/search_segments.hpp>

namespace repebble::inline v0 {

namespace detail {

/// Whether articulation points are not enough.
[[nodiscard]] inline auto needs_more(planning_graph const& graph, segment_request const& options) -> bool {
    return are_everywhere(graph, ordered_numbers(graph, options.order), options.candidates);
}

/// The best trial with the kind of cuts of the options; the smallest where none fits, nothing where it was ended before
/// the first.
[[nodiscard]] inline auto best_trial(planning_graph const& graph, segment_request const& options, shared_limit& limit)
    -> std::optional<segment_trial> {
    auto found = search_segments(graph, options, limit);
    if (options.candidates.where == cut_points::automatic && !limit() && needs_more(graph, options)) {
        auto other_order = options;
        other_order.candidates.where = cut_points::everywhere;
        other_order.order = options.order == order_rule::by_index ? order_rule::depth_first : order_rule::by_index;
        auto other = search_segments(graph, other_order, limit);
        if (!other.tried.empty() &&
            trial_rank(other.winner(), options.budget) < trial_rank(found.winner(), options.budget))
            found = std::move(other);
    }
    if (found.tried.empty()) return std::nullopt;
    return std::move(found.tried[found.best]);
}

}  // namespace detail

REPEBBLE_INLINE auto segment_plan(problem const& p, optional_budget given, segment_options const& options)
    -> std::optional<recompute_plan<>> {
    std::optional<bytes> const budget = given;
    auto const& training = detail::training_of(p);
    bool const memory = options.goal == objective::memory;
    detail::segment_request asked{options, memory ? std::nullopt : budget};
    detail::shared_limit limit(options.limits);
    planning_graph const graph(training);
    auto best = detail::best_trial(graph, asked, limit);
    if (!best) return std::nullopt;
    detail::plan_preference const prefer{budget, options.goal, false};
    auto const cost_of = [](segment_trial const& t) {
        return detail::plan_preference::time_and_peak{t.plan.cost.time, t.size};
    };
    if (options.every_kind && !limit()) {
        bool const tried_everywhere = detail::needs_more(graph, asked);
        for (auto const where : {cut_points::narrow_places, cut_points::everywhere}) {
            if (limit() || (where == cut_points::everywhere && tried_everywhere)) continue;
            asked.candidates.where = where;
            auto other = detail::best_trial(graph, asked, limit);
            if (other && prefer(cost_of(*other), cost_of(*best))) best = std::move(other);
        }
    }
    if (!prefer.fits(cost_of(*best)) && !options.nearest) return std::nullopt;
    auto plan = detail::checked_plan(training.flow, std::move(best->plan));
    plan.segments = best->mirrors.segments;
    return plan;
}

}  // namespace repebble::inline v0

#endif
