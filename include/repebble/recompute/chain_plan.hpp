#ifndef REPEBBLE_RECOMPUTE_CHAIN_PLAN_HPP
#define REPEBBLE_RECOMPUTE_CHAIN_PLAN_HPP

// Plans through the optimal schedule of a chain of stages (Beaumont et al. 2019; of general graphs: Bulatov 2018,
// "Support general graphs"). The forward pass is cut into stages (detail/chain_stages/), `solve_chain` of chains/
// solves the chain, and its schedules are replayed on the graph: the chain counts some values more than once, so its
// budgets only guide.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/recompute/budget_options.hpp>
#include <repebble/recompute/chain_plan_options.hpp>
#include <repebble/recompute/detail/on_forward_graphs.hpp>
#include <repebble/recompute/plan_mirrors.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/segment_cuts.hpp>
#include <repebble/recompute/segmented_plan.hpp>

namespace repebble::inline v0 {

namespace detail {

/// Whether the forward pass is a chain of at least 8 blocks of at most 16 operations between articulation points, as in
/// residual networks and transformers: blocks so small that their choices of saved values are soon enumerated.
[[nodiscard]] auto is_chain_of_blocks(planning_graph const& graph) -> bool;

struct chain_plan_fn : on_forward_graphs<chain_plan_fn, budget_options> {
    using on_forward_graphs<chain_plan_fn, budget_options>::operator();

    [[nodiscard]] auto operator()(training_graph const& training, chain_plan_options const& options = {}) const
        -> std::optional<segmented_plan<>> {
        return (*this)(planning_graph(training), options);
    }
    /// From when stop() returns true on, no other stages are tried.
    [[nodiscard]] auto operator()(planning_graph const& graph, chain_plan_options const& options,
                                  stop_test stop = never_stop{}) const -> std::optional<segmented_plan<>> {
        return best_of(graph, options, std::span(&options.candidates, 1), stop);
    }
    /// With a budget only. Tries stages that end at articulation points, at narrow places, and everywhere where the
    /// first are not enough; returns the best plan.
    template <std::same_as<budget_options> Options>
    [[nodiscard]] auto operator()(training_graph const& training, Options const& options, std::size_t threads = 1) const
        -> std::optional<segmented_plan<>> {
        bool const memory = options.goal == objective::memory;
        planning_graph const graph(training);
        std::vector<segment_candidates> const kinds{{}, {.where = cut_points::narrow_places}};
        auto best = best_of(
            graph,
            chain_plan_options{.budget = memory ? std::nullopt : options.budget, .nearest = true, .threads = threads},
            std::span(kinds), never_stop{});
        if (best && !options.nearest && options.budget && best->cost.peak > *options.budget) return std::nullopt;
        return best;
    }
    /// For any computation graph, with gradients by value_grad; the plan is in terms of its own vertices. Candidates
    /// are vertex indices.
    template <computation_graph Graph, class... W, class I = always, class O = always, class P = always>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w, chain_plan_options const& options,
                                  gradient_dependencies<I, O, P> const& depends = {}) const {
        return plan_forward_graph(g, w, depends, [&](auto const& training) { return (*this)(training, options); });
    }

  private:
    [[nodiscard]] static auto best_of(planning_graph const& graph, chain_plan_options const& options,
                                      std::span<segment_candidates const> places, stop_test stop)
        -> std::optional<segmented_plan<>>;

    /// Returns the number of candidates up to the last that fits, by galloping search from `expected`: the chain counts
    /// some values twice that are resident once, so more may fit than it predicts.
    template <class Fits>
    [[nodiscard]] static auto find_last(std::size_t expected, std::size_t count, Fits const& fits) -> std::size_t {
        std::size_t known = expected, beyond = count;  // all before `known` fit, none from `beyond` on
        if (expected > 0 && !fits(expected - 1)) {
            known = 0;
            beyond = expected - 1;
        }
        for (std::size_t leap = 1; known < beyond; leap *= 2) {
            auto const next = std::min(known + leap, beyond) - 1;
            if (fits(next)) {
                known = next + 1;
                continue;
            }
            beyond = next;
            break;
        }
        while (known < beyond) {
            auto const middle = known + (beyond - known) / 2;
            if (fits(middle)) {
                known = middle + 1;
            } else {
                beyond = middle;
            }
        }
        return known;
    }
};

}  // namespace detail

/// The best plan by the stages of a chain. The forward pass is cut into stages at candidate vertices: by default at
/// articulation points, and where these are not enough also wherever few bytes cross a position of the orders by index
/// and depth first. Each stage runs forward and saves nothing, some or all of its values, by the exact dynamic program
/// of `solve_chain`. Its schedules are replayed on the graph, and the last on the curve that fits is returned. For
/// networks that are chains of blocks: transformers, residual and recurrent networks.
///
/// Takes a training graph and options, or any forward graph. Costs as much as `solve_chain`, in bytes or in slots,
/// for long chains, and some ten replays, for each length of stages tried. Returns nothing where no plan fits. Throws
/// bad_graph where a candidate is no forward operation, bad_weight where there is no slot.
inline constexpr detail::chain_plan_fn chain_plan{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/chain_plan.ipp>
#endif

#endif
