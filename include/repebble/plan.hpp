#ifndef REPEBBLE_PLAN_HPP
#define REPEBBLE_PLAN_HPP

// The front doors: `plan` and `plan_curve` take any graph as it is, `plan_training` and `plan_training_curve` make the
// gradients of a forward graph. They make a dataflow of the caller's graph and call one function that is no template
// (`planner/detail/plan_for_budgets.hpp`), so that nothing below depends on the caller's types.

#include <concepts>
#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <repebble/graph/access.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/no_progress.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/training/training_vertices.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/unmet_weight.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/plan_for_budgets.hpp>
#include <repebble/planner/plan_options.hpp>
#include <repebble/planner/technique.hpp>

namespace repebble::inline v0 {

namespace detail {

/// The options in the times of a dataflow: those of the link, which the caller gives in its own units.
[[nodiscard]] auto in_units(plan_options options, time_unit const& unit) -> plan_options;

/// Plans of a dataflow, or of a training graph where `training` is not null.
template <class Observer>
[[nodiscard]] auto plans_for(dataflow const& flow, training_graph const* training, std::span<bytes const> budgets,
                             plan_options const& options, Observer& observer) -> std::vector<automatic_plan<>> {
    auto all = plan_for_budgets(flow, training, budgets, in_units(options, flow.unit()), listener(observer));
    for (auto& found : all) {
        found.unit = flow.unit();
        if (found.plan && !found.unit.exact) found.proven = false;  // of times that were rounded nothing is proven
    }
    return all;
}

/// Plans in terms of a caller's vertices: `name(v)` is the vertex of operation v.
template <class Vertex, class Name>
[[nodiscard]] auto named_plans(std::vector<automatic_plan<>> found, Name const& name)
    -> std::vector<automatic_plan<Vertex>> {
    std::vector<automatic_plan<Vertex>> all;
    for (auto& f : found) {
        all.push_back({.lower_bound = f.lower_bound,
                       .base_order_bound = f.base_order_bound,
                       .proven = f.proven,
                       .floor = {.size = f.floor.size},
                       .strategy = std::move(f.strategy),
                       .unit = f.unit});
        if (f.floor.size > 0) all.back().floor.vertex = name(f.floor.vertex);
        if (f.plan) all.back().plan = map_vertices(*f.plan, name);
    }
    return all;
}

/// Plans a graph as it is.
struct as_it_is {
    template <class Graph, class Weights, class Observer>
    [[nodiscard]] static auto plans(Graph const& g, Weights const& w, std::span<bytes const> budgets,
                                    plan_options const& options, Observer& observer) {
        auto const flow = make_dataflow(g, w);
        auto const by_index = vertices_by_index(g);
        training_graph const* const none = nullptr;
        return named_plans<vertex_t<Graph>>(plans_for(flow, none, budgets, options, observer),
                                            [&](operation_index v) { return by_index[v]; });
    }
};

/// Plans the training graph of a forward graph (value_grad).
struct with_gradients {
    template <class Graph, class Weights, class I, class O, class P, class Observer>
    [[nodiscard]] static auto plans(Graph const& g, Weights const& w, std::span<bytes const> budgets,
                                    plan_options const& options, gradient_dependencies<I, O, P> const& depends,
                                    Observer& observer) {
        auto const training = make_training_graph(g, w, depends);
        training_vertices const of_caller(g, training);
        return named_plans<training_vertex<vertex_t<Graph>>>(
            plans_for(training.flow, &training, budgets, options, observer), of_caller);
    }
};

template <class T>
inline constexpr bool is_dataflow = false;
template <>
inline constexpr bool is_dataflow<dataflow> = true;

/// A caller's own graph, which is neither a dataflow nor a training graph.
template <class Graph>
concept graph_of_caller = computation_graph<Graph> && !is_dataflow<Graph>;

/// Hears of a search: has at least one of the members that are called, or is the one that hears nothing.
template <class Observer>
concept planning_observer =
    std::same_as<std::remove_cvref_t<Observer>, no_progress> || requires(Observer& o) { o.progress(double{}); } ||
    requires(Observer& o) { o.improved(std::int64_t{}, std::int64_t{}); } ||
    requires(Observer& o) { static_cast<bool>(o.cancelled()); } ||
    requires(Observer& o) { o.report(technique_report{}); };

template <class T>
concept text = std::convertible_to<T const&, std::string_view>;

/// What is planned as it is, with weights of its own.
template <class T>
concept weighed = is_dataflow<T> || is_training_graph<T>;

/// Refuses wrong calls of a door, each in one line that names the cure.
struct planning_door : takes_weights {
    using takes_weights::operator();
    /// Names what keeps a type from being a graph.
    template <class Graph, class... Rest, class UnmetRequirement = unmet_requirement<Graph>>
        requires(!computation_graph<Graph> && !is_training_graph<Graph> && !std::is_arithmetic_v<Graph>)
    void operator()(Graph const&, Rest const&...) const = delete;
    template <class Number, class... Rest,
              class UnmetRequirement = unmet::the_graph_is_the_first_argument_and_the_budget_the_next>
        requires std::is_arithmetic_v<Number>
    void operator()(Number const&, Rest const&...) const = delete;
    template <graph_of_caller Graph, class UnmetRequirement = unmet::the_budget_in_bytes_is_missing>
    void operator()(Graph const&) const = delete;
    template <graph_of_caller Graph, class... W, class UnmetRequirement = unmet::the_budget_in_bytes_is_missing>
        requires weights_for<weights<W...>, Graph>
    void operator()(Graph const&, weights<W...> const&) const = delete;
    template <graph_of_caller Graph, class... W, class... Rest,
              class UnmetRequirement = unmet::weights_come_before_the_budget>
    void operator()(Graph const&, bytes, weights<W...> const&, Rest const&...) const = delete;
    template <graph_of_caller Graph, class... Rest, class UnmetRequirement = unmet::the_budget_comes_before_the_options>
    void operator()(Graph const&, plan_options const&, Rest const&...) const = delete;
    template <class Graph, class Budget, class... Rest,
              class UnmetRequirement = unmet::the_budget_is_a_whole_number_of_bytes>
        requires(computation_graph<Graph> || weighed<Graph>) && (std::floating_point<Budget> || text<Budget>)
    void operator()(Graph const&, Budget const&, Rest const&...) const = delete;
    template <graph_of_caller Graph, class... W, class Budget, class... Rest,
              class UnmetRequirement = unmet::the_budget_is_a_whole_number_of_bytes>
        requires(std::floating_point<Budget> || text<Budget>)
    void operator()(Graph const&, weights<W...> const&, Budget const&, Rest const&...) const = delete;
    template <weighed Graph, class UnmetRequirement = unmet::the_budget_in_bytes_is_missing>
    void operator()(Graph const&) const = delete;
    template <weighed Graph, class... W, class... Rest,
              class UnmetRequirement = unmet::a_dataflow_has_weights_of_its_own>
    void operator()(Graph const&, weights<W...> const&, Rest const&...) const = delete;
};

/// What both doors to curves refuse.
struct curve_door : planning_door {
    using planning_door::operator();

    template <class Graph, class Budgets, class... Rest,
              class UnmetRequirement = unmet::plan_curve_takes_a_span_of_budgets_in_bytes>
        requires(computation_graph<Graph> || weighed<Graph>) &&
                    (std::ranges::range<Budgets> || std::integral<Budgets>) &&
                    (!std::convertible_to<Budgets const&, std::span<bytes const>>) && (!text<Budgets>)
    void operator()(Graph const&, Budgets const&, Rest const&...) const = delete;
    template <graph_of_caller Graph, class... W, class Budgets, class... Rest,
              class UnmetRequirement = unmet::plan_curve_takes_a_span_of_budgets_in_bytes>
        requires(std::ranges::range<Budgets> || std::integral<Budgets>) &&
                    (!std::convertible_to<Budgets const&, std::span<bytes const>>) && (!text<Budgets>)
    void operator()(Graph const&, weights<W...> const&, Budgets const&, Rest const&...) const = delete;
    template <graph_of_caller Graph, class... W, class... Rest,
              class UnmetRequirement = unmet::weights_come_before_the_budget>
    void operator()(Graph const&, std::span<bytes const>, weights<W...> const&, Rest const&...) const = delete;
};

/// What both doors to one plan share: dataflows, training graphs, and a graph's unit weights.
struct plan_one : planning_door {
    using planning_door::operator();

    template <planning_observer Observer = no_progress>
    [[nodiscard]] auto operator()(training_graph const& training, bytes budget, plan_options const& options = {},
                                  Observer&& observer = {}) const -> automatic_plan<> {
        return std::move(plans_for(training.flow, &training, std::span(&budget, 1), options, observer).front());
    }
    template <graph_of_caller Graph, class... W, std::ranges::range Budgets, class... Rest,
              class UnmetRequirement = unmet::plan_takes_one_budget_and_plan_curve_several>
        requires(!text<Budgets>)
    void operator()(Graph const&, weights<W...> const&, Budgets const&, Rest const&...) const = delete;
    template <class Graph, std::ranges::range Budgets, class... Rest,
              class UnmetRequirement = unmet::plan_takes_one_budget_and_plan_curve_several>
        requires(computation_graph<Graph> || weighed<Graph>) && (!text<Budgets>)
    void operator()(Graph const&, Budgets const&, Rest const&...) const = delete;
};

struct plan_fn : plan_one {
    using plan_one::operator();

    template <planning_observer Observer = no_progress>
    [[nodiscard]] auto operator()(dataflow const& flow, bytes budget, plan_options const& options = {},
                                  Observer&& observer = {}) const -> automatic_plan<> {
        training_graph const* const none = nullptr;
        return std::move(plans_for(flow, none, std::span(&budget, 1), options, observer).front());
    }
    template <graph_of_caller Graph, class... W, planning_observer Observer = no_progress>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w, bytes budget,
                                  plan_options const& options = {}, Observer&& observer = {}) const {
        return std::move(as_it_is::plans(g, w, std::span(&budget, 1), options, observer).front());
    }
    /// A time and bytes per vertex only.
    template <graph_of_caller Graph, vertex_weight<Graph> Time = unit_weight, memory_weight<Graph> Memory = unit_weight,
              planning_observer Observer = no_progress>
    [[nodiscard]] auto operator()(Graph const& g, bytes budget, Time time = {}, Memory memory = {},
                                  plan_options const& options = {}, Observer&& observer = {}) const {
        return (*this)(g, weights{std::move(time), std::move(memory)}, budget, options, observer);
    }
    /// Unit times and sizes.
    template <graph_of_caller Graph, planning_observer Observer = no_progress>
    [[nodiscard]] auto operator()(Graph const& g, bytes budget, plan_options const& options,
                                  Observer&& observer = {}) const {
        return (*this)(g, weights{unit_weight{}, unit_weight{}}, budget, options, observer);
    }
    template <graph_of_caller Graph, class... W, class I, class O, class P,
              class UnmetRequirement = unmet::plan_makes_no_gradients_call_plan_training>
    void operator()(Graph const&, weights<W...> const&, bytes, plan_options const&,
                    gradient_dependencies<I, O, P> const&) const = delete;
    template <graph_of_caller Graph, class Time, class Memory, class I, class O, class P,
              class UnmetRequirement = unmet::plan_makes_no_gradients_call_plan_training>
    void operator()(Graph const&, bytes, Time const&, Memory const&,
                    gradient_dependencies<I, O, P> const&) const = delete;
};

struct plan_training_fn : plan_one {
    using plan_one::operator();

    template <graph_of_caller Graph, class... W, class I, class O, class P, class... Rest,
              class UnmetRequirement = unmet::options_come_before_what_gradients_depend_on>
    void operator()(Graph const&, weights<W...> const&, bytes, gradient_dependencies<I, O, P> const&,
                    Rest const&...) const = delete;

    template <graph_of_caller Graph, class... W, class I = always, class O = always, class P = always,
              planning_observer Observer = no_progress>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w, bytes budget,
                                  plan_options const& options = {}, gradient_dependencies<I, O, P> const& depends = {},
                                  Observer&& observer = {}) const {
        return std::move(with_gradients::plans(g, w, std::span(&budget, 1), options, depends, observer).front());
    }
    /// A time and bytes per vertex only.
    template <graph_of_caller Graph, vertex_weight<Graph> Time = unit_weight, memory_weight<Graph> Memory = unit_weight,
              class I = always, class O = always, class P = always, planning_observer Observer = no_progress>
    [[nodiscard]] auto operator()(Graph const& g, bytes budget, Time time = {}, Memory memory = {},
                                  gradient_dependencies<I, O, P> const& depends = {}, plan_options const& options = {},
                                  Observer&& observer = {}) const {
        return (*this)(g, weights{std::move(time), std::move(memory)}, budget, options, depends, observer);
    }
    /// Unit times and sizes.
    template <graph_of_caller Graph, class I = always, class O = always, class P = always,
              planning_observer Observer = no_progress>
    [[nodiscard]] auto operator()(Graph const& g, bytes budget, plan_options const& options,
                                  gradient_dependencies<I, O, P> const& depends = {}, Observer&& observer = {}) const {
        return (*this)(g, weights{unit_weight{}, unit_weight{}}, budget, options, depends, observer);
    }
    template <class... Rest, class UnmetRequirement = unmet::a_dataflow_has_no_gradients_make_its_training_graph_first>
    void operator()(dataflow const&, Rest const&...) const = delete;
};

struct plan_curve_fn : curve_door {
    using curve_door::operator();

    template <planning_observer Observer = no_progress>
    [[nodiscard]] auto operator()(dataflow const& flow, std::span<bytes const> budgets,
                                  plan_options const& options = {}, Observer&& observer = {}) const
        -> std::vector<automatic_plan<>> {
        training_graph const* const none = nullptr;
        return plans_for(flow, none, budgets, options, observer);
    }
    template <planning_observer Observer = no_progress>
    [[nodiscard]] auto operator()(training_graph const& training, std::span<bytes const> budgets,
                                  plan_options const& options = {}, Observer&& observer = {}) const
        -> std::vector<automatic_plan<>> {
        return plans_for(training.flow, &training, budgets, options, observer);
    }
    template <graph_of_caller Graph, class... W, planning_observer Observer = no_progress>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w, std::span<bytes const> budgets,
                                  plan_options const& options = {}, Observer&& observer = {}) const {
        return as_it_is::plans(g, w, budgets, options, observer);
    }
    /// Unit times and sizes.
    template <graph_of_caller Graph, planning_observer Observer = no_progress>
    [[nodiscard]] auto operator()(Graph const& g, std::span<bytes const> budgets, plan_options const& options = {},
                                  Observer&& observer = {}) const {
        return as_it_is::plans(g, weights{unit_weight{}, unit_weight{}}, budgets, options, observer);
    }
};

struct plan_training_curve_fn : curve_door {
    using curve_door::operator();

    template <planning_observer Observer = no_progress>
    [[nodiscard]] auto operator()(training_graph const& training, std::span<bytes const> budgets,
                                  plan_options const& options = {}, Observer&& observer = {}) const
        -> std::vector<automatic_plan<>> {
        return plans_for(training.flow, &training, budgets, options, observer);
    }
    template <graph_of_caller Graph, class... W, class I = always, class O = always, class P = always,
              planning_observer Observer = no_progress>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w, std::span<bytes const> budgets,
                                  plan_options const& options = {}, gradient_dependencies<I, O, P> const& depends = {},
                                  Observer&& observer = {}) const {
        return with_gradients::plans(g, w, budgets, options, depends, observer);
    }
    /// Unit times and sizes.
    template <graph_of_caller Graph, class I = always, class O = always, class P = always,
              planning_observer Observer = no_progress>
    [[nodiscard]] auto operator()(Graph const& g, std::span<bytes const> budgets, plan_options const& options = {},
                                  gradient_dependencies<I, O, P> const& depends = {}, Observer&& observer = {}) const {
        return with_gradients::plans(g, weights{unit_weight{}, unit_weight{}}, budgets, options, depends, observer);
    }
    template <class... Rest, class UnmetRequirement = unmet::a_dataflow_has_no_gradients_make_its_training_graph_first>
    void operator()(dataflow const&, Rest const&...) const = delete;
};

}  // namespace detail

/// The automatic planner: a schedule within a budget of bytes whose time is near the least there is, and a proof of how
/// near. It plans the graph as it is: inference, a joint graph of a framework, or any other; for a forward graph that
/// is to be trained, see `plan_training`. Every operation that is recomputable may run any number of times. Results
/// stay to the end; inputs, control edges, mutations and views are as the graph says (`graph_traits`, `dataflow`). The
/// plan's replayed peak and, unless the options say otherwise, its arena are within the budget. It is in terms of the
/// caller's vertices and outputs.
///
/// Where the graph allows an output to take over the storage of an input of its size, plan and bounds count on it. The
/// lower bound holds for all schedules without copies to the host pool that write in place only where the graph allows
/// it, and keep the policies for values that the options have; with `plan_options::link`, for those with copies, too.
/// Then time is the makespan on lanes (`lanes_clock`). It makes no gradients and takes no
/// `gradient_dependencies`. The bound comes from a relaxation at one cut of the schedule, the first run of an operation
/// (`best_cut_bound`), or at a sequence of up to eight cuts (`multi_cut_bound`), by Lagrangian relaxation, minimum cuts
/// and branch and bound in whole numbers, and from core-guided MaxSAT on small graphs (`max_sat_bound`). The plan comes
/// from what the relaxations keep, from greedy eviction, from best-first search of up to 64 operations
/// (`find_optimal_pebbling`), from the other strategies on small training graphs (up to 3,000 operations, and 600 for
/// `best_canonical`), and from simulated annealing of a population of sequences (`annealing_search`). Jain et al. 2020
/// (Checkmate) solve the same problem as an integer programme, of which the cuts are a relaxation.
///
/// An observer may have `progress(double)`, the share of the work that is done; `improved(overhead, lower_bound)` in
/// whole time units; `cancelled()`, which ends the search with the best plan so far; and `report(technique_report)`,
/// which hears at the end what each technique brought. It is called on the calling thread only. Where the arena of the
/// best plan is too large, slower plans are tried and another attempt begins, whose progress begins anew. Equal calls
/// without a time limit give equal plans, whatever the number of threads.
///
/// O(moves · (√steps + reads)) and thousands of minimum cuts of small graphs, or a few dozen of large ones: nearly
/// linear up to 50,000 operations.  Requires: budget >= 0.  Throws bad_option, and bad_weight where times sum to more
/// than 2^58.
inline constexpr detail::plan_fn plan{};

/// Plans a training step of a forward graph: makes its gradients (`make_training_graph`, value_grad) and plans both
/// passes. `depends` says which values the gradients read. The plan is in terms of `training_vertex`. Otherwise as
/// `plan`; a training graph is planned as it is.
inline constexpr detail::plan_training_fn plan_training{};

/// Plans for several budgets, in their order, each from the one below: a larger budget never gives a slower plan, nor a
/// greater bound. Otherwise as `plan`.
inline constexpr detail::plan_curve_fn plan_curve{};

/// Plans of a training step for several budgets: as `plan_curve` and `plan_training`.
inline constexpr detail::plan_training_curve_fn plan_training_curve{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/plan/plan.ipp>
#endif

#endif
