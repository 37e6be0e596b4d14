#ifndef REPEBBLE_RECOMPUTE_LOWER_SET_SEARCH_HPP
#define REPEBBLE_RECOMPUTE_LOWER_SET_SEARCH_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/formula.hpp>
#include <repebble/recompute/lower_set_curve.hpp>
#include <repebble/recompute/lower_set_family.hpp>
#include <repebble/recompute/plan_preference.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/strategy_options.hpp>

namespace repebble::detail {

/// Solves a family ever more finely until what `choose` picks from the curve (a breakpoint; nothing ends the search) is
/// proven, by the curve's own bounds, to lose at most `epsilon`, a share of the forward time. The resolution starts at a
/// small part of that, for losses add up along a sequence. Returns the last curve, the choice and its proven loss.
template <quantity Time, class Choose, class Observer>
[[nodiscard]] auto solve_within(lower_set_family<Time> const& family, lower_set_options<Time> options, double epsilon,
                                Choose&& choose, Observer&& observer) {
    struct result {
        lower_set_curve<Time> curve;
        std::optional<std::size_t> choice;
        double loss = 0;
    };
    auto const forward_time = static_cast<double>(family.time(family.full()));
    double resolution = epsilon * forward_time / 50;
    for (;;) {
        options.resolution = static_cast<Time>(resolution);
        if (options.resolution < Time{1}) options.resolution = Time{};
        result r{solve_lower_sets(family, options, observer), {}, 0};
        r.choice = choose(r.curve);
        if (!r.choice) return r;
        auto const& b = r.curve.breakpoints()[*r.choice];
        if (forward_time > 0)
            r.loss = std::abs(static_cast<double>(b.overhead) - static_cast<double>(b.bound)) / forward_time;
        if (r.loss <= epsilon || options.resolution == Time{}) return r;
        resolution *= std::clamp(0.8 * epsilon / r.loss, 0.125, 0.7);  // the loss is about proportional to it
    }
}

/// Which breakpoints of a curve to replay: all where they are few; else evenly spread ones, then more and more densely
/// around the best so far. `better(a, b)` compares what `evaluate` returned. Deterministic.
template <class Evaluate, class Better>
[[nodiscard]] auto best_breakpoint(std::size_t count, Evaluate&& evaluate, Better&& better) -> std::size_t {
    constexpr std::size_t spread = 48;
    std::map<std::size_t, decltype(evaluate(std::size_t{}))> seen;
    std::size_t best = 0;
    auto const look = [&](std::size_t first, std::size_t last) {
        std::size_t const stride = std::max<std::size_t>(1, (last - first) / spread);
        for (std::size_t k = first; k <= last; k += stride)
            if (!seen.contains(k)) {
                seen.emplace(k, evaluate(k));
                if (k != best && better(seen.at(k), seen.at(best))) best = k;
            }
        return stride;
    };
    seen.emplace(std::size_t{0}, evaluate(0));
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

/// Chooses among sequences by the replay of their real schedules. Formula (1) charges for the last segment, which a real
/// schedule keeps: so of each sequence as many of the last segments are merged into one as the peak allows, which is the
/// budget, or, where that is not met anyway, the peak of the sequence as it is.
template <quantity Time>
class replayed_choice {
  public:
    using candidate = typename plan_preference<Time>::candidate;

    replayed_choice(planning_graph<Time> const& graph, strategy_options const& options)
        : graph_(graph), options_(options), prefer_{options, false} {}

    /// Offers all breakpoints of a curve, or a sample; returns the best of them.
    auto offer(lower_set_curve<Time> const& curve, lower_set_family<Time> const& family) -> std::optional<std::size_t> {
        if (curve.breakpoints().empty()) return std::nullopt;
        auto const at = best_breakpoint(
            curve.breakpoints().size(), [&](std::size_t k) { return merge_best(curve.sequence(family, k)).first; }, prefer_);
        auto found = merge_best(curve.sequence(family, at));
        if (!best_ || prefer_(found.first, best_->first)) best_ = std::move(found);
        return at;
    }

    /// The best so far.  Requires: something was offered.
    [[nodiscard]] auto best() const -> std::pair<candidate, lower_set_sequence> const& { return *best_; }
    [[nodiscard]] auto fits() const -> bool { return best_ && prefer_.fits(best_->first); }

  private:
    [[nodiscard]] auto replayed(lower_set_sequence const& sequence) const -> candidate {
        auto const cost = replay(graph_.flow(), canonical(graph_, sequence));
        return {cost.time, cost.peak};
    }

    [[nodiscard]] auto merge_best(lower_set_sequence sequence) const -> std::pair<candidate, lower_set_sequence> {
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
    std::optional<std::pair<candidate, lower_set_sequence>> best_;
};

/// Plans by a family of lower sets, as `options` ask. Nothing where no schedule fits.
template <quantity Time, class Observer>
[[nodiscard]] auto search_lower_sets(planning_graph<Time> const& graph, lower_set_family<Time> const& family,
                                     strategy_options const& options, Observer&& observer)
    -> std::optional<recompute_plan<Time>> {
    bool const by_formula = options.judge == judged_by::formula && graph.formulas_apply();
    Time const forward_time = family.time(family.full());
    double const epsilon = options.epsilon.value_or(default_epsilon(static_cast<double>(forward_time)));
    if (!(epsilon >= 0 && epsilon <= 1))
        throw bad_weight("epsilon is a share of the forward time, from 0 to 1: " + std::to_string(epsilon));
    lower_set_options<Time> asked{.goal = options.goal};
    if (by_formula) {
        asked.keep_last = options.keep_last;
        if (!options.nearest) asked.budget = options.budget;
    }
    lower_set_sequence sequence;
    double loss = 0;
    if (by_formula) {
        auto const found = solve_within(
            family, asked, epsilon,
            [&](auto const& curve) -> std::optional<std::size_t> {
                auto const least = curve.least_budget();
                if (!least) return std::nullopt;
                auto const within = curve.best_within(options.budget.value_or(*least));
                return within || !options.nearest ? within : curve.breakpoints().size() - 1;
            },
            observer);
        if (!found.choice) return std::nullopt;
        sequence = found.curve.sequence(family, *found.choice);
        loss = found.loss;
    } else {
        // Formula (2) only bounds the replayed peak from above, and loosely: the best real schedule may come from any
        // formula budget, and where memory is tight from the memory-centric curve, whose long segments liveness likes.
        replayed_choice<Time> choice(graph, options);
        loss = solve_within(family, asked, epsilon, [&](auto const& c) { return choice.offer(c, family); }, observer).loss;
        if (options.goal == objective::time) {
            asked.goal = objective::memory;
            asked.resolution = static_cast<Time>(static_cast<double>(forward_time) / 1000);  // only more to choose from
            choice.offer(solve_lower_sets(family, asked, observer), family);
        }
        if (!choice.fits() && !options.nearest) return std::nullopt;
        sequence = choice.best().second;
    }
    auto plan = plan_of(graph, by_formula ? canonical_literal(graph, sequence, options.keep_last)
                                          : canonical(graph, sequence));
    if (graph.formulas_apply()) plan.formula = evaluate_formula(graph.problem(), sequence, options.keep_last);
    plan.segments = sequence.count;
    plan.lower_sets = family.size();
    plan.epsilon = loss;
    return plan;
}

}  // namespace repebble::detail

#endif
