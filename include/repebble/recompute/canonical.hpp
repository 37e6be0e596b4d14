#ifndef REPEBBLE_RECOMPUTE_CANONICAL_HPP
#define REPEBBLE_RECOMPUTE_CANONICAL_HPP

// The canonical strategy: from a sequence of lower sets to a schedule (M. Kusumoto, T. Inoue, G. Watanabe, T. Akiba, M.
// Koyama: A graph theoretic framework of recomputation algorithms for memory-efficient backpropagation, 2019, section
// 3). Twice: with liveness, as plans run it, and to the letter, as formulas (1) and (2) describe it. The lower-set
// strategies produce the sequences.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/recompute/detail/segmented_operations.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0 {

namespace detail {

struct canonical_fn {
    /// Runs each forward operation once, segment by segment; then, from the last segment to the first, the
    /// recomputations that its gradients need, and its gradients. The last segment is kept. Values are discarded as
    /// early as liveness allows.
    template <quantity Time>
    [[nodiscard]] auto operator()(planning_graph<Time> const& graph, lower_set_sequence const& sequence) const
        -> schedule<> {
        segmented_operations<Time> const parts(graph, sequence);
        auto const& flow = graph.flow();
        std::vector<operation_index> computations;
        for (auto const& segment : parts.forward)
            computations.insert(computations.end(), segment.begin(), segment.end());

        // A value of segment i that is not kept is recomputed where a gradient of segment i or below, or a recomputed
        // operation, reads it.
        vertex_set missing(flow.operation_count());
        auto const ask_for = [&](operation_index reader) {
            for (auto const value : flow.reads(reader))
                for (auto const u : flow.producers(value))
                    if (graph.number(u) != graph.none && !parts.kept.contains(u) &&
                        parts.segment[u] + 1 < sequence.count)
                        missing.insert(u);
        };
        for (operation_index v = 0; v < flow.operation_count(); ++v)
            if (graph.number(v) == graph.none) ask_for(v);
        for (std::size_t i = sequence.count; i-- > 0;) {
            for (std::size_t k = parts.forward[i].size(); k-- > 0;)
                if (missing.contains(parts.forward[i][k])) ask_for(parts.forward[i][k]);
            for (auto const v : parts.forward[i])
                if (missing.contains(v)) computations.push_back(v);
            computations.insert(computations.end(), parts.backward[i].begin(), parts.backward[i].end());
        }
        return liveness(flow, computations);
    }
};

struct canonical_literal_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(planning_graph<Time> const& graph, lower_set_sequence const& sequence,
                                  bool keep_last = false) const -> schedule<> {
        if (!graph.formulas_apply())
            detail::raise(
                bad_graph("the literal canonical strategy is defined for built training graphs, not for joint ones"));
        segmented_operations<Time> const parts(graph, sequence);
        auto const& flow = graph.flow();
        schedule_builder<Time> out(flow);
        vertex_set resident(flow.value_count());
        auto const compute = [&](operation_index v) {
            out.compute(v);
            for (auto const value : flow.writes(v)) resident.insert(value);
        };
        auto const discard = [&](operation_index v, auto&& is_kept) {
            for (auto const value : flow.writes(v)) {
                if (!resident.contains(value) || is_kept(value)) continue;
                out.discard(value);
                resident.erase(value);
            }
        };
        auto const nothing = [](value_index) { return false; };

        for (std::size_t i = 0; i < sequence.count; ++i) {
            for (auto const v : parts.forward[i]) compute(v);
            if (keep_last && i + 1 == sequence.count) break;
            for (auto const v : parts.forward[i])
                if (!parts.kept.contains(v)) discard(v, nothing);
        }
        for (std::size_t i = sequence.count; i-- > 0;) {
            for (auto const v : parts.forward[i]) {
                bool is_resident = true;
                for (auto const value : flow.writes(v)) is_resident = is_resident && resident.contains(value);
                if (!is_resident) compute(v);
            }
            for (auto const v : parts.backward[i]) compute(v);
            end_of_segment(graph, parts, i, discard);
        }
        return std::move(out).finish();
    }

  private:
    /// Discards after the gradients of V_i all values but U_{i-1}, δ⁻(δ⁺(L_{i-1})) ∖ L_{i-1}, the gradients of
    /// δ⁺(L_{i-1}) ∖ L_{i-1}, and the outputs of those that later gradients read.
    template <quantity Time, class Discard>
    static void end_of_segment(planning_graph<Time> const& graph, segmented_operations<Time> const& parts,
                               std::size_t i, Discard const& discard) {
        auto const& flow = graph.flow();
        auto const& g = graph.problem().graph;
        auto const below = [&](std::size_t number) { return parts.segment[graph.forward(number)] < i; };
        vertex_set above(g.vertex_count());  // δ⁺(L_{i-1}) ∖ L_{i-1}
        vertex_set read(g.vertex_count());   // δ⁻ of that, ∖ L_{i-1}
        for (std::size_t f = 0; f < g.vertex_count(); ++f)
            for (auto const u : g.predecessors(f))
                if (!below(f) && below(u)) above.insert(f);
        above.for_each([&](std::size_t f) {
            for (auto const u : g.predecessors(f))
                if (!below(u)) read.insert(u);
        });
        // Gradients of parameters, whose sums have an order of their own, may run in a lower segment than their users.
        auto const awaited = [&](value_index value) {
            return std::ranges::any_of(flow.readers(value), [&](operation_index r) {
                return graph.is_of_parameter(r) && parts.segment[r] < i;
            });
        };
        for (operation_index v = 0; v < flow.operation_count(); ++v) {
            auto const number = graph.number(v);
            if (number == graph.none) {
                if (parts.segment[v] >= i && !above.contains(graph.gradient_of(v))) discard(v, awaited);
            } else if (!below(number) && !read.contains(number)) {
                discard(v, [&](value_index value) {
                    if (awaited(value)) return true;
                    if (!above.contains(number)) return false;
                    for (auto const reader : flow.readers(value))
                        if (graph.number(reader) == graph.none && parts.segment[reader] < i) return true;
                    return false;
                });
            }
        }
    }
};

}  // namespace detail

/// Schedule of an increasing sequence of lower sets by the canonical strategy, with liveness: the last segment is kept,
/// only values that have a reader are recomputed, and values are discarded after their last reader. Never more time or
/// memory than the literal form. A schedule of `graph.flow()`; `graph.expand` makes it one of the training graph. O((n
/// + m) + steps).
inline constexpr detail::canonical_fn canonical{};

/// Schedule by the canonical strategy to the letter: after V_i all values but ∂(L_i) are discarded, those of the last
/// segment too unless `keep_last`, and after the gradients of V_i those that are not needed below. Under value_grad,
/// with gradients as large as their values that read inputs only, it replays with exactly the overhead of formula (1)
/// and the peak of formula (2). Throws bad_graph for joint graphs. O(k (n + m)).
inline constexpr detail::canonical_literal_fn canonical_literal{};

}  // namespace repebble::inline v0

#endif
