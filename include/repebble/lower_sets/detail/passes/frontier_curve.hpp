#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_FRONTIER_CURVE_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_FRONTIER_CURVE_HPP

// The trade-off curve by one backward pass over frontiers, with links for the traceback. The general engine of
// solve_segments.hpp; dense_curve.hpp is its alternative for few overheads.

#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/next_representable.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/detail/passes/backward_pass.hpp>
#include <repebble/lower_sets/detail/passes/frontier.hpp>
#include <repebble/lower_sets/detail/passes/level_order.hpp>
#include <repebble/lower_sets/lower_set_curve.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>

namespace repebble::inline v0::detail {

/// The curve of a backward pass. `Segments` is as for `backward_pass` and also has vertex_count() and make(i), the set
/// of index i. Owns the segments.
template <class Segments>
class frontier_curve final : public sequence_source {
  public:
    using curve = lower_set_curve;

    template <class Observer>
    [[nodiscard]] static auto solve(Segments segments, lower_set_options const& options, Observer&& observer) -> curve {
        auto source = std::make_shared<frontier_curve>(std::move(segments));
        auto breakpoints = source->search(options, observer);
        return {std::move(breakpoints), std::move(source)};
    }
    explicit frontier_curve(Segments segments) : segments_(std::move(segments)) {}

    [[nodiscard]] auto sequence(std::size_t breakpoint) const -> lower_set_sequence override {
        std::vector<vertex_set> sets;
        for (auto at = firsts_[breakpoint]; at.set != 0; at = links_[at.set][at.position])
            sets.push_back(segments_.make(at.set));
        return lower_set_sequence::of(sets, segments_.vertex_count());
    }

  private:
    template <class Observer>
    [[nodiscard]] auto search(lower_set_options const& options, Observer& observer) {
        // A sum of all times may be a little more in another order.
        std::int64_t const whole = segments_.time();
        pass_limits const limits{options.goal,
                                 options.goal == objective::time ? options.overhead.value_or(whole) : whole,
                                 options.budget.value_or(std::numeric_limits<bytes>::max()), options.resolution};
        auto const everything = [](auto const&...) { return true; };
        level_order order(segments_, options.threads);
        return trace(backward_pass(
                         segments_, order, limits, [&](std::size_t) { return everything; }, everything, observer)
                         .sets,
                     options.goal);
    }

    [[nodiscard]] auto trace(std::vector<frontier> const& frontiers, objective goal) {
        // The breakpoints are the points of ∅ that no other dominates in true overhead and budget.
        frontier_order const order{goal == objective::time};
        auto const& by_budget = frontiers[0].points;
        auto points = by_budget;
        order.sort(points);
        std::vector<typename curve::breakpoint> breakpoints;
        for (auto const& e : points) {
            if (!breakpoints.empty() && e.budget >= breakpoints.back().budget) continue;
            breakpoints.push_back({e.overhead, e.budget, e.bound});
            firsts_.push_back(e.next);
        }
        // The bound of a breakpoint must hold for all budgets below that of the one before it.
        std::size_t left = by_budget.size();
        for (std::size_t k = breakpoints.size(); k-- > 0;) {
            auto& bound = breakpoints[k].bound;
            auto const improve = [&](std::int64_t other) { bound = order.better(other, bound) ? other : bound; };
            if (k + 1 < breakpoints.size()) improve(breakpoints[k + 1].bound);
            for (; left > 0 && (k == 0 || by_budget[left - 1].budget < breakpoints[k - 1].budget); --left)
                improve(by_budget[left - 1].bound);
        }
        std::vector<frontier_link> links;
        for (auto const& f : frontiers) {
            links.clear();
            for (auto const& e : f.points) links.push_back(e.next);
            links_.append(links);
        }
        return breakpoints;
    }

    Segments segments_;
    std::vector<frontier_link> firsts_;  // by breakpoint
    jagged_array<frontier_link> links_;  // by set and entry: the next entry; set 0 ends a sequence
};

}  // namespace repebble::inline v0::detail

#endif
