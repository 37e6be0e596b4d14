#ifndef REPEBBLE_RECOMPUTE_CANONICAL_HPP
#define REPEBBLE_RECOMPUTE_CANONICAL_HPP

// The canonical strategy: from a sequence of lower sets to a schedule (M. Kusumoto, T. Inoue, G. Watanabe, T. Akiba, M.
// Koyama: A graph theoretic framework of recomputation algorithms for memory-efficient backpropagation, 2019, section
// 3). Twice: with liveness, as plans run it, and to the letter, as formulas (1) and (2) describe it. The lower-set
// strategies produce the sequences.

#include <algorithm>
#include <cstddef>
#include <optional>

#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/recompute/detail/segmented_operations.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0 {

namespace detail {

struct canonical_literal_fn {
    [[nodiscard]] auto operator()(planning_graph const& graph, lower_set_sequence const& sequence,
                                  bool keep_last = false) const -> schedule<>;

  private:
    /// Discards after the gradients of V_i all values but U_{i-1}, δ⁻(δ⁺(L_{i-1})) ∖ L_{i-1}, the gradients of
    /// δ⁺(L_{i-1}) ∖ L_{i-1}, and the outputs of those that later gradients read.
    template <class Discard>
    static void end_of_segment(planning_graph const& graph, segmented_operations const& parts, std::size_t i,
                               Discard const& discard) {
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

/// `canonical`; nothing where stop() returns true before it is made.
[[nodiscard]] auto canonical_until(planning_graph const& graph, lower_set_sequence const& sequence, stop_test stop)
    -> std::optional<schedule<>>;

}  // namespace detail

/// Schedule of an increasing sequence of lower sets by the canonical strategy, with liveness: the last segment is kept,
/// only values that have a reader are recomputed, and values are discarded after their last reader. Never more time or
/// memory than the literal form. A schedule of `graph.flow()`; `graph.expand` makes it one of the training graph. O((n
/// + m) + steps).
/// Runs each forward operation once, segment by segment; then, from the last segment to the first, the
/// recomputations that its gradients need, and its gradients. The last segment is kept. Values are discarded as
/// early as liveness allows.
[[nodiscard]] auto canonical(planning_graph const& graph, lower_set_sequence const& sequence) -> schedule<>;

/// Schedule by the canonical strategy to the letter: after V_i all values but ∂(L_i) are discarded, those of the last
/// segment too unless `keep_last`, and after the gradients of V_i those that are not needed below. Under value_grad,
/// with gradients as large as their values that read inputs only, it replays with exactly the overhead of formula (1)
/// and the peak of formula (2). Throws bad_graph for joint graphs. O(k (n + m)).
inline constexpr detail::canonical_literal_fn canonical_literal{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/canonical.ipp>
#endif

#endif
