#ifndef REPEBBLE_PLANNER_DETAIL_BUDGET_PLANNER_HPP
#define REPEBBLE_PLANNER_DETAIL_BUDGET_PLANNER_HPP

// Plans of one dataflow for one budget after the other: contracts the views once, searches (`budget_search`), makes the
// schedule and its arena, and tries again within less where the arena is too large. Every plan that leaves here was
// replayed on the original dataflow and is within the budget.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/budget_search.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/starts/order_start.hpp>

namespace repebble::inline v0::detail {

/// The planner of one dataflow.
class budget_planner {
  public:
    /// `training`: the training graph of that flow where it is one, else null. Refers to all of them.
    budget_planner(dataflow const& flow, training_graph const* training, plan_options const& options,
                   listener const& hears);

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
    [[nodiscard]] auto relaxed() const noexcept -> planning_model const& { return relaxed_; }
    /// Size of the arena, as small as so much effort makes it, or within the budget.
    [[nodiscard]] auto arena_size(recompute_plan<> const& made, bytes budget, std::optional<double> seconds,
                                  double work) const -> bytes {
        if (made.cost.peak > budget) return made.cost.peak;
        offset_options const offsets{
            .capacity = budget,
            .limits = {.seconds = seconds,
                       .work = static_cast<std::size_t>(work * static_cast<double>(offset_options::default_work)),
                       .stop = [this] { return hears_.cancelled(); }}};
        return make_arena(flow_, made.schedule, {.offsets = offsets}).size;
    }
    /// The overhead of a time above that of all required operations: negative where alternatives are cheaper.
    [[nodiscard]] auto overhead_of(std::int64_t above) const -> std::int64_t {
        return model_.time_once + above - flow_.time_once();
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
    void fit_into_less(bytes budget, function_ref<bytes(candidate const&, double)> offer, deadline const& clock) const;
    /// Where no sequence fits as its views need more than the model tells: the exact search of small graphs.
    [[nodiscard]] auto solve_to_the_end(bytes budget, deadline const& clock, profile& counts, automatic_plan<>& out)
        -> std::optional<schedule<>>;
    /// Makes views again in the sequence where it needs too much without.
    [[nodiscard]] auto made_of(std::vector<operation_index>& sequence, bytes budget) const -> recompute_plan<>;
    /// The operation of the caller's dataflow; where all results cause a floor, that of the largest.
    [[nodiscard]] auto named(operation_index c) const -> operation_index;

    dataflow const& flow_;
    contracted_dataflow contracted_;
    planning_model model_, relaxed_;
    baseline_plans baselines_;
    order_start ordered_;
    bool has_free_order_;  // that of a built training graph is fixed but for details
    repebble::memory_floor<> floor_;
    plan_options const& options_;
    listener const& hears_;
    technique found_by_ = technique::no_recomputation;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/budget_planner.ipp>
#endif

#endif
