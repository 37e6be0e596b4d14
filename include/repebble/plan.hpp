#ifndef REPEBBLE_PLAN_HPP
#define REPEBBLE_PLAN_HPP

// The front door: `plan` and `plan_curve` for any graph. They make a dataflow of the caller's graph and call one
// function that is no template (`planner/detail/plan_for_budgets.hpp`), so that nothing below depends on the caller's
// types.

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/whole_times.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/no_progress.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/training/training_vertices.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/unmet_weight.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/plan_for_budgets.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0 {

namespace detail {

/// Plans in whole times for a dataflow in floating ones, and back: cost by replay, bounds by the unit.
class floating_plans {
  public:
    explicit floating_plans(dataflow<double> const& flow) : flow_(flow), whole_(whole_times(flow)) {}

    [[nodiscard]] auto flow() const noexcept -> dataflow<> const& { return whole_.flow; }
    /// The same plan in floating times, whose rounding nothing is proven of.
    [[nodiscard]] auto operator()(automatic_plan<> found) const -> automatic_plan<double> {
        automatic_plan<double> out{.lower_bound = floating(found.lower_bound),
                                   .proven = found.proven && !found.plan,
                                   .floor = found.floor,
                                   .strategy = std::move(found.strategy)};
        if (!found.plan) return out;
        auto cost = replay(flow_, found.plan->schedule);
        out.plan = recompute_plan<double>{std::move(found.plan->schedule), std::move(cost)};
        return out;
    }

  private:
    /// An overhead above everything once.
    [[nodiscard]] auto floating(std::int64_t overhead) const -> double {
        return static_cast<double>(overhead + whole_.flow.time_once()) * whole_.unit - flow_.time_once();
    }

    dataflow<double> const& flow_;
    whole_dataflow whole_;
};

/// Plans of a dataflow, or of a training graph where `training` is not null, in the caller's number type.
template <class Observer>
[[nodiscard]] auto plans_for(dataflow<> const& flow, training_graph<> const* training, std::span<bytes const> budgets,
                             plan_options const& options, Observer& observer) -> std::vector<automatic_plan<>> {
    return plan_for_budgets(flow, training, budgets, options, listener(observer));
}
template <class Observer>
[[nodiscard]] auto plans_for(dataflow<double> const& flow, training_graph<double> const* training,
                             std::span<bytes const> budgets, plan_options const& options, Observer& observer)
    -> std::vector<automatic_plan<double>> {
    floating_plans const floating(flow);
    std::optional<training_graph<>> whole;
    if (training != nullptr)
        whole = training_graph<>{floating.flow(), training->origin, training->made_by, training->gradient_of};
    std::vector<automatic_plan<double>> all;
    for (auto& found :
         plan_for_budgets(floating.flow(), whole ? &*whole : nullptr, budgets, options, listener(observer)))
        all.push_back(floating(std::move(found)));
    return all;
}

struct plan_fn {
    template <quantity Time, class Observer = no_progress>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, bytes budget, plan_options const& options = {},
                                  Observer&& observer = {}) const -> automatic_plan<Time> {
        training_graph<Time> const* const none = nullptr;
        return std::move(plans_for(flow, none, std::span(&budget, 1), options, observer).front());
    }
    template <quantity Time, class Observer = no_progress>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, bytes budget, plan_options const& options = {},
                                  Observer&& observer = {}) const -> automatic_plan<Time> {
        return std::move(plans_for(training.flow, &training, std::span(&budget, 1), options, observer).front());
    }

    /// Trains the caller's forward graph (value_grad), in terms of its own vertices.
    template <computation_graph Graph, class... W, class I = always, class O = always>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w, bytes budget,
                                  plan_options const& options = {},
                                  gradient_dependencies<I, O> const& depends = {}) const {
        using time_type = weight_value_t<decltype(w.time), Graph>;
        using vertex = training_vertex<vertex_t<Graph>>;
        auto const training = make_training_graph(g, w, depends);
        training_vertices const of_caller(g, training);
        auto found = (*this)(training, budget, options);
        automatic_plan<time_type, vertex> out{.lower_bound = found.lower_bound,
                                              .proven = found.proven,
                                              .floor = {.size = found.floor.size},
                                              .strategy = std::move(found.strategy)};
        if (training.flow.operation_count() > 0) out.floor.vertex = of_caller(found.floor.vertex);
        if (found.plan) out.plan = map_vertices(*found.plan, of_caller);
        return out;
    }
    template <computation_graph Graph, vertex_weight<Graph> Time = unit_weight,
              memory_weight<Graph> Memory = unit_weight, class I = always, class O = always>
    [[nodiscard]] auto operator()(Graph const& g, bytes budget, Time time = {}, Memory memory = {},
                                  gradient_dependencies<I, O> const& depends = {}) const {
        return (*this)(g, weights{std::move(time), std::move(memory)}, budget, {}, depends);
    }
    /// With options, and unit times and sizes.
    template <computation_graph Graph>
    [[nodiscard]] auto operator()(Graph const& g, bytes budget, plan_options const& options) const {
        return (*this)(g, weights{unit_weight{}, unit_weight{}}, budget, options);
    }
    /// Names the weight that does not fit the graph's vertices.
    template <computation_graph Graph, class... W, class... Rest,
              class UnmetRequirement = unmet_weight<weights<W...>, Graph>>
        requires(!weights_for<weights<W...>, Graph>)
    void operator()(Graph const&, weights<W...> const&, Rest const&...) const = delete;
    /// Names what keeps a type from being a graph.
    template <class Graph, class... Rest, class UnmetRequirement = unmet_requirement<Graph>>
        requires(!computation_graph<Graph> && !is_training_graph<Graph>)
    void operator()(Graph const&, Rest const&...) const = delete;
};

struct plan_curve_fn {
    template <quantity Time, class Observer = no_progress>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, std::span<bytes const> budgets,
                                  plan_options const& options = {}, Observer&& observer = {}) const
        -> std::vector<automatic_plan<Time>> {
        training_graph<Time> const* const none = nullptr;
        return plans_for(flow, none, budgets, options, observer);
    }
    template <quantity Time, class Observer = no_progress>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, std::span<bytes const> budgets,
                                  plan_options const& options = {}, Observer&& observer = {}) const
        -> std::vector<automatic_plan<Time>> {
        return plans_for(training.flow, &training, budgets, options, observer);
    }
};

}  // namespace detail

/// The automatic planner: a schedule within a budget whose time is near the least there is, and a proof of how near.
/// Any dataflow will do, forward or with gradients, with or without separators; every operation that is recomputable
/// may run any number of times. The plan's replayed peak and, unless the options say otherwise, its arena are within
/// the budget.
///
/// The lower bound holds for schedules without steps in place and without copies to the host pool. It comes from a
/// relaxation at one cut of the schedule, the first run of an operation (`best_cut_bound`), or at a sequence of up to
/// eight cuts (`multi_cut_bound`), by Lagrangian relaxation, minimum cuts and branch and bound in whole numbers, and
/// from core-guided MaxSAT on small graphs (`max_sat_bound`). The plan comes from what the relaxations keep, from
/// greedy eviction, from best-first search of up to 64 operations (`optimal_pebbling`), from the other strategies on
/// small training graphs (up to 3,000 operations, and 600 for `best_canonical`), and from simulated annealing of a
/// population of sequences (`annealing_search`). Jain et al. 2020 (Checkmate) solve the same problem as an integer
/// programme, of which the cuts are a relaxation.
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

/// Plans for several budgets, in their order, each from the one below: a larger budget never gives a slower plan, nor a
/// greater bound. Otherwise as `plan`.
inline constexpr detail::plan_curve_fn plan_curve{};

}  // namespace repebble::inline v0

#endif
