#ifndef KUSUMOTO_CHEN_HPP
#define KUSUMOTO_CHEN_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/articulation_points.hpp>
#include <repebble/graph/reachability.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/plan_mirrors.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/search_segments.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "comparison.hpp"
#include "subjects.hpp"

// What "Chen's" can mean.
namespace repebble::kusumoto {

enum class chens : std::size_t { root, no_budget, one_budget, searched, by_bytes, narrow };
inline constexpr std::array chens_names{"√n vertices",
                                        "Algorithm 3, B = 0",
                                        "Algorithm 3, B = √(xy)",
                                        "Algorithm 3, best of the search",
                                        "√k shares of the bytes, as published",
                                        "`segment_plan`, cut at narrow places"};
inline constexpr std::size_t chens_count = chens_names.size();

/// Of one graph.
struct chens_figures {
    std::array<bytes, chens_count> with_liveness{};
    std::array<std::optional<bytes>, chens_count> without_liveness{};
};

/// A plan for a training graph, and the lower sets that its kept vertices end, where they end any.
struct chens_plan {
    schedule<> steps;
    std::optional<lower_set_sequence> sequence;
};

/// Lower sets that end at those articulation points that a mirror plan keeps, and V.
inline auto sequence_of_kept(planning_graph const& graph, mirror_plan const& plan) -> lower_set_sequence {
    auto const& g = graph.problem().graph;
    auto const before = ancestors(g);
    std::vector<vertex_set> sets;
    for (auto const v : articulation_points(g))
        if (plan.counts[graph.owner(graph.forward(v))] == 0) sets.push_back(before[v]);
    std::ranges::sort(sets, {}, [](vertex_set const& set) { return set.size(); });
    for (std::size_t i = 1; i < sets.size(); ++i) sets[i] |= sets[i - 1];
    sets.push_back(vertex_set::full(g.vertex_count()));
    return lower_set_sequence::of(sets, g.vertex_count());
}

/// All plans of one version; the best by the measure at hand counts. Appendix B: orders are depth first, candidates are
/// articulation points. Algorithm 3 to the letter, so that the last segment is computed again.
inline auto plans_of(chens version, training_graph const& training) -> std::vector<chens_plan> {
    planning_graph const graph(training);
    segment_candidates const at_points{.where = cut_points::articulation};
    segment_options options{.candidates = at_points, .measure = memory_measure::peak, .order = order_rule::depth_first};
    auto const by_sequence = [&](lower_set_sequence sequence) {
        return chens_plan{graph.expand(canonical(graph, sequence)), std::move(sequence)};
    };
    auto const by_limit = [&](bytes limit) {
        auto const plan = plan_mirrors(training, limit, at_points, order_rule::depth_first);
        auto const count = [&](operation_index v) { return plan.counts[v]; };
        return chens_plan{mirror(training, count, order_rule::depth_first).schedule, sequence_of_kept(graph, plan)};
    };
    std::vector<chens_plan> plans;
    switch (version) {
        case chens::root:
            plans.push_back(by_sequence(detail::sqrt_sequence(graph.problem())));
            break;
        case chens::no_budget:
            plans.push_back(by_limit(0));
            break;
        case chens::one_budget:
            options.grid = 0;
            for (auto const& t : search_segments(training, {}, options).tried)
                if (t.limit.value_or(0) > 0) plans.push_back(by_limit(*t.limit));
            break;
        case chens::searched:
            for (auto const& t : search_segments(training, {}, options).tried)
                if (t.limit) plans.push_back(by_limit(*t.limit));
            break;
        case chens::by_bytes:
            plans.push_back(by_sequence(chen_by_bytes(lower_set_family::all(graph.problem(), 100'000))));
            break;
        case chens::narrow:
            options.candidates.where = cut_points::narrow_places;
            plans.push_back({search_segments(training, {}, options).winner().plan.schedule, std::nullopt});
            break;
    }
    return plans;
}

/// The least that any plan of each version needs: `peak` says it of a schedule, `literal` judges sequences.
template <class Peak>
[[nodiscard]] auto measure_chens(training_graph const& training, training_graph const& literal, bytes beside,
                                 Peak const& peak) -> chens_figures {
    planning_graph const by_formula(literal);
    chens_figures figures;
    for (std::size_t k = 0; k < chens_count; ++k) {
        figures.with_liveness[k] = std::numeric_limits<bytes>::max();
        for (auto const& plan : plans_of(chens{k}, training)) {
            figures.with_liveness[k] = std::min(figures.with_liveness[k], beside + peak(plan.steps));
            if (!plan.sequence) continue;
            auto const all = beside + replay(by_formula.flow(), canonical_literal(by_formula, *plan.sequence)).peak;
            figures.without_liveness[k] = std::min(figures.without_liveness[k].value_or(all), all);
        }
    }
    return figures;
}

}  // namespace repebble::kusumoto

#endif
