#ifndef REPEBBLE_IMPL_PLANNER_POLICIES_PLAN_WITH_POLICIES_IPP
#define REPEBBLE_IMPL_PLANNER_POLICIES_PLAN_WITH_POLICIES_IPP

#include <repebble/planner/detail/policies/plan_with_policies.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/detail/describe.hpp>
#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/orders/find_optimal_pebbling.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/verify_policies.hpp>
#include <repebble/planner/detail/plan_freely.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto with_kept(dataflow const& flow, policy_marks const& marks) -> dataflow {
    std::vector<operation_index> once;
    for (value_index x = 0; x < flow.value_count(); ++x) {
        if (!marks.kept[x]) continue;
        if (flow.producers(x).size() > 1)
            detail::raise(bad_graph(describe(flow, x) + " must be kept, and has several producers"));
        once.push_back(flow.producers(x).front());
    }
    return edit(flow, {.run_once = std::move(once)});
}

REPEBBLE_INLINE void two_pass_planner::begin() {
    bool has_alternatives = false;
    for (value_index x = 0; x < flow_.value_count(); ++x)
        has_alternatives = has_alternatives || flow_.producers(x).size() > 1;
    catching<bad_graph>([&] { passes_.emplace(flow_, marks_); },
                        [&](bad_graph const& e) {
                            if (!has_alternatives) detail::raise(e);
                        });
    if (passes_) planner_.emplace(passes_->flow(), nullptr, options_, heard_, judge_of(*passes_));
}

REPEBBLE_INLINE auto two_pass_planner::plan(bytes budget, std::optional<double> seconds, automatic_plan<> out)
    -> automatic_plan<> {
    deadline const clock(seconds, hears_);
    if (passes_) out.lower_bound = std::max(out.lower_bound, passes_->least_overhead().value_or(out.lower_bound));
    if (options_.link) out.base_order_bound = std::max(out.base_order_bound, out.lower_bound);
    out.proven = out.proven && !out.plan;
    if (out.plan && !verify_policies(flow_, out.plan->schedule, marks_)) {
        out.plan.reset();
        out.strategy.clear();
    }
    auto const offer = [&](recompute_plan<> made, std::string strategy) {
        if (take_faster(out, std::move(made), std::move(strategy)))
            hears_.improved(out.plan->cost.overhead, out.lower_bound);
    };
    if (best_) offer(*best_, "smaller budget");
    auto const is_good = [&] {
        return out.plan && good_time{flow_.time_once() + out.lower_bound, options_.gap}(out.plan->cost.time);
    };
    std::vector<operation_index> again;  // run in the backward pass by plans so far, with recomputed inputs
    auto const& e = options_.effort;
    auto const attempts = e.policy_attempts;
    for (std::size_t attempt = 0; passes_ && attempt < attempts && !out.proven && !is_good(); ++attempt) {
        if (attempt > 0 && clock.is_over(1)) break;
        auto left = clock.left();
        if (left) *left *= attempt + 1 < attempts ? e.policy_share : e.last_policy_share;
        completed_.clear();
        auto found = plan_again(budget, left, again);
        // Copies of what ran again with recomputed inputs let the planner know of these.
        auto const last = found.plan ? std::ranges::find(completed_, found.plan->schedule, &completed_plan::made)
                          : completed_.empty() ? completed_.end()
                                               : std::prev(completed_.end());
        if (found.plan) offer(std::move(*found.plan), std::move(found.strategy));
        if (last == completed_.end()) break;
        again.insert(again.end(), last->completed.begin(), last->completed.end());
    }
    if (!out.proven && !is_good() && !clock.is_over(1)) solve_small(out, budget, clock);
    if (out.plan) {
        best_ = out.plan;
        out.proven = !(out.lower_bound < out.plan->cost.overhead);
    }
    return out;
}

REPEBBLE_INLINE void two_pass_planner::solve_small(automatic_plan<>& out, bytes budget, deadline const& clock) {
    auto const& e = options_.effort;
    if (options_.without.contains(technique::best_first_pebbling) || !optimal_search::takes(flow_) ||
        std::max(flow_.operation_count(), flow_.value_count()) > e.most_exact_operations)
        return;
    optimal_search search(flow_, budget, &marks_);
    optimal_options options{.limits = {.work = out.plan ? e.many_states : e.most_states_with_plan,
                                       .stop = [&] { return clock.is_over(1); }}};
    if (out.plan) options.below = out.plan->cost.time;
    auto found = search.go_on(options);
    if (!options_.link && search.has_all_moves()) {
        out.proven = found.none_exists() && !out.plan;
        out.lower_bound = std::max(out.lower_bound, found.lower_bound - flow_.time_once());
    }
    if (!found.schedule) return;
    plan_judge const judge(flow_, options_);
    auto made = judge.carried_out(std::move(*found.schedule));
    if (!made || !verify_policies(flow_, made->schedule, marks_)) return;
    if (judge.needed(*made, budget, clock, e.arena_share, 1) <= budget && take_faster(out, std::move(*made), "optimal_pebbling"))
        hears_.improved(out.plan->cost.overhead, out.lower_bound);
}

REPEBBLE_INLINE auto two_pass_planner::plan_again(bytes budget, std::optional<double> seconds,
                                                  std::vector<operation_index> const& again) -> automatic_plan<> {
    if (again.empty()) return planner_->plan(budget, seconds, known_);
    auto const attempt = [&] {
        two_pass_graph const passes(flow_, marks_, again);
        std::vector<operation_index> none;
        return budget_planner(passes.flow(), nullptr, options_, heard_, judge_of(passes)).plan(budget, seconds, none);
    };
    // What is a view of the others' outputs runs once.
    return catching<bad_graph>(attempt, [](bad_graph const&) { return automatic_plan<>{}; });
}

REPEBBLE_INLINE auto two_pass_planner::judge_of(two_pass_graph const& passes) -> plan_judge {
    return {flow_, options_, [this, &passes](schedule<> const& proposal) -> std::optional<schedule<>> {
                auto found = passes.translated(proposal);
                if (!found) return std::nullopt;
                auto made = make_schedule(flow_, found->sequence);
                if (!verify_policies(flow_, made, marks_)) return std::nullopt;
                if (!found->completed.empty()) completed_.push_back({made, std::move(found->completed)});
                return made;
            }};
}

REPEBBLE_INLINE auto plan_with_policies(dataflow const& flow, training_graph const* training,
                                             std::span<bytes const> budgets, plan_options const& options,
                                             listener const& hears) -> std::vector<automatic_plan<>> {
    auto const marks =
        training != nullptr ? mark_policies(*training, options.policies) : mark_policies(flow, options.policies);
    auto const kept = with_kept(flow, marks);
    std::optional<training_graph> trained;
    if (training != nullptr) trained = training_graph{kept, training->origin, training->made_by, training->gradient_of};
    auto const* const of = trained ? &*trained : nullptr;
    if (!marks.any_recomputed) return plan_freely(kept, of, budgets, options, hears, &marks);

    deadline const clock(options.limits.seconds, hears);
    auto free = options;
    if (free.limits.seconds) *free.limits.seconds /= options.effort.policy_time_part;
    two_pass_planner planner(kept, marks, options, hears);
    quiet_observer const quiet{hears};
    auto all = plan_freely(kept, of, budgets, free, listener(quiet), &marks);
    auto const breaks = [&](automatic_plan<> const& p) {
        return p.plan && !verify_policies(kept, p.plan->schedule, marks);
    };
    if (options.link && std::ranges::any_of(all, breaks)) {
        // Without copies the best one may keep to the policies.
        free.link.reset();
        free.host_budget.reset();
        free.limits.seconds = clock.left();
        if (free.limits.seconds) *free.limits.seconds /= options.effort.policy_time_part;
        auto others = plan_freely(kept, of, budgets, free, listener(quiet), &marks);
        for (std::size_t k = 0; k < all.size(); ++k)
            if (breaks(all[k])) {
                all[k].plan = std::move(others[k].plan);
                all[k].strategy = std::move(others[k].strategy);
                all[k].proven = false;
            }
    }
    auto waiting = static_cast<double>(budgets.size());
    auto const order = ascending(budgets);
    for (auto const k : order) {
        auto seconds = clock.left();
        if (seconds) *seconds /= waiting--;
        all[k] = planner.plan(budgets[k], seconds, std::move(all[k]));
    }
    raise_smaller_bounds(all, order);
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
