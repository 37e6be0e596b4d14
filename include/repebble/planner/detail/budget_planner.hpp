#ifndef REPEBBLE_PLANNER_DETAIL_BUDGET_PLANNER_HPP
#define REPEBBLE_PLANNER_DETAIL_BUDGET_PLANNER_HPP

// Plans of one dataflow for one budget after the other: contracts the views once, searches (`budget_search`), makes the
// schedule, and tries again within less where a judge finds that it needs too much. Every plan that leaves here was
// carried out by that judge and is within the budget.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/budget_search.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/plan_judge.hpp>
#include <repebble/planner/detail/starts/order_start.hpp>

namespace repebble::inline v0::detail {

/// The planner of one dataflow.
class budget_planner {
  public:
    /// `training`: the training graph of that flow where it is one, else null. Refers to all of them. Where the search
    /// of a graph of 20,000 operations or more is cancelled before all is prepared, there are no plans, and no floor.
    budget_planner(dataflow const& flow, training_graph const* training, plan_options const& options,
                   listener const& hears)
        : budget_planner(flow, training, options, hears, plan_judge(flow, options)) {}
    /// Plans, and all that is said of their times, are those of the judge's dataflow.
    budget_planner(dataflow const& flow, training_graph const* training, plan_options const& options,
                   listener const& hears, plan_judge judge);

    /// True where all was prepared before the search was cancelled.
    [[nodiscard]] auto is_prepared() const noexcept -> bool { return is_prepared_; }
    /// No schedule needs less.
    [[nodiscard]] auto floor() const noexcept -> repebble::memory_floor<> const& { return floor_; }
    /// `known`: a sequence that fits a smaller budget, or is to be tried; that of the result on return. `seconds`: the
    /// limit of this call, whatever that of the options.
    [[nodiscard]] auto plan(bytes budget, std::optional<double> seconds, std::vector<operation_index>& known)
        -> automatic_plan<>;

    /// What it plans, without the views that were merged.
    [[nodiscard]] auto contracted() const noexcept -> contracted_dataflow const& { return contracted_; }
    [[nodiscard]] auto model() const noexcept -> planning_model const& { return model_; }
    /// The model for bounds.
    [[nodiscard]] auto relaxed() const noexcept -> planning_model const& { return relaxed_ ? *relaxed_ : model_; }
    [[nodiscard]] auto judge() const noexcept -> plan_judge const& { return judge_; }
    /// The overhead of a time above that of all required operations: negative where alternatives are cheaper.
    [[nodiscard]] auto overhead_of(std::int64_t above) const -> std::int64_t {
        return model_.time_once + above - judge_.flow().time_once();
    }

  private:
    static constexpr char const* of_smaller_budget = "smaller budget";
    static constexpr char const* optimal = "optimal_pebbling";

    [[nodiscard]] auto plan(bytes budget, std::optional<double> seconds, std::vector<operation_index>& known,
                            profile& counts) -> automatic_plan<>;

    /// Of the time that is left; arenas of small graphs take little of it.
    [[nodiscard]] auto search_share() const -> double {
        auto const& e = options_.effort;
        return options_.arena && model_.operation_count() > e.small_arena_flow ? e.search_share_with_arena
                                                                               : e.search_share;
    }
    /// The other sequences that were found or offered, the fastest first.
    [[nodiscard]] auto others(budget_search const& search) const -> std::vector<candidate const*>;
    /// Greedy eviction within less and less, until an arena is small enough.
    void fit_into_less(bytes budget, function_ref<std::optional<bytes>(candidate const&, double)> offer,
                       deadline const& clock) const;
    /// Where no sequence fits, or not the fastest, as its views need more than the model tells: the exact search of
    /// small graphs, for less time than that of the plan.
    [[nodiscard]] auto solve_to_the_end(bytes budget, deadline const& clock, profile& counts, automatic_plan<>& out)
        -> std::optional<schedule<>>;
    /// Makes views again in the sequence where it needs too much without.
    [[nodiscard]] auto made_of(std::vector<operation_index>& sequence, bytes budget) const
        -> std::optional<recompute_plan<>>;
    /// The operation of the caller's dataflow; where all results cause a floor, that of the largest.
    [[nodiscard]] auto named(operation_index c) const -> operation_index;

    dataflow const& flow_;
    plan_judge judge_;
    contracted_dataflow contracted_;
    planning_model model_;
    std::optional<planning_model> relaxed_;  // where it differs
    baseline_plans baselines_;
    order_start ordered_;
    bool has_free_order_;  // that of a built training graph is fixed but for details
    repebble::memory_floor<> floor_;
    plan_options const& options_;
    listener const& hears_;
    technique found_by_ = technique::no_recomputation;
    bool is_prepared_ = false;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/budget_planner.ipp>
#endif

#endif
