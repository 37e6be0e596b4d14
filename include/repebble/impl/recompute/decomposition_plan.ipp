#ifndef REPEBBLE_IMPL_RECOMPUTE_DECOMPOSITION_PLAN_IPP
#define REPEBBLE_IMPL_RECOMPUTE_DECOMPOSITION_PLAN_IPP

#include <repebble/recompute/decomposition_plan.hpp>

#include <limits>

#include <repebble/decomposition/elimination_rule.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/graph/dataflow/detail/plain_dataflow.hpp>
#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/recompute/detail/chain_stages/drop_recomputations.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/segment_recursive.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto decomposition_search::search() && -> recompute_plan<> {
    auto whole = kept();
    if (!applies() || (by_time_ && whole.cost.peak <= *options_.budget)) return whole;
    auto const g = undirected_graph::of(flow_);
    auto const narrow = detail::greedy_elimination(g, least_fill, {}, widest, stop_);
    if (!narrow) return whole;
    divide(g, narrow->order);
    if (divisions_.empty()) return whole;
    auto const along = breadth_first_elimination(g);
    if (!stop_() && elimination::of(g, along).width <= most_width(narrow->width)) divide(g, along);
    whole.width = divisions_.front().nested.width();
    whole.levels = divisions_.front().nested.levels();
    offer(std::move(whole), {flow_.order().begin(), flow_.order().end()});
    find_least();
    if (by_time_ && !stop_()) {
        auto without = *least_;  // what is returned without a budget
        drop(without, without.plan.cost.peak);
        if (without.plan.cost.peak <= *options_.budget && (!fastest_ || prefers(without.plan, fastest_->plan)))
            fastest_ = std::move(without);
        for (auto& d : divisions_) improve(d, *options_.budget);
    }
    drop(*least_, least_->plan.cost.peak);
    if (!by_time_) return std::move(least_->plan);
    drop_from_short();
    if (!fastest_ || prefers(least_->plan, fastest_->plan)) return std::move(least_->plan);
    return std::move(fastest_->plan);
}

REPEBBLE_INLINE auto decomposition_search::applies() const -> bool {
    for (value_index value = 0; value < flow_.value_count(); ++value)
        if (flow_.producers(value).size() > 1) return false;
    return is_ordered_by_data(flow_) && flow_.operation_count() > 0;
}

REPEBBLE_INLINE auto decomposition_search::kept() const -> recompute_plan<> {
    auto plan = keep_all(flow_);
    plan.promise = plan.cost.peak;
    return plan;
}

REPEBBLE_INLINE void decomposition_search::divide(undirected_graph const& g, elimination_order const& order) {
    divide_and_conquer nested(flow_, g, order, stop_);
    if (nested.was_stopped()) return;
    auto grid = nested.straight_grid();
    divisions_.push_back(
        {std::move(nested), std::move(grid), divisions_.empty() ? most_ : std::min(most_, most_of_second)});
}

REPEBBLE_INLINE void decomposition_search::offer(recompute_plan<> plan, std::vector<operation_index> run) {
    if (by_time_ && plan.cost.peak <= *options_.budget) {
        if (!fastest_ || prefers(plan, fastest_->plan)) fastest_ = {plan, run};
        if (run.size() <= most_dropped_from) short_.push_back({plan, run});
    }
    plan_preference const smaller{};
    if (!least_ || smaller(cost_of(plan), cost_of(least_->plan))) least_ = {std::move(plan), std::move(run)};
}

REPEBBLE_INLINE auto decomposition_search::peak_with(division& d, bytes straight) -> std::optional<bytes> {
    auto const [known, is_new] = d.peaks.try_emplace(straight);
    if (!is_new) return known->second;
    auto run = stop_() ? std::nullopt : d.nested.computations(straight, d.most);
    if (straight == 0) d.steps = run ? run->size() : std::numeric_limits<std::size_t>::max();
    if (!run) return std::nullopt;
    auto made = make_schedule_until(flow_, *run, {}, stop_);
    if (!made) return std::nullopt;
    recompute_plan<> plan{.schedule = std::move(*made),
                          .width = d.nested.width(),
                          .levels = d.nested.levels(),
                          .promise = d.nested.promise(straight)};
    plan.cost = cost_of_trial(flow_, plan.schedule, stop_);
    if (plan.cost.peak == peak_of_illegal) return std::nullopt;
    known->second = plan.cost.peak;
    offer(std::move(plan), std::move(*run));
    return known->second;
}

REPEBBLE_INLINE void decomposition_search::find_least() {
    std::optional<bytes> least;  // without straight bytes
    auto promise = least_->plan.promise;
    for (auto& d : divisions_)
        if (auto const peak = peak_with(d, 0)) {
            least = std::min(*peak, least.value_or(*peak));
            promise = std::min(promise, d.nested.promise(0));
        }
    for (auto& d : divisions_) {
        if (least && d.steps <= most_improved) improve(d, *least);
        if (d.peaks.at(0)) continue;
        for (auto at = d.grid.size(); at-- > 0 && peak_with(d, d.grid[at]);) continue;
    }
    least_->plan.promise = std::min(least_->plan.promise, promise);
}

REPEBBLE_INLINE void decomposition_search::improve(division& d, bytes limit) {
    auto const fits = [&](bytes straight) {
        auto const peak = peak_with(d, straight);
        return peak && *peak <= limit;
    };
    std::size_t count = 0;               // of the grid, that are below what does not fit
    if (d.steps > most_galloped_from) {  // the sequences are shorter there
        count = static_cast<std::size_t>(std::ranges::upper_bound(d.grid, limit) - d.grid.begin());
        while (count > 0 && !fits(d.grid[count - 1])) --count;
        if (count == 0) return;
    }
    while (count < d.grid.size() && fits(d.grid[count])) ++count;
    if (count == 0 || count == d.grid.size()) return;
    auto low = d.grid[count - 1], high = d.grid[count];  // `low` fits
    while (high - low > std::max<bytes>(1, high / (d.steps > most_improved ? 2 : precision))) {
        auto const middle = low + (high - low) / 2;
        (fits(middle) ? low : high) = middle;
    }
}

REPEBBLE_INLINE void decomposition_search::drop_from_short() {
    sort_by(short_, [&](auto const& a, auto const& b) { return prefers(a.plan, b.plan); });
    std::size_t sum = 0;
    for (auto& one : short_) {
        sum += one.run.size();
        if (sum > most_dropped_from) return;
        drop(one, *options_.budget);
        if (prefers(one.plan, fastest_->plan)) fastest_ = std::move(one);
    }
}

REPEBBLE_INLINE void decomposition_search::drop(candidate& from, bytes room) const {
    if (from.run.size() > most_dropped_from || stop_()) return;
    room = std::min(room, from.plan.promise);
    auto schedule = make_schedule(flow_, drop_recomputations(flow_, room).dropped_from(from.run, stop_));
    auto const cost = cost_of_trial(flow_, schedule);
    if (cost.peak > room || !(cost.time < from.plan.cost.time)) return;
    from.plan.schedule = std::move(schedule);
    from.plan.cost = cost;
}

/// Whether a plan is within the budget, or the nearest is asked for.
[[nodiscard]] inline auto is_accepted(recompute_plan<> const& plan, decomposition_request const& options) -> bool {
    return !options.budget || plan.cost.peak <= *options.budget || options.nearest;
}

REPEBBLE_INLINE auto plan_by_separators(dataflow const& flow, decomposition_request const& options, stop_test stop)
    -> std::optional<recompute_plan<>> {
    auto plan = decomposition_search(flow, options, stop).search();
    return is_accepted(plan, options) ? std::optional(std::move(plan)) : std::nullopt;
}

/// The other plan where it is preferred, with the width and levels of the one by separators.
[[nodiscard]] inline auto better_of(recompute_plan<> plan, recompute_plan<> other, decomposition_request const& options)
    -> recompute_plan<> {
    auto const measures = [](recompute_plan<> const& p) {
        return plan_preference::time_and_peak{p.cost.time, p.cost.peak};
    };
    plan_preference const is_better{options.budget, options.goal, false};
    if (!is_better(measures(other), measures(plan))) return plan;
    plan.promise = std::max(plan.promise, other.cost.peak);
    plan.schedule = std::move(other.schedule);
    plan.cost = std::move(other.cost);
    return plan;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto decomposition_plan(problem const& p, optional_budget given, strategy_options const& options)
    -> std::optional<recompute_plan<>> {
    std::optional<bytes> const budget = given;
    detail::limit_test limit(options.limits);
    detail::decomposition_request const asked{options, budget};
    if (p.training() == nullptr) return detail::plan_by_separators(p.flow(), asked, limit);
    planning_graph const graph(*p.training());
    auto plan = detail::decomposition_search(graph.flow(), asked, limit).search();
    // Without views it is a plan of the training graph, and has millions of steps now and then.
    if (limit.was_over() && !detail::holds_view(p.training()->flow))
        return detail::is_accepted(plan, asked) ? std::optional(std::move(plan)) : std::nullopt;
    auto whole = detail::plan_of(graph, plan.schedule);
    plan.schedule = std::move(whole.schedule);
    plan.cost = whole.cost;
    constexpr std::size_t most_by_segments = 100'000;
    if (!limit.was_over() && p.flow().operation_count() <= most_by_segments)
        plan = detail::better_of(std::move(plan), segment_recursive(*p.training()), asked);
    // With views and alternatives everything once takes less in the whole graph than without views.
    if (!limit.was_over()) plan = detail::better_of(std::move(plan), keep_all(*p.training()), asked);
    return detail::is_accepted(plan, asked) ? std::optional(std::move(plan)) : std::nullopt;
}

}  // namespace repebble::inline v0

#endif
