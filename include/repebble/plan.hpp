#ifndef REPEBBLE_PLAN_HPP
#define REPEBBLE_PLAN_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/graph/contract_views.hpp>
#include <repebble/graph/training_graph.hpp>
#include <repebble/pebbling/expand_views.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/automatic_search.hpp>
#include <repebble/recompute/forward_plan.hpp>
#include <repebble/recompute/plan_options.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble {

/// The least budget that every schedule needs, from below: the bytes of one operation, with what it reads and writes.
template <class Vertex = operation_index>
struct memory_floor {
    bytes size = 0;
    Vertex vertex{};

    friend auto operator==(memory_floor const&, memory_floor const&) -> bool = default;
};

/// What the automatic planner says of a budget.
template <quantity Time = std::int64_t, class Vertex = operation_index>
struct automatic_plan {
    /// Nothing where no plan is within the budget (`proven`), or none was found.
    std::optional<recompute_plan<Time, Vertex>> plan{};
    Time lower_bound{};   ///< no schedule within the budget has less overhead
    bool proven = false;  ///< that there is no better plan; where there is none, that there is none
    memory_floor<Vertex> floor{};
    std::string strategy{};  ///< what found the plan

    /// By how much the plan may be above the least time, as a share of it.  Requires: there is a plan.
    [[nodiscard]] auto gap() const -> double {
        REPEBBLE_ASSERT(plan.has_value());
        auto const above = static_cast<double>(plan->cost.overhead) - static_cast<double>(lower_bound);
        auto const least = static_cast<double>(plan->cost.time) - above;
        return proven || above <= 0 || least <= 0 ? 0 : above / least;
    }
    friend auto operator==(automatic_plan const&, automatic_plan const&) -> bool = default;
};

namespace detail {

/// Plans of one dataflow for one budget after the other.
template <quantity Time, class Observer>
class automatic_planner {
  public:
    automatic_planner(dataflow<Time> const& flow, plan_options const& options, Observer& observer)
        : flow_(flow),
          contracted_(contract_views(flow)),
          model_(make_search_model(contracted_.flow)),
          options_(options),
          observer_(observer) {
        auto const least = floor_of(model_);
        if (model_.operation_count() > 0) floor_ = {least.size, contracted_.members[least.operation].front()};
    }

    /// `known`: computations that fit a smaller budget, or are to be tried; those of the result on return.
    [[nodiscard]] auto plan(bytes budget, std::vector<operation_index>& known) -> automatic_plan<Time> {
        automatic_plan<Time> out{.floor = floor_};
        std::vector<operation_index> best;
        auto const offer = [&](std::vector<operation_index> const& computations, char const* strategy) {
            auto made = made_of(computations);
            bytes const needed = options_.arena ? arena_size(made, budget) : made.cost.peak;
            if (needed <= budget && (!out.plan || made.cost.time < out.plan->cost.time)) {
                out.plan = std::move(made);
                out.strategy = strategy;
                best = computations;
            }
            return needed;
        };
        if (!known.empty()) offer(known, "smaller budget");
        bytes inner = budget;
        constexpr int attempts = 4;
        for (int attempt = 0; attempt < attempts && inner >= 0; ++attempt) {
            automatic_search<Observer> search(model_, inner, options_, observer_);
            if (!known.empty()) search.offer("smaller budget", known);
            search.run();
            if (attempt == 0) {
                out.lower_bound = overhead_of(search.lower_bound());
                out.proven = search.infeasible();
            }
            if (!search.best()) break;
            bytes const needed = offer(search.best()->computations, search.best()->name);
            if (needed <= budget) break;
            inner -= needed - budget;  // views, or what lies between buffers
        }
        if (out.plan) out.proven = std::same_as<Time, std::int64_t> && !(out.lower_bound < out.plan->cost.overhead);
        known = std::move(best);
        return out;
    }

  private:
    [[nodiscard]] auto made_of(std::vector<operation_index> const& computations) const -> recompute_plan<Time> {
        recompute_plan<Time> made;
        made.schedule = expand_views(flow_, contracted_, liveness(contracted_.flow, computations));
        made.cost = replay(flow_, made.schedule);
        return made;
    }
    [[nodiscard]] auto arena_size(recompute_plan<Time> const& made, bytes budget) const -> bytes {
        if (made.cost.peak > budget) return made.cost.peak;
        return plan_arena(flow_, made.schedule).size;
    }
    /// Of time beyond what is required, overhead.
    [[nodiscard]] auto overhead_of(std::int64_t above) const -> Time {
        if constexpr (std::same_as<Time, double>) {
            double const all = static_cast<double>(model_.time_once + above) * model_.unit;
            return std::max(0.0, all - flow_.time_once());
        } else {
            return std::max<Time>(0, model_.time_once + above - flow_.time_once());
        }
    }

    dataflow<Time> const& flow_;
    contracted_dataflow<Time> contracted_;
    search_model model_;
    repebble::memory_floor<> floor_;
    plan_options const& options_;
    Observer& observer_;
};

struct plan_fn {
    template <quantity Time, class Observer = no_progress>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, bytes budget, plan_options const& options = {},
                                  Observer&& observer = {}) const -> automatic_plan<Time> {
        REPEBBLE_ASSERT(budget >= 0);
        std::vector<operation_index> known;
        return automatic_planner<Time, std::remove_reference_t<Observer>>(flow, options, observer).plan(budget, known);
    }
    template <quantity Time, class Observer = no_progress>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, bytes budget, plan_options const& options = {},
                                  Observer&& observer = {}) const -> automatic_plan<Time> {
        return (*this)(training.flow, budget, options, observer);
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
        auto const by_index = vertices_by_index(g);
        auto const translate = [&](operation_index v) {
            auto const& origin = training.origin[v];
            return vertex{by_index[origin.vertex], origin.pass, origin.part};
        };
        auto found = (*this)(training, budget, options);
        automatic_plan<time_type, vertex> out{.lower_bound = found.lower_bound,
                                              .proven = found.proven,
                                              .floor = {found.floor.size, translate(found.floor.vertex)},
                                              .strategy = std::move(found.strategy)};
        if (found.plan)
            out.plan = recompute_plan<time_type, vertex>{map_vertices(found.plan->schedule, translate),
                                                         std::move(found.plan->cost)};
        return out;
    }
    template <computation_graph Graph, vertex_weight<Graph> Time = unit_weight,
              memory_weight<Graph> Memory = unit_weight, class I = always, class O = always>
    [[nodiscard]] auto operator()(Graph const& g, bytes budget, Time time = {}, Memory memory = {},
                                  gradient_dependencies<I, O> const& depends = {}) const {
        return (*this)(g, weights{std::move(time), std::move(memory)}, budget, {}, depends);
    }
    /// Says what keeps a type from being a graph.
    template <class Graph, class... Rest, class UnmetRequirement = unmet_requirement<Graph>>
        requires(!computation_graph<Graph> && !is_training_graph<Graph>)
    void operator()(Graph const&, Rest const&...) const = delete;
};

struct plan_curve_fn {
    template <quantity Time, class Observer = no_progress>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, std::span<bytes const> budgets,
                                  plan_options const& options = {}, Observer&& observer = {}) const
        -> std::vector<automatic_plan<Time>> {
        std::vector<std::size_t> order;
        for (std::size_t k = 0; k < budgets.size(); ++k) order.push_back(k);
        std::ranges::sort(order, {}, [&](std::size_t k) { return std::pair(budgets[k], k); });
        std::vector<automatic_plan<Time>> all(budgets.size());
        std::vector<operation_index> known;
        automatic_planner<Time, std::remove_reference_t<Observer>> planner(flow, options, observer);
        for (auto const k : order) {
            REPEBBLE_ASSERT(budgets[k] >= 0);
            all[k] = planner.plan(budgets[k], known);
        }
        // What bounds a budget bounds all that are smaller.
        for (std::size_t i = order.size(); i-- > 1;) {
            auto& less = all[order[i - 1]];
            auto const& more = all[order[i]];
            if (!more.plan && more.proven) less.proven = true;
            if (!(less.lower_bound < more.lower_bound)) continue;
            less.lower_bound = more.lower_bound;
            if (less.plan && !(less.lower_bound < less.plan->cost.overhead)) less.proven = true;
        }
        return all;
    }
    template <quantity Time, class Observer = no_progress>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, std::span<bytes const> budgets,
                                  plan_options const& options = {}, Observer&& observer = {}) const
        -> std::vector<automatic_plan<Time>> {
        return (*this)(training.flow, budgets, options, observer);
    }
};

}  // namespace detail

/// The automatic planner: a schedule within a budget whose time is near the least there is, and a proof of how near.
/// Any dataflow will do, forward or with gradients, with or without separators; any operation may run again, any number
/// of times, but for those that are not recomputable. The plan's replayed peak and, unless the options say otherwise,
/// its arena are within the budget.
///
/// The bound is that of one moment of every schedule (`hold_cut`), exact by whole numbers; the plan comes from what is
/// best to hold at that moment, or from simulated annealing on the sequence of computations. An observer may have
/// `progress(double)`, `improved(overhead, lower_bound)` in whole time units, and `cancelled()`, which ends the search
/// with the best plan so far. Equal calls without a time limit give equal plans.
///
/// Jain et al. 2020 (Checkmate) solve the same problem as an integer program; the moment is a relaxation of theirs.
/// O(moves · (√steps + reads)) and some hundred maximum flows.  Requires: budget >= 0.
inline constexpr detail::plan_fn plan{};

/// Plans for several budgets, in their order, each from the one below: a larger budget never gives a slower plan, nor a
/// greater bound. Otherwise as `plan`.
inline constexpr detail::plan_curve_fn plan_curve{};

}  // namespace repebble

#endif
