#ifndef REPEBBLE_PLANNER_DETAIL_BASELINES_BASELINE_PLANS_HPP
#define REPEBBLE_PLANNER_DETAIL_BASELINES_BASELINE_PLANS_HPP

// The older strategies as starts of the automatic planner, which is then no worse than those that were tried. They apply
// to training graphs only, and are tried on small ones: their time grows with the square of the operations and more.
// decomposition_plan applies to any graph, and is tried where the budget is tiny, or where eviction finds nothing.

#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/planner/detail/model/incumbent.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/effort.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

class baseline_plans {
  public:
    /// `training` may be null: then there are none. Refers to all of them.
    baseline_plans(training_graph const* training, contracted_dataflow const& contracted, effort const& e,
                   listener const& hears)
        : training_(training), contracted_(contracted), effort_(e), hears_(hears) {}

    /// Sequences of greedy_eviction, save_set and chain_plan that fit the budget. left(): seconds that are left, where
    /// there is a limit; a strategy begins only where they are mostly enough, and ends when it had its share of them.
    /// `saving`: whether save_set is tried, which takes a second where large graphs have tiny budgets.
    [[nodiscard]] auto candidates(bytes budget, bool saving, function_ref<std::optional<double>()> left)
        -> std::vector<candidate>;

    /// A sequence by nested separators that fits the budget, for small budgets on graphs that are nearly trees: there
    /// greedy eviction recomputes without end. `seconds`: those that are left, where there is a limit.
    [[nodiscard]] auto decomposed(bytes budget, std::optional<double> seconds) const -> std::optional<candidate>;

    /// The best canonical schedule, if it takes less time than `known`, with a share of a second's work.
    [[nodiscard]] auto canonical(bytes budget, std::optional<std::int64_t> known, std::optional<double> seconds,
                                 double share) -> std::optional<candidate>;

    /// The contracted operations of a sequence, each where its first member runs.
    [[nodiscard]] auto contract(std::vector<operation_index> const& operations) const -> std::vector<operation_index>;

  private:
    /// Whether there is a small training graph; contracts it.
    [[nodiscard]] auto is_applicable() -> bool;

    training_graph const* training_;
    contracted_dataflow const& contracted_;
    effort const& effort_;
    listener const& hears_;
    std::optional<planning_graph> graph_{};  // contracted once for all budgets
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/baselines/baseline_plans.ipp>
#endif

#endif
