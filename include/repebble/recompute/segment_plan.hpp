#ifndef REPEBBLE_RECOMPUTE_SEGMENT_PLAN_HPP
#define REPEBBLE_RECOMPUTE_SEGMENT_PLAN_HPP

// The strategy of segments within a budget: T. Chen, B. Xu, C. Zhang, C. Guestrin 2016, section 4.3. Runs
// segment_search.hpp and returns its best plan. Each forward operation is recomputed at most once.

#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>

#include <repebble/allocate/write_in_place.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/recompute/budget_options.hpp>
#include <repebble/recompute/detail/on_forward_graphs.hpp>
#include <repebble/recompute/detail/plan_preference.hpp>
#include <repebble/recompute/search_segments.hpp>
#include <repebble/recompute/segment_trial.hpp>
#include <repebble/recompute/segmented_plan.hpp>

namespace repebble::inline v0 {

namespace detail {

struct segment_plan_fn : on_forward_graphs<segment_plan_fn, budget_options> {
    using on_forward_graphs<segment_plan_fn, budget_options>::operator();

    template <overwrite_rule Rule = never>
    [[nodiscard]] auto operator()(training_graph const& training, segment_options const& options = {},
                                  Rule const& may_overwrite = {}) const -> std::optional<segmented_plan<>> {
        auto found = search_segments(training, options, may_overwrite);
        if (options.candidates.where == cut_points::automatic && needs_more(training, options)) {
            auto other_order = options;
            other_order.candidates.where = cut_points::everywhere;
            other_order.order = options.order == order_rule::by_index ? order_rule::depth_first : order_rule::by_index;
            auto other = search_segments(training, other_order, may_overwrite);
            if (trial_rank(other.winner(), options.budget) < trial_rank(found.winner(), options.budget))
                found = std::move(other);
        }
        if (!found.fits && !options.nearest) return std::nullopt;
        auto& best = found.tried[found.best];
        return segmented_plan<>{std::move(best.plan), best.mirrors.segments};
    }
    /// With a budget only. Judged by replay; cuts are tried at articulation points, at narrow places and everywhere,
    /// and expensive values are kept.
    template <std::same_as<budget_options> Options>
    [[nodiscard]] auto operator()(training_graph const& training, Options const& options, std::size_t threads = 1) const
        -> std::optional<segmented_plan<>> {
        bool const memory = options.goal == objective::memory;
        segment_options search_options{.budget = memory ? std::nullopt : options.budget,
                                       .nearest = true,
                                       .keep_expensive = true,
                                       .measure = memory_measure::peak,
                                       .threads = threads};
        auto best = (*this)(training, search_options);
        plan_preference const prefer{options.budget, options.goal, false};
        auto const cost_of = [](auto const& p) {
            return typename plan_preference::time_and_peak{p->cost.time, p->cost.peak};
        };
        bool const tried_everywhere = needs_more(training, search_options);
        for (auto const where : {cut_points::narrow_places, cut_points::everywhere}) {
            if (where == cut_points::everywhere && tried_everywhere) continue;
            search_options.candidates.where = where;
            auto other = (*this)(training, search_options);
            if (prefer(cost_of(other), cost_of(best))) best = std::move(other);
        }
        if (!prefer.fits(cost_of(best)) && !options.nearest) return std::nullopt;
        return best;
    }
    /// For any computation graph, with gradients by value_grad; the plan is in terms of its own vertices. Candidates
    /// are vertex indices.
    template <computation_graph Graph, class... W, class I = always, class O = always, class P = always>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w, segment_options const& options,
                                  gradient_dependencies<I, O, P> const& depends = {}) const {
        return plan_forward_graph(g, w, depends, [&](auto const& training) { return (*this)(training, options); });
    }

  private:
    /// Whether articulation points are not enough.
    [[nodiscard]] static auto needs_more(training_graph const& training, segment_options const& options) -> bool {
        planning_graph const graph(training);
        return are_everywhere(graph, ordered_numbers(graph, options.order), options.candidates);
    }
};

}  // namespace detail

/// The best plan of `search_segments`. The forward pass is cut into segments at candidate vertices: by default at
/// articulation points, and where these are not enough at every position of the orders by index and depth first, so
/// that towers may run one after the other; or at narrow places, or any set. Values that a later segment reads are
/// kept; the others are recomputed where gradients read them, at most once: in built training graphs at most one more
/// forward pass. With a budget, returns the plan of least overhead that fits it, else the plan of least memory; nothing
/// where none fits. Memory is that of an arena, of shared blocks or the replayed peak, with steps in place where
/// `may_overwrite` (as of `write_in_place`) allows them.
///
/// Takes a training graph and options, or any forward graph. Some ten to forty plans of O((n + m) log n), where every
/// position is a cut also O(n · operations in a segment), at most 10⁸ steps, for each limit; and arenas of those that
/// may be best; with `keep_expensive` up to 1200 plans more for the smallest and as many for the best, most often a
/// tenth of that. Throws bad_graph where a candidate is no forward operation, bad_option where there is no thread,
/// bad_buffer where the alignment is below 1, illegal_schedule where control edges or mutations among forward operations
/// forbid the order of the segments.
inline constexpr detail::segment_plan_fn segment_plan{};

}  // namespace repebble::inline v0

#endif
