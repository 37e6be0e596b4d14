#ifndef REPEBBLE_IMPL_PLANNER_BUDGET_PLANNER_IPP
#define REPEBBLE_IMPL_PLANNER_BUDGET_PLANNER_IPP

#include <repebble/planner/detail/budget_planner.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

#include <repebble/detail/paced_stop.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/graph/dataflow/detail/needed_operations.hpp>
#include <repebble/pebbling/detail/drop_unread.hpp>
#include <repebble/pebbling/detail/expand_views.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/planner/detail/baselines/baseline_plans.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/tighten.hpp>
#include <repebble/planner/detail/model/usual_work.hpp>
#include <repebble/planner/detail/sequences/views_again.hpp>
#include <repebble/planner/detail/starts/eviction_start.hpp>
#include <repebble/recompute/greedy_eviction.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE budget_planner::budget_planner(dataflow const& flow, training_graph const* training,
                                               plan_options const& options, listener const& hears, plan_judge judge)
    : flow_(flow),
      judge_(std::move(judge)),
      contracted_(contract_views(flow)),
      baselines_(training, contracted_, options.effort, hears),
      ordered_(contracted_.flow(), model_, hears),
      has_free_order_(training == nullptr || training->made_by == convention::joint),
      options_(options),
      hears_(hears) {
    check_options(options);
    auto const cancelled = [&] { return hears.cancelled(); };
    paced_stop is_over(cancelled);
    auto made = make_planning_model_until(contracted_.flow(), cancelled);
    if (!made || is_over.after(made->operation_count())) return;
    model_ = *std::move(made);
    model_.without = options.without;
    model_.effort = options.effort;
    // The caller's order, which merged views need not keep.
    model_.order.clear();
    for (auto const v : flow.order())
        if (auto const c = contracted_.representative[v]; contracted_.members[c].front() == v)
            model_.order.push_back(c);
    if (model_.end) model_.order.push_back(*model_.end);
    std::vector<std::int64_t> times;  // without views
    for (operation_index c = 0; c < contracted_.flow().operation_count(); ++c) {
        auto& o = model_.operations[c];
        if (contracted_.members[c].size() > 1) o.again = flow.time(contracted_.members[c].front());
        times.push_back(o.again);
    }
    // Where there are alternatives, the views of a required operation may have no reader.
    if (std::ranges::any_of(std::views::iota(std::size_t{0}, flow.value_count()),
                            [&](auto const x) { return flow.producers(x).size() > 1; }))
        model_.time_once = least_time_once(contracted_.flow(), find_needed(contracted_.flow()), times);
    if (is_over.after(model_.operation_count())) return;
    relaxed_ = relaxed_model(model_, contracted_.flow());
    is_prepared_ = true;
    auto const least = floor_of(relaxed());
    if (contracted_.flow().operation_count() > 0) floor_ = {least.size, named(least.operation)};
}

REPEBBLE_INLINE auto budget_planner::plan(bytes budget, std::optional<double> seconds,
                                          std::vector<operation_index>& known) -> automatic_plan<> {
    if (!is_prepared_) return {};
    profile counts;
    auto out = plan(budget, seconds, known, counts);
    if (out.plan) counts[found_by_].found_plan = true;
    counts.tell(hears_, model_.without);
    return out;
}

REPEBBLE_INLINE auto budget_planner::plan(bytes budget, std::optional<double> seconds,
                                          std::vector<operation_index>& known, profile& counts) -> automatic_plan<> {
    deadline const clock(seconds, hears_);
    auto const& e = options_.effort;
    automatic_plan<> out{.floor = floor_};
    std::vector<operation_index> best;
    // For small graphs more work pays, since they miss the budget by little.
    double const effort = is_large(model_) ? e.arena_effort_large : e.arena_effort;
    // `share`: the part of the remaining time for the arena.
    auto const take = [&](std::optional<recompute_plan<>> made, char const* name,
                          double share) -> std::optional<bytes> {
        if (!made) return std::nullopt;
        bytes const needed = judge_.needed(*made, budget, clock, share, effort);
        if (needed <= budget) take_faster(out, std::move(*made), name);
        return needed;
    };
    auto const offer = [&](candidate const& c, double share) {
        auto sequence = c.computations;
        auto made = made_of(sequence, budget);
        auto const time = made ? made->cost.time : 0;
        auto const needed = take(std::move(made), c.name, share);
        if (needed && *needed <= budget && out.plan->cost.time == time) best = std::move(sequence);
        return needed;
    };
    if (!known.empty()) offer({of_smaller_budget, known}, e.arena_share);
    std::optional<operation_index> best_cut;
    std::vector<operation_index> beyond;  // the best of an attempt that needs too much
    bool again = false, is_hollow = false;  // of the search's best, which no plan keeps to, nothing takes less
    // Large graphs have as much waste between buffers in another plan; where it varies, less capacity is perhaps
    // enough.
    constexpr auto any = std::numeric_limits<bytes>::max();
    tightening const how{.attempts = e.budget_attempts,
                         .too_much = budget < any ? std::optional(budget + 1) : std::nullopt,
                         .twice = is_large(model_),
                         .tolerance = budget / e.budget_tolerance_part};
    auto const attempt = [&](bytes inner) -> std::optional<bytes> {
        auto options = options_;
        options.limits.seconds = clock.left();
        if (options.limits.seconds) *options.limits.seconds *= search_share();
        if (again && !options.limits.seconds && !options.limits.work)
            options.limits.work = moves_of_another_attempt(model_);
        budget_search search(model_, relaxed(), std::min(inner, model_.most_useful_budget()), options, hears_, counts,
                             &flow_, &baselines_, has_free_order_ ? &ordered_ : nullptr, best_cut);
        if (!known.empty()) search.offer(of_smaller_budget, known);
        if (!beyond.empty()) search.begin_with(beyond);
        search.run();
        if (!std::exchange(again, true)) {
            out.lower_bound = overhead_of(search.lower_bound());
            out.proven = search.infeasible();
        }
        best_cut = search.best_cut();
        if (search.exact()) {
            take(judge_.carried_out(*search.exact()), optimal, e.arena_share);
            if (out.strategy == optimal) found_by_ = technique::best_first_pebbling;
        }
        if (!search.best()) return std::nullopt;
        auto const needed = offer(*search.best(), e.arena_share);
        if (out.strategy == search.best()->name) found_by_ = search.found_by();
        if (needed && *needed <= budget) return needed;
        is_hollow = is_hollow || sequence_time(model_, search.best()->computations) <=
                                     model_.time_once + search.lower_bound();
        // Another may fit.
        for (auto const* other : others(search)) {
            if ((out.plan && out.strategy != of_smaller_budget) || clock.is_late()) break;
            if (!out.plan || sequence_time(model_, other->computations) < out.plan->cost.time)
                offer(*other, e.other_arena_share);
        }
        beyond = search.best()->computations;
        return needed;
    };
    tighten(budget, how, attempt,
            [&] { return clock.is_over(1) || (out.plan && !(out.lower_bound < out.plan->cost.overhead)); });
    if (!out.plan && !beyond.empty()) fit_into_less(budget, offer, clock);
    if ((!out.plan || (is_hollow && out.lower_bound < out.plan->cost.overhead)) && !out.proven && model_.has_views) {
        if (auto found = solve_to_the_end(budget, clock, counts, out))
            take(judge_.carried_out(std::move(*found)), optimal, e.arena_share);
    }
    if (!out.plan && !out.proven && model_.operation_count() <= e.most_baseline_flow && sums_fit(flow_) &&
        !options_.without.contains(technique::baselines) && !clock.is_late()) {
        profile::scope const work(counts, technique::baselines);
        if (auto made = greedy_eviction(problem(flow_), budget, {.limits = clock.limits(1)}))
            if (take(judge_.carried_out(std::move(made->schedule)), "greedy_eviction", e.arena_share); out.plan)
                found_by_ = technique::baselines;
    }
    if (out.plan) out.proven = !(out.lower_bound < out.plan->cost.overhead);
    known = std::move(best);
    return out;
}

REPEBBLE_INLINE auto budget_planner::others(budget_search const& search) const -> std::vector<candidate const*> {
    std::vector<candidate const*> all;
    for (auto const* some : {&search.found(), &search.starts()})
        for (auto const& c : *some)
            if (c.computations != search.best()->computations) all.push_back(&c);
    auto const time = [&](candidate const* c) { return sequence_time(model_, c->computations); };
    sort_by(all, [&](candidate const* a, candidate const* b) { return time(a) < time(b); });
    auto const same =
        std::ranges::unique(all, [](auto const* a, auto const* b) { return a->computations == b->computations; });
    all.erase(same.begin(), same.end());
    return all;
}

REPEBBLE_INLINE void budget_planner::fit_into_less(bytes budget,
                                                   function_ref<std::optional<bytes>(candidate const&, double)> offer,
                                                   deadline const& clock) const {
    auto const late = [&] { return clock.is_late(); };
    auto const evict = [&](bytes capacity) -> std::optional<bytes> {
        auto played = eviction_start(model_, capacity, step_limit(model_)).play(late);
        if (!played) return std::nullopt;
        return offer({"eviction", std::move(*played)}, options_.effort.other_arena_share);
    };
    tighten(budget, {.attempts = options_.effort.less_attempts}, evict, late);
}

REPEBBLE_INLINE auto budget_planner::solve_to_the_end(bytes budget, deadline const& clock, profile& counts,
                                                      automatic_plan<>& out) -> std::optional<schedule<>> {
    if (options_.without.contains(technique::best_first_pebbling)) return std::nullopt;
    profile::scope const work(counts, technique::best_first_pebbling);
    auto const& e = options_.effort;
    exact_start exact(flow_, model_, budget);
    auto const states = options_.limits.work && !options_.limits.seconds ? e.many_states : e.most_states;
    auto const known = out.plan ? std::optional(out.plan->cost.time) : std::nullopt;
    auto answer = exact.search(known, states, [&] { return clock.is_late(); });
    out.proven = answer.infeasible;
    out.lower_bound = std::max(out.lower_bound, overhead_of(answer.lower_bound));
    if (answer.found) found_by_ = technique::best_first_pebbling;
    return std::move(answer.found);
}

REPEBBLE_INLINE auto budget_planner::made_of(std::vector<operation_index>& sequence, bytes budget) const
    -> std::optional<recompute_plan<>> {
    auto const made_by = [&](std::span<operation_index const> run) {
        // What runs after the end is superfluous: it may stay in a sequence where it takes no time.
        if (model_.end)
            run = run.first(static_cast<std::size_t>(std::ranges::find(run, *model_.end) - run.begin()));
        // A step of a candidate may overwrite what is read later: such a one is not legal.
        return judge_.carried_out(
            drop_unread(flow_, expand_views(flow_, contracted_, make_schedule(contracted_.flow(), run))));
    };
    auto made = made_by(sequence);
    if (made && made->cost.peak <= budget) return made;
    auto more = with_views_again(contracted_.flow(), model_, sequence);
    if (more.size() == sequence.size()) return made;
    auto again = made_by(more);
    if (!again || (made && again->cost.peak >= made->cost.peak)) return made;
    sequence = std::move(more);
    return again;
}

REPEBBLE_INLINE auto budget_planner::named(operation_index c) const -> operation_index {
    if (c == model_.end) {
        auto const largest =
            std::ranges::max(flow_.results(), {}, [&](value_index value) { return flow_.size(value); });
        return flow_.producers(largest).front();
    }
    return contracted_.members[c].front();
}

}  // namespace repebble::inline v0::detail

#endif
