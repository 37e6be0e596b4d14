#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_REPLAYED_CHOICE_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_REPLAYED_CHOICE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/reachability.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/lower_set_curve.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/detail/plan_preference.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/strategy_options.hpp>

namespace repebble::inline v0::detail {

/// Which breakpoints of a curve to replay: all where they are few; else `spread` evenly spread ones, then more and more
/// densely around the best so far. `better(a, b)` compares what `evaluate` returned. Deterministic.
template <class Evaluate, class Better>
[[nodiscard]] auto best_breakpoint(std::size_t count, std::size_t spread, Evaluate&& evaluate, Better&& better)
    -> std::size_t {
    vertex_set seen(count);
    std::size_t best = 0;
    auto least = evaluate(best);
    seen.insert(best);
    auto const look = [&](std::size_t first, std::size_t last) {
        std::size_t const stride = std::max<std::size_t>(1, (last - first) / spread);
        for (std::size_t k = first; k <= last; k += stride) {
            if (seen.contains(k)) continue;
            seen.insert(k);
            auto const found = evaluate(k);
            if (!better(found, least)) continue;
            least = found;
            best = k;
        }
        return stride;
    };
    for (std::size_t stride = look(0, count - 1); stride > 1;) {
        std::size_t const first = best > stride ? best - stride : 0;
        stride = look(first, std::min(count - 1, best + stride));
    }
    return best;
}

/// The sequence whose last `merged` + 1 segments are one, which is kept.
[[nodiscard]] inline auto merge_last(lower_set_sequence sequence, std::size_t merged) -> lower_set_sequence {
    sequence.count -= merged;
    for (auto& s : sequence.segment) s = std::min(s, static_cast<std::uint32_t>(sequence.count - 1));
    return sequence;
}

/// The sequence in which the segment of v is two: what v needs of it, and the rest.
[[nodiscard]] inline auto split_at(lower_set_sequence sequence, std::size_t v, vertex_set const& needed)
    -> lower_set_sequence {
    auto const split = sequence.segment[v];
    for (std::size_t u = 0; u < sequence.segment.size(); ++u)
        if (sequence.segment[u] > split || (sequence.segment[u] == split && !needed.contains(u))) ++sequence.segment[u];
    ++sequence.count;
    return sequence;
}

/// Chooses among sequences by the replay of their real schedules. Formula (1) charges for the last segment, which a
/// real schedule keeps: so of each sequence as many of the last segments are merged into one as the peak allows, which
/// is the budget, or, where that is not met anyway, the peak of the sequence as it is.
template <quantity Time>
class replayed_choice {
  public:
    using candidate = typename plan_preference<Time>::candidate;
    struct judged_sequence {
        candidate cost;
        lower_set_sequence sequence;
    };

    replayed_choice(planning_graph<Time> const& graph, strategy_options const& options)
        : graph_(graph), options_(options), prefer_{options, false} {}

    /// Offers all breakpoints of a curve, or a sample; returns the best of them.
    auto offer(lower_set_curve<Time> const& curve) -> std::optional<std::size_t> {
        if (curve.breakpoints().empty()) return std::nullopt;
        // Replayed peaks jump from one breakpoint to the next: the more are tried the better, as far as time allows.
        auto const spread = std::clamp<std::size_t>(150'000 / (graph_.flow().operation_count() + 1), 48, 400);
        auto const at = best_breakpoint(
            curve.breakpoints().size(), spread, [&](std::size_t k) { return merge_best(curve.sequence(k)).cost; },
            prefer_);
        auto found = merge_best(curve.sequence(at));
        if (!offered_ || prefer_(found.cost, best_.cost)) best_ = std::move(found);
        offered_ = true;
        return at;
    }

    /// Where the best so far fits: keeps one vertex more after the other, costly ones first, as far as that is faster
    /// and still fits. To keep v is to end a segment with what v needs. Tries as many as a fixed amount of work allows.
    void keep_more() {
        if (!options_.budget || options_.goal != objective::time || !fits()) return;
        auto const& problem = graph_.problem();
        auto const before = ancestors(problem.graph);
        std::vector<std::uint32_t> costly;
        for (std::uint32_t v = 0; v < problem.vertex_count(); ++v) costly.push_back(v);
        std::sort(costly.data(), costly.data() + costly.size(), [&](auto u, auto v) {
            return problem.time[u] != problem.time[v] ? problem.time[u] > problem.time[v] : u < v;
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
                if (tries-- == 0) return;
                auto split = split_at(sequence, v, before[v]);
                auto const tried = replayed(split);
                if (!prefer_(tried, best_.cost)) continue;
                best_ = {tried, std::move(split)};
                improved = true;
            }
        }
    }

    /// The best so far.  Requires: something was offered.
    [[nodiscard]] auto best() const -> judged_sequence const& { return best_; }
    [[nodiscard]] auto fits() const -> bool { return offered_ && prefer_.fits(best_.cost); }

  private:
    [[nodiscard]] auto replayed(lower_set_sequence const& sequence) const -> candidate {
        auto const cost = replay(graph_.flow(), canonical(graph_, sequence));
        return {cost.time, cost.peak};
    }

    [[nodiscard]] auto merge_best(lower_set_sequence sequence) const -> judged_sequence {
        auto best = replayed(sequence);
        bool const to_the_budget = options_.budget && best.peak <= *options_.budget && options_.goal == objective::time;
        bytes const limit = to_the_budget ? *options_.budget : best.peak;
        std::size_t most = 0;  // merged so far; beyond `end` the peak was too high
        for (std::size_t end = sequence.count; most + 1 < end;) {
            auto const middle = most + (end - most) / 2;
            auto const tried = replayed(merge_last(sequence, middle));
            if (tried.peak <= limit && tried.time <= best.time) {
                most = middle;
                best = tried;
            } else {
                end = middle;
            }
        }
        return {best, merge_last(std::move(sequence), most)};
    }

    planning_graph<Time> const& graph_;
    strategy_options const& options_;
    plan_preference<Time> prefer_;
    judged_sequence best_;
    bool offered_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
