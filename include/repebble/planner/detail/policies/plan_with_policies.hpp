#ifndef REPEBBLE_PLANNER_DETAIL_POLICIES_PLAN_WITH_POLICIES_HPP
#define REPEBBLE_PLANNER_DETAIL_POLICIES_PLAN_WITH_POLICIES_HPP

// Plans for several budgets with policies for some values. Bounds and floor are those without values that must be
// recomputed, which only remove schedules, or the time of their recomputations. Invariant: every plan that leaves here
// was judged on the caller's dataflow, is within the budget, and keeps the policies.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/training/value_policies.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/budget_planner.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/detail/plan_judge.hpp>
#include <repebble/planner/detail/policies/two_pass_graph.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0::detail {

/// The dataflow in which the operations of values that must be kept run once.
[[nodiscard]] auto with_kept(dataflow const& flow, policy_marks const& marks) -> dataflow;

/// The plans of a dataflow some of whose values must be recomputed, for one budget after the other.
class two_pass_planner {
  public:
    /// Refers to all of them.
    two_pass_planner(dataflow const& flow, policy_marks const& marks, plan_options const& options,
                     listener const& hears)
        : flow_(flow),
          marks_(marks),
          options_(options),
          hears_(hears),
          reports_{{hears}},
          heard_(reports_) {
        begin();
    }
    two_pass_planner(two_pass_planner const&) = delete;  // its judge refers to it
    auto operator=(two_pass_planner const&) -> two_pass_planner& = delete;

    /// `out`: the answer without values that must be recomputed, whose bound and floor stay; its plan is taken where it
    /// recomputes them.  Requires: budgets ascend from call to call.
    [[nodiscard]] auto plan(bytes budget, std::optional<double> seconds, automatic_plan<> out) -> automatic_plan<>;

  private:
    /// A plan of the caller's dataflow, and operations before which something was inserted for it.
    struct completed_plan {
        schedule<> made;
        std::vector<operation_index> completed;
    };
    /// Makes the two-pass graph. There is none where values have alternative producers and the one that is tried runs
    /// once: another may serve.  Throws as `two_pass_graph` otherwise.
    void begin();
    /// Takes plans that are legal, and keep all policies, when they are translated. Refers to `passes`.
    [[nodiscard]] auto judge_of(two_pass_graph const& passes) -> plan_judge;
    /// The plan within a budget with copies of these operations, too.
    [[nodiscard]] auto plan_again(bytes budget, std::optional<double> seconds,
                                  std::vector<operation_index> const& again) -> automatic_plan<>;

    /// Small dataflows: a plan of least time without copies, or a proof that there is none, as far as states and time
    /// allow.
    void solve_small(automatic_plan<>& out, bytes budget, deadline const& clock);

    dataflow const& flow_;
    policy_marks const& marks_;
    plan_options const& options_;
    listener const& hears_;
    reporting_observer reports_;
    listener heard_;
    std::vector<completed_plan> completed_;  // of this attempt
    std::optional<two_pass_graph> passes_;
    std::optional<budget_planner> planner_;  // on it
    std::vector<operation_index> known_;
    std::optional<recompute_plan<>> best_;  // within the budgets so far
};

/// As `plan_for_budgets`, with the policies of the options.
[[nodiscard]] auto plan_with_policies(dataflow const& flow, training_graph const* training,
                                      std::span<bytes const> budgets, plan_options const& options,
                                      listener const& hears) -> std::vector<automatic_plan<>>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/policies/plan_with_policies.ipp>
#endif

#endif
