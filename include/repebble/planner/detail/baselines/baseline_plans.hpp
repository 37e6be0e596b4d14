#ifndef REPEBBLE_PLANNER_DETAIL_BASELINES_BASELINE_PLANS_HPP
#define REPEBBLE_PLANNER_DETAIL_BASELINES_BASELINE_PLANS_HPP

// The older strategies as starts of the automatic planner, which is then no worse than those that were tried. They apply
// to training graphs only, and are tried on small ones: their time grows with the square of the operations and more.
// decomposition_plan applies to any graph, and is tried where the budget is tiny, or where eviction finds nothing.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/planner/detail/model/incumbent.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/detail/starts/exact_start.hpp>
#include <repebble/planner/effort.hpp>
#include <repebble/recompute/best_canonical.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0::detail {

/// Returns the operations of the best canonical schedule within the budget, with a share of a second's work, if it has
/// less overhead than `below`. The observer may end the search. Nothing for graphs to which `best_canonical` does not
/// apply, that are large or have many lower sets: so little work finds nothing there.
template <class Observer>
[[nodiscard]] auto canonical_start(planning_graph const& graph, bytes budget, std::optional<std::int64_t> below,
                                   double share, effort const& e, Observer& observer)
    -> std::optional<std::vector<operation_index>> {
    if (graph.training().flow.operation_count() > e.most_canonical_flow || !best_canonical.applies(graph))
        return std::nullopt;
    canonical_options const options{.budget = budget,
                                    .tolerance = graph.flow().time_once() / e.canonical_resolution,
                                    .below = below,
                                    .segment_limit = static_cast<std::size_t>(share * e.canonical_segments),
                                    .label_limit = static_cast<std::size_t>(share * e.canonical_labels)};
    auto const found = best_canonical.within(graph, options, e.most_canonical_lower_sets, observer);
    if (!found || !found->sequence) return std::nullopt;
    return computations_of(graph.expand(canonical(graph, *found->sequence)));
}

/// Returns the best plan of a chain of blocks within the budget, with stages of one block or two; nothing for training
/// graphs that are no such chain. From when stop() returns true on, no other stages are tried.
[[nodiscard]] inline auto chain_start(planning_graph const& graph, bytes budget, stop_test stop = never_stop{})
    -> std::optional<recompute_plan<>> {
    if (!is_chain_of_blocks(graph)) return std::nullopt;
    chain_request const asked{{.most_cuts = 2}, budget};
    return plan_by_stages(graph, asked, std::span(&asked.candidates, 1), stop);
}

/// Whether no sum of greedy_eviction, save_set, chain_plan and best_canonical overflows: of bytes, which a chain of
/// stages counts once for each operation at most, nor of times, which eviction adds up over 200,000 steps at most.
[[nodiscard]] inline auto sums_fit(dataflow const& flow) -> bool {
    constexpr double most = 0x1p62, most_steps = 0x1p18, formula_terms = 8;
    double sizes = 0, times = 0;
    for (value_index x = 0; x < flow.value_count(); ++x) sizes += static_cast<double>(flow.size(x));
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        sizes += static_cast<double>(flow.workspace(v));
        times += static_cast<double>(flow.time(v));
    }
    return sizes * (static_cast<double>(flow.operation_count()) + formula_terms) < most && times * most_steps < most;
}

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
