#ifndef REPEBBLE_PLAN_HPP
#define REPEBBLE_PLAN_HPP

// The front door: `plan` takes a problem, which `make_problem` and `make_training_problem` make of any graph, and a
// budget or several. Nothing below depends on the caller's types.

#include <concepts>
#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/no_progress.hpp>
#include <repebble/graph/optional_budget.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/unmet_weight.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/detail/plan_for_budgets.hpp>
#include <repebble/planner/plan_options.hpp>
#include <repebble/planner/technique.hpp>

namespace repebble::inline v0 {

namespace detail {

/// What converts to a problem.
template <class T>
concept planned_as_is = std::convertible_to<T const&, problem>;

/// A caller's own graph.
template <class Graph>
concept graph_of_caller = computation_graph<Graph> && !planned_as_is<Graph>;

template <class T>
concept text = std::convertible_to<T const&, std::string_view>;

}  // namespace detail

/// The automatic planner: a schedule within a budget of bytes whose time is near the least there is, and a proof of how
/// near. It takes a problem (`make_problem`, `make_training_problem`), a dataflow or a training graph. Every operation
/// that is recomputable may run any number of times. Results stay to the end; inputs, control edges, mutations and
/// views are as the graph says (`graph_traits`, `dataflow`). The plan's replayed peak is within the budget, with
/// `plan_options::arena` that of its arena, too. It is in terms of the caller's vertices and outputs.
///
/// For several budgets, a plan for each, in their order, each from the one below: a larger budget never gives a slower
/// plan, nor a greater bound.
///
/// Where the graph allows an output to take over the storage of an input of its size, plan and bounds count on it. The
/// lower bound holds for all schedules without copies to the host pool that write in place only where the graph allows
/// it, and keep the policies for values that the options have; with `plan_options::link`, for those with copies, too.
/// Then time is the makespan on lanes (`lanes_clock`). The bound comes from a relaxation at one cut of the schedule,
/// the first run of an operation
/// (`best_cut_bound`), or at a sequence of up to eight cuts (`multi_cut_bound`), by Lagrangian relaxation, minimum cuts
/// and branch and bound in whole numbers, and from core-guided MaxSAT on small graphs (`max_sat_bound`). The plan comes
/// from what the relaxations keep, from greedy eviction, from best-first search of up to 64 operations
/// (`find_optimal_pebbling`), from the other strategies on small training graphs (up to 3,000 operations, and 600 for
/// `best_canonical`), and from simulated annealing of a population of sequences (`annealing_search`). Jain et al. 2020
/// (Checkmate) solve the same problem as an integer programme, of which the cuts are a relaxation.
///
/// An observer may have `progress(double)`, the share of the work that is done; `improved(overhead, lower_bound)` in
/// whole time units; and `report(technique_report)`, which hears at the end what each technique brought. It is called
/// on the calling thread only. Where the arena of the best plan is too large, slower plans are tried and another
/// attempt begins, whose progress begins anew. Equal calls without a limit of seconds give equal plans, whatever the
/// number of threads.
///
/// O(moves · (√steps + reads)) and thousands of minimum cuts of small graphs, or a few dozen of large ones: nearly
/// linear up to 50,000 operations.  Throws bad_option, and bad_weight where a budget is negative or times sum to
/// more than 2^58.
template <detail::planning_observer Observer = no_progress>
[[nodiscard]] auto plan(problem const& p, std::span<bytes const> budgets, plan_options const& options = {},
                        Observer&& observer = {}) -> std::vector<automatic_plan<>> {
    static_assert(
        !requires { observer.cancelled(); }, "plan_options::limits.stop ends a search");
    return detail::plan_for_budgets(p, budgets, options, detail::listener(observer));
}

/// The same for one budget.
template <detail::planning_observer Observer = no_progress>
[[nodiscard]] auto plan(problem const& p, bytes budget, plan_options const& options = {}, Observer&& observer = {})
    -> automatic_plan<> {
    return std::move(repebble::plan(p, std::span(&budget, 1), options, observer).front());
}

/// The same for any whole number.  Throws bad_weight, naming it, where it is above 2^63 - 1.
template <std::integral Budget, detail::planning_observer Observer = no_progress>
    requires(!std::same_as<Budget, bytes>)
[[nodiscard]] auto plan(problem const& p, Budget budget, plan_options const& options = {}, Observer&& observer = {})
    -> automatic_plan<> {
    return repebble::plan(p, detail::budget_in_bytes(budget), options, observer);
}

/// In terms of the names of a problem.
template <class Vertex, detail::planning_observer Observer = no_progress>
[[nodiscard]] auto plan(named_problem<Vertex> const& p, std::span<bytes const> budgets,
                        plan_options const& options = {}, Observer&& observer = {})
    -> std::vector<automatic_plan<Vertex>> {
    problem const& unnamed = p;
    std::vector<automatic_plan<Vertex>> all;
    for (auto& found : repebble::plan(unnamed, budgets, options, observer))
        all.push_back(detail::in_names(std::move(found), p));
    return all;
}
/// The same for one budget.
template <class Vertex, detail::planning_observer Observer = no_progress>
[[nodiscard]] auto plan(named_problem<Vertex> const& p, bytes budget, plan_options const& options = {},
                        Observer&& observer = {}) -> automatic_plan<Vertex> {
    problem const& unnamed = p;
    return detail::in_names(repebble::plan(unnamed, budget, options, observer), p);
}
/// The same for any whole number.
template <class Vertex, std::integral Budget, detail::planning_observer Observer = no_progress>
    requires(!std::same_as<Budget, bytes>)
[[nodiscard]] auto plan(named_problem<Vertex> const& p, Budget budget, plan_options const& options = {},
                        Observer&& observer = {}) -> automatic_plan<Vertex> {
    return repebble::plan(p, detail::budget_in_bytes(budget), options, observer);
}

// Wrong calls are refused, each in one line that names the cure.
/// What keeps a type from being a graph.
template <class Graph, class... Rest, class UnmetRequirement = unmet_requirement<Graph>>
    requires(!computation_graph<Graph> && !detail::planned_as_is<Graph> && !std::is_arithmetic_v<Graph>)
void plan(Graph const&, Rest const&...) = delete;
/// Refused.
template <class Number, class... Rest,
          class UnmetRequirement = unmet::the_problem_is_the_first_argument_and_the_budget_the_next>
    requires std::is_arithmetic_v<Number>
void plan(Number const&, Rest const&...) = delete;
/// Refused.
template <detail::graph_of_caller Graph, class... Rest,
          class UnmetRequirement = unmet::make_problem_or_make_training_problem_makes_a_problem_of_the_graph>
void plan(Graph const&, Rest const&...) = delete;
/// Refused.
template <detail::planned_as_is Problem, class UnmetRequirement = unmet::the_budget_in_bytes_is_missing>
void plan(Problem const&) = delete;
/// Refused.
template <detail::planned_as_is Problem, class... Rest,
          class UnmetRequirement = unmet::the_budget_comes_before_the_options>
void plan(Problem const&, plan_options const&, Rest const&...) = delete;
/// Refused.
template <detail::planned_as_is Problem, class... W, class... Rest,
          class UnmetRequirement = unmet::a_problem_has_weights_of_its_own>
void plan(Problem const&, weights<W...> const&, Rest const&...) = delete;
/// Refused.
template <detail::planned_as_is Problem, class Budget, class... Rest,
          class UnmetRequirement = unmet::the_budget_is_a_whole_number_of_bytes>
    requires(std::floating_point<Budget> || detail::text<Budget>)
void plan(Problem const&, Budget const&, Rest const&...) = delete;
/// Refused.
template <detail::planned_as_is Problem, std::ranges::range Budgets, class... Rest,
          class UnmetRequirement = unmet::several_budgets_are_a_span_of_bytes>
    requires(!std::convertible_to<Budgets const&, std::span<bytes const>> && !detail::text<Budgets>)
void plan(Problem const&, Budgets const&, Rest const&...) = delete;

}  // namespace repebble::inline v0

#endif
