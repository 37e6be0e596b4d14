#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_REPLAYED_CHOICE_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_REPLAYED_CHOICE_HPP

// Selection of a sequence by replay: samples the breakpoints of a curve by formulas, merges last segments, and then
// keeps more vertices by local search. Used by search_by_replay.hpp, because formula (2) only bounds the replayed peak.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/reachability.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/lower_set_curve.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/detail/canonical/watched_search.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/detail/plan_preference.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

/// Returns the best breakpoint of a curve among those evaluated: all where they are few; else `spread` evenly spaced
/// ones, then ever more densely around the best so far. `better(a, b)` compares results of `evaluate`. Deterministic;
/// from when stop() returns true on, no other is evaluated.
template <class Evaluate, class Better>
[[nodiscard]] auto best_breakpoint(std::size_t count, std::size_t spread, Evaluate&& evaluate, Better&& better,
                                   stop_test stop) -> std::size_t {
    vertex_set seen(count);
    std::size_t best = 0;
    auto least = evaluate(best);
    seen.insert(best);
    auto const look = [&](std::size_t first, std::size_t last) {
        std::size_t const stride = std::max<std::size_t>(1, (last - first) / spread);
        for (std::size_t k = first; k <= last && !stop(); k += stride) {
            if (seen.contains(k)) continue;
            seen.insert(k);
            auto const found = evaluate(k);
            if (!better(found, least)) continue;
            least = found;
            best = k;
        }
        return stride;
    };
    for (std::size_t stride = look(0, count - 1); stride > 1 && !stop();) {
        std::size_t const first = best > stride ? best - stride : 0;
        stride = look(first, std::min(count - 1, best + stride));
    }
    return best;
}

/// Returns the sequence with its last `merged` + 1 segments merged into one, which is kept.
[[nodiscard]] inline auto merge_last(lower_set_sequence sequence, std::size_t merged) -> lower_set_sequence {
    sequence.count -= merged;
    for (auto& s : sequence.segment) s = std::min(s, static_cast<std::uint32_t>(sequence.count - 1));
    return sequence;
}

/// Returns the sequence with the segment of v split in two: the vertices that v needs, and the rest.
[[nodiscard]] inline auto split_at(lower_set_sequence sequence, std::size_t v, vertex_set const& needed)
    -> lower_set_sequence {
    auto const split = sequence.segment[v];
    for (std::size_t u = 0; u < sequence.segment.size(); ++u)
        if (sequence.segment[u] > split || (sequence.segment[u] == split && !needed.contains(u))) ++sequence.segment[u];
    ++sequence.count;
    return sequence;
}

/// Chooses among sequences by the replay of their schedules with liveness. Formula (1) counts the last segment as
/// recomputed, which those schedules keep: so of each sequence as many last segments are merged as a limit on the peak
/// allows. The limit is the budget, or, where the sequence exceeds it, the peak of the sequence.
class replayed_choice {
  public:
    using time_and_peak = typename plan_preference::time_and_peak;
    struct judged_sequence {
        time_and_peak cost;
        lower_set_sequence sequence;
    };

    /// From when stop() returns true on, each step of the search takes what it has.
    replayed_choice(planning_graph const& graph, lower_set_request const& options, stop_test stop)
        : graph_(graph), options_(options), stop_(stop), prefer_{options.budget, options.goal, false} {}

    /// Evaluates the breakpoints of a curve, or a sample of them; returns the best of them.
    auto offer(lower_set_curve const& curve) -> std::optional<std::size_t> {
        if (curve.breakpoints().empty()) return std::nullopt;
        // Replayed peaks vary irregularly between breakpoints, so as many are tried as a fixed amount of work allows.
        auto const spread = std::clamp<std::size_t>(150'000 / (graph_.flow().operation_count() + 1), 48, 400);
        std::optional<judged_sequence> found;  // that of the best breakpoint
        auto const evaluate = [&](std::size_t k) {
            auto judged = merge_best(curve.sequence(k));
            auto const cost = judged.cost;
            if (!found || prefer_(cost, found->cost)) found = std::move(judged);
            return cost;
        };
        auto const at = best_breakpoint(curve.breakpoints().size(), spread, evaluate, prefer_, stop_);
        if (!offered_ || prefer_(found->cost, best_.cost)) best_ = *std::move(found);
        offered_ = true;
        return at;
    }

    /// Local search where the best so far fits: keeps one vertex more at a time, longest first, while that is faster
    /// and still fits. To keep v, a segment ends with the vertices that v needs. Bounded by a fixed amount of work.
    void keep_more() {
        if (!options_.budget || options_.goal != objective::time || !fits() || stop_()) return;
        auto const& problem = graph_.problem();
        auto const before = ancestors(problem.graph);
        std::vector<std::uint32_t> costly;
        for (std::uint32_t v = 0; v < problem.vertex_count(); ++v) costly.push_back(v);
        std::sort(costly.data(), costly.data() + costly.size(), [&](auto u, auto v) {
            if (problem.time[u] > problem.time[v]) return true;
            if (problem.time[v] > problem.time[u]) return false;
            return u < v;
        });
        std::size_t tries = 3'000'000 / (graph_.flow().operation_count() + 1);
        for (bool improved = true; improved;) {
            improved = false;
            for (auto const v : costly) {
                auto const& sequence = best_.sequence;
                bool kept = sequence.segment[v] + 1 == sequence.count;
                for (auto const w : problem.graph.successors(v))
                    kept = kept || sequence.segment[w] > sequence.segment[v];
                if (kept) continue;
                if (tries-- == 0 || stop_()) return;
                auto split = split_at(sequence, v, before[v]);
                auto const tried = replayed(split);
                if (!prefer_(tried, best_.cost)) continue;
                best_ = {tried, std::move(split)};
                improved = true;
            }
        }
    }

    /// The best so far. Requires: a breakpoint was offered.
    [[nodiscard]] auto best() const -> judged_sequence const& { return best_; }
    [[nodiscard]] auto fits() const -> bool { return offered_ && prefer_.fits(best_.cost); }

  private:
    [[nodiscard]] auto replayed(lower_set_sequence const& sequence) const -> time_and_peak {
        auto const cost = cost_of_trial(graph_.flow(), canonical(graph_, sequence));
        return {cost.time, cost.peak};
    }

    [[nodiscard]] auto merge_best(lower_set_sequence sequence) const -> judged_sequence {
        auto best = replayed(sequence);
        bool const to_the_budget = options_.budget && best.peak <= *options_.budget && options_.goal == objective::time;
        bytes const limit = to_the_budget ? *options_.budget : best.peak;
        std::size_t merged = 0;  // greatest merge within the limit; from `end` on the peak exceeds it
        for (std::size_t end = sequence.count; merged + 1 < end && !stop_();) {
            auto const middle = merged + (end - merged) / 2;
            auto const tried = replayed(merge_last(sequence, middle));
            if (tried.peak <= limit && tried.time <= best.time) {
                merged = middle;
                best = tried;
            } else {
                end = middle;
            }
        }
        return {best, merge_last(std::move(sequence), merged)};
    }

    planning_graph const& graph_;
    lower_set_request const& options_;
    stop_test stop_;
    plan_preference prefer_;
    judged_sequence best_;
    bool offered_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
