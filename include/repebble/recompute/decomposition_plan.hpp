#ifndef REPEBBLE_RECOMPUTE_DECOMPOSITION_PLAN_HPP
#define REPEBBLE_RECOMPUTE_DECOMPOSITION_PLAN_HPP

// Plans by divide and conquer over a tree decomposition (Bulatov 2018, "Support general graphs"; R. Kumar, M. Purohit,
// Z. Svitkina, E. Vee, J. Wang 2019, "Efficient rematerialization for deep networks"): memory logarithmic in the number
// of operations where the treewidth is small, for more computations than other strategies take. The recursion is
// detail/divide_and_conquer.hpp.

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/optional_budget.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/recompute/detail/divide_and_conquer.hpp>
#include <repebble/recompute/detail/plan_preference.hpp>
#include <repebble/recompute/detail/within_budget.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/strategy_options.hpp>

namespace repebble::inline v0 {

namespace detail {

using decomposition_request = within_budget<strategy_options>;

/// The search of decomposition_plan on one dataflow: two divisions, each with fewer computations the more bytes may be
/// computed straight, and everything once. With a budget all plans are met that are met without one, so that none is
/// slower.
class decomposition_search {
  public:
    /// stop(): asked before each plan; from when it returns true on, none is made.
    decomposition_search(dataflow const& flow, decomposition_request const& options, stop_test stop)
        : flow_(flow),
          options_(options),
          stop_(stop),
          by_time_(options.budget && options.goal == objective::time),
          most_(options.limits.work.value_or(
              std::min(most_by_default, default_for_each * (flow.operation_count() + more_operations)))) {}

    /// The plan nearest to the budget.
    [[nodiscard]] auto search() && -> recompute_plan<>;

  private:
    struct division {
        divide_and_conquer nested;
        std::vector<bytes> grid;                        // straight bytes, ascending, whatever the budget
        std::size_t most = 0;                           // steps of a plan
        std::map<bytes, std::optional<bytes>> peaks{};  // by straight bytes that were tried; nothing: too many steps
        std::size_t steps = 0;                          // without straight bytes; the greatest number: too many
    };
    struct candidate {
        recompute_plan<> plan;
        std::vector<operation_index> run;
    };
    using time_and_peak = typename plan_preference::time_and_peak;

    static constexpr std::size_t widest = 200;
    static constexpr std::size_t most_by_default = 50'000'000, default_for_each = 500, more_operations = 1000;
    static constexpr std::size_t most_of_second = 5'000'000, most_improved = 1'000'000, most_galloped_from = 200'000,
                                 most_dropped_from = 50'000;
    static constexpr bytes precision = 64;

    /// Whether reads alone order the operations, and each value has one producer.
    [[nodiscard]] auto applies() const -> bool;
    /// Everything once.
    [[nodiscard]] auto kept() const -> recompute_plan<>;
    /// Wider divisions keep more on each level than they save.
    [[nodiscard]] static auto most_width(std::size_t least) -> std::size_t { return 4 * least + 8; }
    void divide(undirected_graph const& g, elimination_order const& order);

    /// Within the budget the faster one.
    [[nodiscard]] auto prefers(recompute_plan<> const& a, recompute_plan<> const& b) const -> bool {
        plan_preference const prefer{options_.budget, objective::time, false};
        return prefer(cost_of(a), cost_of(b));
    }
    [[nodiscard]] static auto cost_of(recompute_plan<> const& plan) -> time_and_peak {
        return {plan.cost.time, plan.cost.peak};
    }
    /// Keeps the plan if it has the least peak, or is the fastest within the budget.
    void offer(recompute_plan<> plan, std::vector<operation_index> run);
    /// The peak with so many straight bytes; offers the plan. Nothing: too many computations, or stopped.
    auto peak_with(division& d, bytes straight) -> std::optional<bytes>;
    /// The plans that are met with any budget.
    void find_least();
    /// Raises the straight bytes as far as the plan fits: along the grid, then by bisection. Long sequences are looked
    /// for from the limit down.
    void improve(division& d, bytes limit);
    /// Drops recomputations from what fits, the fastest first: a longer sequence may end as the faster one.
    void drop_from_short();
    /// Drops recomputations for which there is room.
    void drop(candidate& from, bytes room) const;

    dataflow const& flow_;
    decomposition_request const& options_;
    stop_test stop_;
    bool by_time_;
    std::size_t most_;
    std::vector<division> divisions_;
    std::vector<candidate> short_;              // within the budget
    std::optional<candidate> least_, fastest_;  // of least peak; within the budget
};

/// Of any dataflow. From when stop() returns true on, no other plan is tried.
[[nodiscard]] auto plan_by_separators(dataflow const& flow, decomposition_request const& options,
                                      stop_test stop = never_stop{}) -> std::optional<recompute_plan<>>;

}  // namespace detail

/// Plan by divide and conquer over tree decompositions of the training graph, without directions: by minimum fill and,
/// where that is not much wider, by breadth-first search. A bag that halves the graph is a separator; its operations
/// are computed in topological order, and what each reads from the parts beside it is computed there by the same
/// method, used, and forgotten. Parts that need few bytes are computed straight. With a budget the plan of least
/// overhead that fits, of those that were tried; without, of least peak. A plan with a budget is never slower than the
/// one without, if that fits and views take no time; now and then it is slower than one with a smaller budget.
/// Everything once is a plan, too, and up to 100,000 operations that of `segment_recursive`, which is better where
/// separators are wide.
///
/// With n operations, all values of one byte, a decomposition of width w and at most d inputs of an operation, the peak
/// is at most (w + 1 + d) (⌊log₂ n⌋ + 1) bytes, with values that stay (results, operations that run once), the largest
/// workspace, the largest sink and the bytes computed straight on top. `promise` is that sum for the separators that
/// were found, in the bytes of the values, and never less than the peak. Graphs with control edges, mutations, inputs
/// or alternative producers, or of a width above 200, are kept whole.
///
/// O(computations log n) for each of two to some forty plans, few where they are long, and the minimum fill before them
/// (see find_elimination_order), also of graphs that are kept whole for their width. `limits.work`: computations of a
/// plan; where all take more, everything is kept; none: 500 (n + 1000) of n operations, but at most 50 million. The
/// computations grow as n log n on chains and towers, as a power of n where separators have more vertices. Returns
/// nothing where no plan fits.
[[nodiscard]] auto decomposition_plan(problem const& p, optional_budget budget = {},
                                      strategy_options const& options = {}) -> std::optional<recompute_plan<>>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/decomposition_plan.ipp>
#endif

#endif
