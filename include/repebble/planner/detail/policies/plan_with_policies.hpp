#ifndef REPEBBLE_PLANNER_DETAIL_POLICIES_PLAN_WITH_POLICIES_HPP
#define REPEBBLE_PLANNER_DETAIL_POLICIES_PLAN_WITH_POLICIES_HPP

// Plans for several budgets with policies for some values. Bounds and floor are those without values that must be
// recomputed, which only remove schedules, or the time of their recomputations. Invariant: every plan that leaves here
// was judged on the caller's dataflow, is within the budget, and keeps the policies.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/describe.hpp>
#include <repebble/graph/dataflow/with_run_once.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/training/value_policies.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/verify_policies.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/budget_planner.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/detail/plan_freely.hpp>
#include <repebble/planner/detail/policies/two_pass_graph.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0::detail {

/// The dataflow in which the operations of values that must be kept run once.
[[nodiscard]] inline auto with_kept(dataflow<> const& flow, policy_marks const& marks) -> dataflow<> {
    std::vector<operation_index> once;
    for (value_index x = 0; x < flow.value_count(); ++x) {
        if (!marks.kept[x]) continue;
        if (flow.producers(x).size() > 1)
            detail::raise(bad_graph(describe(flow, x) + " must be kept, and has several producers"));
        once.push_back(flow.producers(x).front());
    }
    return with_run_once(flow, once);
}

/// The plans of a dataflow some of whose values must be recomputed, for one budget after the other.
class two_pass_planner {
  public:
    /// Refers to all of them.
    two_pass_planner(dataflow<> const& flow, policy_marks const& marks, plan_options const& options,
                     listener const& hears)
        : flow_(flow),
          marks_(marks),
          options_(options),
          limited_(options),
          hears_(hears),
          reports_{{hears}},
          heard_(reports_),
          passes_(flow, marks),
          planner_(passes_.flow(), nullptr, limited_, heard_) {}

    /// `out`: the answer without values that must be recomputed, whose bound and floor stay; its plan is taken where it
    /// recomputes them.  Requires: budgets ascend from call to call.
    [[nodiscard]] auto plan(bytes budget, automatic_plan<> out) -> automatic_plan<> {
        deadline const clock(options_.time_limit, hears_);
        out.lower_bound = std::max(out.lower_bound, passes_.least_overhead().value_or(out.lower_bound));
        out.proven = out.proven && !out.plan;
        if (out.plan && verify_policies(flow_, out.plan->schedule, marks_)) {
            out.plan.reset();
            out.strategy.clear();
        }
        auto const offer = [&](recompute_plan<> made, std::string strategy) {
            if (out.plan && out.plan->cost.time <= made.cost.time) return;
            out.plan = std::move(made);
            out.strategy = std::move(strategy);
            hears_.improved(out.plan->cost.overhead, out.lower_bound);
        };
        if (best_) offer(*best_, "smaller budget");
        auto const is_good = [&] { return out.plan && out.gap() <= options_.gap; };
        bytes within = budget;
        std::vector<operation_index> again;  // run in the backward pass by plans so far, with recomputed inputs
        constexpr int attempts = 6;
        for (int attempt = 0; attempt < attempts && within >= 0 && !out.proven && !is_good(); ++attempt) {
            if (attempt > 0 && clock.is_over(1)) break;
            if (auto const left = clock.left()) limited_.time_limit = *left * (attempt + 1 < attempts ? 0.5 : 0.9);
            auto [made, strategy, completed] = attempt_of(within, again);
            if (!made) break;
            bytes const needed = bytes_of(*made, budget, clock);
            if (needed <= budget) offer(std::move(*made), std::move(strategy));
            // Copies of what ran again with recomputed inputs let the planner know of these.
            if (!completed.empty())
                again.insert(again.end(), completed.begin(), completed.end());
            else if (needed <= budget)
                break;
            else
                within -= needed - budget;
        }
        if (out.plan) {
            best_ = out.plan;
            out.proven = !(out.lower_bound < out.plan->cost.overhead);
        }
        return out;
    }

  private:
    /// A plan of the caller's dataflow, legal and with all policies kept, or nothing.
    struct attempt_result {
        std::optional<recompute_plan<>> made{};
        std::string strategy{};
        std::vector<operation_index> completed{};
    };
    [[nodiscard]] auto attempt_of(bytes within, std::vector<operation_index> const& again) -> attempt_result {
        if (again.empty()) return made_of(passes_, planner_.plan(within, known_));
        auto const attempt = [&] {
            two_pass_graph const passes(flow_, marks_, again);
            std::vector<operation_index> none;
            return made_of(passes, budget_planner(passes.flow(), nullptr, limited_, heard_).plan(within, none));
        };
        // What is a view of the others' outputs runs once.
        return catching<bad_graph>(attempt, [](bad_graph const&) { return attempt_result{}; });
    }
    [[nodiscard]] auto made_of(two_pass_graph const& passes, automatic_plan<> found) const -> attempt_result {
        if (!found.plan) return {};
        auto translated = passes.translated(found.plan->schedule);
        if (!translated) return {};
        auto made = liveness(flow_, translated->sequence);
        auto verdict = judge(flow_, made);
        if (!verdict.legal() || verify_policies(flow_, made, marks_)) return {};
        return {recompute_plan<>{std::move(made), std::move(verdict.result)}, std::move(found.strategy),
                std::move(translated->completed)};
    }
    [[nodiscard]] auto bytes_of(recompute_plan<> const& made, bytes budget, deadline const& clock) const -> bytes {
        if (!options_.arena || made.cost.peak > budget) return made.cost.peak;
        return plan_arena(flow_, made.schedule, {.offsets = {.capacity = budget, .time_limit = clock.left()}}).size;
    }

    dataflow<> const& flow_;
    policy_marks const& marks_;
    plan_options const& options_;
    plan_options limited_;  // of an attempt
    listener const& hears_;
    reporting_observer reports_;
    listener heard_;
    two_pass_graph passes_;
    budget_planner planner_;
    std::vector<operation_index> known_;
    std::optional<recompute_plan<>> best_;  // within the budgets so far
};

/// As `plan_for_budgets`, with the policies of the options.
[[nodiscard]] inline auto plan_with_policies(dataflow<> const& flow, training_graph<> const* training,
                                             std::span<bytes const> budgets, plan_options const& options,
                                             listener const& hears) -> std::vector<automatic_plan<>> {
    auto const marks =
        training != nullptr ? mark_policies(*training, options.policies) : mark_policies(flow, options.policies);
    auto const kept = with_kept(flow, marks);
    std::optional<training_graph<>> trained;
    if (training != nullptr)
        trained = training_graph<>{kept, training->origin, training->made_by, training->gradient_of};
    auto const* const of = trained ? &*trained : nullptr;
    if (!marks.any_recomputed) return plan_freely(kept, of, budgets, options, hears);

    auto half = options;
    if (half.time_limit) *half.time_limit /= 2;
    two_pass_planner planner(kept, marks, half, hears);
    quiet_observer const quiet{hears};
    auto all = plan_freely(kept, of, budgets, half, listener(quiet));
    for (auto const k : ascending(budgets)) all[k] = planner.plan(budgets[k], std::move(all[k]));
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
