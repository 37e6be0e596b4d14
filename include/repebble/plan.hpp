#ifndef REPEBBLE_PLAN_HPP
#define REPEBBLE_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/baselines/canonical_start.hpp>
#include <repebble/planner/detail/baselines/chain_start.hpp>
#include <repebble/planner/detail/budget_planner.hpp>
#include <repebble/planner/plan_options.hpp>
#include <repebble/recompute/detail/on_forward_graphs.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/save_set.hpp>
#include <repebble/recompute/strategy_options.hpp>

namespace repebble::inline v0 {

namespace detail {

struct no_baselines {
    template <class Offer>
    void operator()(bytes, Offer&&) const {}
    template <class Below, class Observer>
    [[nodiscard]] auto canonical(bytes, Below const&, double, Observer&) const
        -> std::optional<std::vector<operation_index>> {
        return std::nullopt;
    }
};

/// What the older strategies make of small training graphs: the automatic planner is never worse.
template <quantity Time>
struct baselines_of {
    training_graph<Time> const& training;

    /// Their time grows with the square of the operations and more.
    static constexpr std::size_t most_operations = 3000;

    template <class Offer>
    void operator()(bytes budget, Offer&& offer) const {
        if (training.flow.operation_count() > most_operations) return;
        strategy_options const options{.budget = budget};
        auto const offer_plan = [&](char const* name, auto const& found) {
            std::vector<operation_index> operations;
            if (!found) return;
            for (auto const& s : found->schedule.steps)
                if (s.what == action::compute) operations.push_back(s.vertex);
            offer(name, operations);
        };
        try {
            offer_plan("greedy_eviction", greedy_eviction(training, options));
            offer_plan("save_set", save_set(training, options));
            offer_plan("chain", chain_start(training, budget));
        } catch (bad_weight const&) {  // they count bytes that we need not
        }
    }
    template <class Observer>
    [[nodiscard]] auto canonical(bytes budget, std::optional<Time> below, double share, Observer& observer) const {
        return canonical_start(training, budget, below, share, observer);
    }
};

struct plan_fn {
    template <quantity Time, class Observer = no_progress>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, bytes budget, plan_options const& options = {},
                                  Observer&& observer = {}) const -> automatic_plan<Time> {
        REPEBBLE_ASSERT(budget >= 0);
        std::vector<operation_index> known;
        return budget_planner<Time, std::remove_reference_t<Observer>>(flow, options, observer)
            .plan(budget, known, no_baselines{});
    }
    template <quantity Time, class Observer = no_progress>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, bytes budget, plan_options const& options = {},
                                  Observer&& observer = {}) const -> automatic_plan<Time> {
        REPEBBLE_ASSERT(budget >= 0);
        std::vector<operation_index> known;
        return budget_planner<Time, std::remove_reference_t<Observer>>(training.flow, options, observer)
            .plan(budget, known, baselines_of<Time>{training});
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
        return for_budgets(flow, budgets, options, observer, no_baselines{});
    }
    template <quantity Time, class Observer = no_progress>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, std::span<bytes const> budgets,
                                  plan_options const& options = {}, Observer&& observer = {}) const
        -> std::vector<automatic_plan<Time>> {
        return for_budgets(training.flow, budgets, options, observer, baselines_of<Time>{training});
    }

  private:
    template <quantity Time, class Observer, class Baselines>
    [[nodiscard]] static auto for_budgets(dataflow<Time> const& flow, std::span<bytes const> budgets,
                                          plan_options const& options, Observer& observer, Baselines const& baselines)
        -> std::vector<automatic_plan<Time>> {
        std::vector<std::size_t> order;
        for (std::size_t k = 0; k < budgets.size(); ++k) order.push_back(k);
        std::ranges::sort(order, {}, [&](std::size_t k) { return std::pair(budgets[k], k); });
        std::vector<automatic_plan<Time>> all(budgets.size());
        std::vector<operation_index> known;
        budget_planner<Time, Observer> planner(flow, options, observer);
        for (auto const k : order) {
            REPEBBLE_ASSERT(budgets[k] >= 0);
            all[k] = planner.plan(budgets[k], known, baselines);
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
};

}  // namespace detail

/// The automatic planner: a schedule within a budget whose time is near the least there is, and a proof of how near.
/// Any dataflow will do, forward or with gradients, with or without separators; any operation may run again, any number
/// of times, but for those that are not recomputable. The plan's replayed peak and, unless the options say otherwise,
/// its arena are within the budget.
///
/// The bound holds for schedules without steps in place and without copies to the host pool. It is that of one
/// moment of every schedule (`first_run_cut`) or of up to eight at once (`multi_cut_bound`), decided by branch and
/// bound on what is held at each and what runs again between two (`multi_cut_search`), where need be for each order of
/// some operations by itself (`disjunctive_bound`), exact by whole numbers; the plan comes from what is best to hold at
/// such moments, also with what would hold too much when it runs again held instead (`repair_by_forcing`), and made to
/// fit moment by moment (`forward_repair`), from greedy eviction, from an exhaustive search of up to 64 operations
/// (`pebbling_search`), or from simulated annealing on the sequence of computations, of a population of plans that
/// cross (`annealing_search`). On training graphs of up to 3000 operations what `greedy_eviction` and `save_set`
/// give is tried, too, and `chain_plan` where they are chains of small blocks; and up to 600 operations what
/// `best_canonical` finds with about a second's work at most. An observer may have `progress(double)`,
/// `improved(overhead, lower_bound)` in whole time units, and `cancelled()`, which ends the search with the best
/// plan so far; it is called on the calling thread only. Where the arena of the best plan is too large, slower ones
/// are tried, another attempt begins, and what was told begins anew; at last eviction within less and less. Equal
/// calls without a time limit give equal plans, whatever the number of threads.
///
/// Jain et al. 2020 (Checkmate) solve the same problem as an integer program; moments are a relaxation of it.
/// O(moves · (√steps + reads)) and maximum flows, thousands of small graphs and a few dozen of large ones: nearly
/// linear up to 50,000 operations.  Requires: budget >= 0.  Throws bad_option, and bad_weight where times sum to more
/// than 2^58.
inline constexpr detail::plan_fn plan{};

/// Plans for several budgets, in their order, each from the one below: a larger budget never gives a slower plan, nor a
/// greater bound. Otherwise as `plan`.
inline constexpr detail::plan_curve_fn plan_curve{};

}  // namespace repebble::inline v0

#endif
