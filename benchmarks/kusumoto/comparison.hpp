#ifndef KUSUMOTO_COMPARISON_HPP
#define KUSUMOTO_COMPARISON_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/lower_sets/detail/lower_set.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/io/network.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/graph/lower_sets/lower_sets.hpp>
#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/recompute/best_canonical.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "chainer.hpp"
#include "subjects.hpp"

namespace repebble::kusumoto {

// ---- the plans -----------------------------------------------------------------------------------------------------

using figures = std::array<bytes, column_count>;
/// Bytes of one network, a figure per column.
struct tables {
    figures with_liveness{};
    figures without_liveness{};
};

/// Budgets above the least one at which the approximate DP is asked again, and its columns there.
inline constexpr std::array<double, 4> more_budget{1.0, 1.05, 1.1, 1.2};
using at_more_budget = std::array<std::array<bytes, 2>, more_budget.size()>;

/// The canonical schedule of least replayed peak, with the least overhead for that; and beside it the DP column of least
/// peak. Bytes with what lies beside, times in units.
struct least_real {
    bytes peak = 0;
    std::int64_t overhead = 0;
    std::size_t other = 0;  ///< the column
    bytes other_peak = 0;
    std::int64_t other_overhead = 0;
    std::int64_t overhead_there = 0;  ///< the least within that peak
    std::int64_t keep_all_time = 0;
    bool peak_proven = false, overhead_proven = false, overhead_there_proven = false;
};

/// Of one network: ours on the published graph, the same counted as Chainer runs it, ours on the graph of the builder.
struct comparison {
    std::optional<tables> published{};
    std::optional<tables> as_run{};
    at_more_budget as_run_at_more{};
    tables built{};
    std::optional<least_real> published_least{};
    least_real built_least{};
    bytes as_run_least = 0;                           ///< the same plan as `published_least`, as run
    std::array<bytes, chen> gradients_as_they_come{};  ///< of the builder, with liveness
};

using sequences = std::array<lower_set_sequence, vanilla>;  ///< all columns but the last

/// At the least budget for which formula (2) has a solution, or so many times that: greatest overhead (MC), least
/// overhead (TC).
inline auto at_least_budget(lower_set_family const& family, double times = 1) -> std::array<lower_set_sequence, 2> {
    auto const time = solve_lower_sets(family, {.goal = objective::time});
    auto const budget = static_cast<bytes>(static_cast<double>(time.least_budget().value()) * times);
    auto const memory = solve_lower_sets(family, {.goal = objective::memory, .budget = budget});
    return {memory.sequence(memory.best_within(budget).value()),
            time.sequence(time.best_within(budget).value())};
}

/// Chen et al. 2016 as the published program has it: of the lower sets with one vertex on their boundary, as many as
/// the square root of their number, the first beyond every equal share of the bytes.
inline auto chen_by_bytes(lower_set_family const& all) -> lower_set_sequence {
    auto const& problem = all.problem();
    std::vector<std::pair<bytes, std::size_t>> candidates;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i == 0 || i == all.full() || detail::boundary(problem.graph, all[i]).size() == 1)
            candidates.emplace_back(all[i].sum(problem.memory), i);
    std::ranges::sort(candidates);
    auto const parts = static_cast<bytes>(std::sqrt(static_cast<double>(candidates.size())));
    bytes const share = candidates.back().first / parts;
    std::vector<vertex_set> sets;
    for (bytes limit = share; auto const& [size, i] : candidates) {
        if (size <= limit && i != all.full()) continue;
        while (limit < size) limit += share;
        if (sets.empty() || sets.back().is_subset_of(all[i])) sets.push_back(all[i]);
    }
    return lower_set_sequence::of(sets, problem.vertex_count());
}

/// As many as there are, or the limit.
inline auto lower_set_count(lower_set_problem const& problem, std::size_t limit) -> std::size_t {
    std::size_t count = 0;
    auto sets = lower_sets(problem.graph);
    for (auto it = sets.begin(); it != sets.end() && count < limit; ++it) ++count;
    return count;
}

inline auto sequences_of(lower_set_problem const& problem) -> sequences {
    auto const approximate = at_least_budget(lower_set_family::pruned(problem));
    auto const all = lower_set_family::all(problem, 100'000);
    auto const exact = at_least_budget(all);
    return {approximate[0], approximate[1], exact[0], exact[1], chen_by_bytes(all)};
}

/// Ours: gradients by the paper's convention; replay says what a plan needs. Chen's are Algorithm 1 of 2016, whatever
/// `sqrt_segments` does beyond it: segments of √n operations, cut at articulation points. Without plans, that one
/// alone.
inline auto measure(training_graph const& training, std::optional<sequences> const& all_plans, bytes beside) -> tables {
    planning_graph const graph(training);
    tables out;
    for (std::size_t k = 0; all_plans && k < chen; ++k) {
        auto const& plans = *all_plans;
        out.with_liveness[k] = beside + replay(graph.flow(), canonical(graph, plans[k])).peak;
        out.without_liveness[k] = beside + replay(graph.flow(), canonical_literal(graph, plans[k])).peak;
    }
    auto const chens = detail::sqrt_sequence(graph.problem());
    out.with_liveness[chen] = beside + replay(graph.flow(), canonical(graph, chens)).peak;
    out.without_liveness[chen] = beside + evaluate_formula(graph.problem(), chens).peak;
    return out;
}

/// The fourth objective, beside the best of the sequences.
inline auto least_of(training_graph const& training, sequences const& plans, bytes beside)
    -> std::pair<least_real, lower_set_sequence> {
    planning_graph const graph(training);
    auto const least = best_canonical(graph);
    least_real out{.peak = beside + least.peak, .overhead = least.overhead, .keep_all_time = graph.flow().time_once()};
    for (std::size_t k = 0; k < chen; ++k) {
        auto const cost = replay(graph.flow(), canonical(graph, plans[k]));
        if (k > 0 && beside + cost.peak >= out.other_peak) continue;
        out.other = k;
        out.other_peak = beside + cost.peak;
        out.other_overhead = cost.overhead;
    }
    auto const there = best_canonical(graph, {.budget = out.other_peak - beside});
    out.overhead_there = there.overhead;
    out.peak_proven = least.least_peak == least.peak;
    out.overhead_proven = least.bound == least.overhead;
    out.overhead_there_proven = there.bound == there.overhead;
    return {out, least.sequence.value()};
}

/// What a plan needs if the gradient of a parameter takes memory only from when it is computed.
inline auto peak_as_gradients_come(subject const& built, training_graph const& training, schedule<> const& plan)
    -> bytes {
    auto const profile = replay(training.flow, plan, {.profile = true}).profile;
    bytes beside = built.parameters + built.inputs;
    bytes peak = 0;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        auto const& step = plan.steps[i];
        if (step.what == action::compute && training.origin[step.vertex].pass == pass::backward)
            beside += built.parameters_of[training.origin[step.vertex].vertex];
        peak = std::max(peak, beside + profile[i]);
    }
    return peak;
}

// ---- the plans as Chainer runs them
// ----------------------------------------------------------------------------------

/// The order of a schedule's computations, in which every addition of two gradients comes as soon as both are there.
inline auto additions_at_once(training_graph const& training, schedule<> const& plan) -> std::vector<operation_index> {
    auto const& flow = training.flow;
    auto const is_addition = [&](operation_index v) { return training.origin[v].pass == pass::accumulate; };
    std::vector<std::size_t> missing;
    for (operation_index v = 0; v < flow.operation_count(); ++v) missing.push_back(flow.reads(v).size());
    std::vector<operation_index> order;
    auto const run = [&](auto const& self, operation_index v) -> void {
        order.push_back(v);
        for (auto const value : flow.writes(v))
            for (auto const reader : flow.readers(value))
                if (is_addition(reader) && --missing[reader] == 0) self(self, reader);
    };
    for (auto const& step : plan.steps)
        if (step.what == action::compute && !is_addition(step.vertex)) run(run, step.vertex);
    return order;
}

inline auto peak_with_additions_at_once(training_graph const& training, schedule<> const& plan) -> bytes {
    return replay(training.flow, make_schedule(training.flow, additions_at_once(training, plan))).peak;
}

/// Forward values that gradients read.
inline auto retained_values(training_graph const& training) -> std::vector<value_index> {
    auto const& flow = training.flow;
    auto const is_forward = [&](operation_index v) { return training.origin[v].pass == pass::forward; };
    std::vector<value_index> retained;
    for (value_index value = 0; value < flow.value_count(); ++value)
        if (is_forward(flow.producers(value).front()) &&
            std::ranges::any_of(flow.readers(value), [&](auto v) { return !is_forward(v); }))
            retained.push_back(value);
    return retained;
}

/// Nothing recomputed: what gradients read is retained to the end of the step, for Chainer's graph hangs on the loss.
inline auto peak_of_vanilla(io::network const& net) -> bytes {
    gradient_dependencies const retained{retained_inputs{&net}, retained_outputs{&net}};
    auto const training = make_training_graph(net, net.weights(), retained, convention::executable);
    auto const order = additions_at_once(training, make_schedule(training.flow));
    return replay(training.flow, make_schedule(training.flow, order, retained_values(training))).peak;
}

/// Gradients that read what the published program's functions declare.
inline auto declared_training(io::network const& net, convention how) -> training_graph {
    gradient_dependencies const declared{declared_inputs{&net}, retained_outputs{&net}};
    return make_training_graph(net, net.weights(), declared, how);
}

inline void measure_as_run(subject const& published, training_graph const& by_formula, sequences const& plans,
                           lower_set_sequence const& least, comparison& out) {
    auto const& net = published.net;
    auto const training = declared_training(net, convention::executable);
    planning_graph const graph(training);
    planning_graph const literal(by_formula);
    bytes const beside = published.constant() + function_states(net, true);
    auto const peak = [&](lower_set_sequence const& plan) {
        return beside + peak_with_additions_at_once(training, graph.expand(canonical(graph, plan)));
    };
    tables figures;
    for (std::size_t k = 0; k < plans.size(); ++k) {
        figures.with_liveness[k] = peak(plans[k]);
        figures.without_liveness[k] = beside + replay(literal.flow(), canonical_literal(literal, plans[k])).peak;
    }
    figures.with_liveness[vanilla] = published.constant() + function_states(net, false) + peak_of_vanilla(net);
    figures.without_liveness[vanilla] = figures.with_liveness[vanilla];
    out.as_run = figures;
    out.as_run_least = peak(least);
    auto const pruned = lower_set_family::pruned(graph.problem());
    for (std::size_t i = 0; i < more_budget.size(); ++i) {
        auto const [memory_centric, time_centric] = at_least_budget(pruned, more_budget[i]);
        out.as_run_at_more[i] = {peak(memory_centric), peak(time_centric)};
    }
}

inline void compare_published(subject const& published, comparison& out) {
    auto const& net = published.net;
    auto const weights = net.weights();
    auto const training = declared_training(net, convention::value_grad);
    auto const plans = sequences_of(planning_graph(training).problem());
    out.published = measure(training, plans, published.constant());
    auto const kept =
        make_training_graph(net, weights, gradient_dependencies{retained_inputs{&net}, retained_outputs{&net}});
    out.published->with_liveness[vanilla] = published.constant() + keep_all(kept).cost.peak;
    out.published->without_liveness[vanilla] = out.published->with_liveness[vanilla];
    auto const [figures, least] = least_of(training, plans, published.constant());
    out.published_least = figures;
    measure_as_run(published, training, plans, least, out);
}

/// Without the fourth objective where it is to be cheap, and then without sequences over more lower sets than
/// operations twice.
inline void compare_built(subject const& built, comparison& out, bool cheap) {
    auto const training = io::make_training_graph(built.net);
    planning_graph const graph(training);
    auto const few = 2 * graph.problem().vertex_count();
    std::optional<sequences> plans;
    if (!cheap || lower_set_count(graph.problem(), few) < few) plans = sequences_of(graph.problem());
    out.built = measure(training, plans, built.constant());
    for (std::size_t k = 0; plans && k < chen; ++k)
        out.gradients_as_they_come[k] =
            peak_as_gradients_come(built, training, graph.expand(canonical(graph, (*plans)[k])));
    if (!cheap) out.built_least = least_of(training, *plans, built.constant()).first;
    out.built.with_liveness[vanilla] = built.constant() + keep_all(training).cost.peak;
    out.built.without_liveness[vanilla] = out.built.with_liveness[vanilla];
}

}  // namespace repebble::kusumoto

#endif
