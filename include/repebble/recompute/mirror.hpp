#ifndef REPEBBLE_RECOMPUTE_MIRROR_HPP
#define REPEBBLE_RECOMPUTE_MIRROR_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <repebble/graph/access.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/unroll.hpp>
#include <repebble/recompute/detail/on_forward_graphs.hpp>
#include <repebble/recompute/detail/segments/mirrored_sequence.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

/// How often each vertex is computed again at most: a callable on vertices that returns a whole number, or a bool.
template <class F, class Vertex>
concept mirror_count = requires(F const& count, Vertex const& v) {
    { std::invoke(count, v) } -> std::convertible_to<std::uint32_t>;
    requires std::integral<std::remove_cvref_t<std::invoke_result_t<F const&, Vertex const&>>>;
};

/// The order of the forward pass of a plan; built gradients come in the reverse of it.
enum class forward_order : std::uint8_t {
    by_index,     ///< least index first: the order in which the graph was written
    depth_first,  ///< a branch is finished before the next begins: Kusumoto et al. 2019, appendix B
};

namespace detail {

/// The operations of a planning graph's forward part in an order, as forward numbers.
template <quantity Time>
[[nodiscard]] auto ordered_numbers(planning_graph<Time> const& graph, forward_order how) -> std::vector<std::uint32_t> {
    auto const& g = graph.problem().graph;
    return how == forward_order::by_index ? topological_order(g) : topological_order_depth_first(g);
}

/// Mirror counts of forward numbers, of what a callable says of the operations of the training graph.
/// Throws bad_graph where a count is negative, does not fit in 32 bits or mirrors what may run once only.
template <quantity Time, mirror_count<operation_index> Count>
[[nodiscard]] auto counts_by_number(planning_graph<Time> const& graph, Count const& count)
    -> std::vector<std::uint32_t> {
    std::vector<std::uint32_t> counts;
    for (std::size_t f = 0; f < graph.problem().vertex_count(); ++f) {
        auto const v = graph.owner(graph.forward(f));
        auto const raw = std::invoke(count, v);
        using wide = std::conditional_t<std::is_signed_v<decltype(raw)>, std::int64_t, std::uint64_t>;
        if (auto const number = static_cast<wide>(raw); !std::in_range<std::uint32_t>(number))
            detail::raise(bad_graph("mirror count of vertex " + std::to_string(v) + ": " + std::to_string(number) +
                                    " is not a number from 0 to 2^32 - 1"));
        counts.push_back(static_cast<std::uint32_t>(raw));
        if (counts.back() > 0 && graph.problem().pinned.contains(f))
            detail::raise(bad_graph("mirror count of vertex " + std::to_string(v) + ": it may run once only"));
    }
    return counts;
}

struct mirror_fn {
    template <quantity Time, mirror_count<operation_index> Count>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, Count const& count,
                                  forward_order how = forward_order::by_index) const -> recompute_plan<Time> {
        planning_graph<Time> const graph(training);
        auto const counts = counts_by_number(graph, count);
        auto const order = ordered_numbers(graph, how);
        mirrored_sequence<Time> const sequence(graph, counts, order);
        return plan_of(graph, liveness(graph.flow(), sequence.computations()));
    }

    /// On any computation graph, with gradients by value_grad, in terms of its own vertices.
    template <computation_graph Graph, class... W, mirror_count<vertex_t<Graph>> Count, class I = always,
              class O = always>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w, Count const& count,
                                  gradient_dependencies<I, O> const& depends = {},
                                  forward_order how = forward_order::by_index) const {
        auto const by_index = vertices_by_index(g);
        auto found = plan_forward_graph(g, w, depends, [&](auto const& training) {
            return std::optional((*this)(
                training, [&](operation_index v) { return std::invoke(count, by_index[v]); }, how));
        });
        return *std::move(found);
    }
    /// Says what keeps a type from being a graph.
    template <class Graph, class... Rest, class UnmetRequirement = unmet_requirement<Graph>>
        requires(!computation_graph<Graph> && !is_training_graph<Graph>)
    void operator()(Graph const&, Rest const&...) const = delete;
};

struct mirrored_graph_fn {
    template <quantity Time, mirror_count<operation_index> Count>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, Count const& count,
                                  forward_order how = forward_order::by_index) const -> unrolled_dataflow<Time> {
        return unroll(training.flow, mirror_fn{}(training, count, how).schedule);
    }
};

}  // namespace detail

/// Chen et al. 2016, Algorithm 2: the schedule of the mirrored gradient graph, on the training graph. `count(v)` is
/// m(v), of every forward operation: 0 keeps its result until the backward pass has read it; 1 drops it and computes it
/// again when a gradient first needs it; k > 1 gives it k copies, of which gradients read the last and the copies of
/// level j < k what is computed on the way to them, so that recursion (section 4.4) is a matter of counts. The first
/// pass computes everything, gradients come in reverse order, and what they miss comes right before them; all goes as
/// early as liveness allows. Of a view the count is that of the storage's owner; what may run once only must have 0.
///
/// Where the paper's copies of one level are made before those of another are read, two copies of one result would lie
/// in memory at a time: here each reader has the newest, which is equal, and copies that nobody reads are not made.
/// O((n + m) log n + copies log copies + reads of the steps).  Throws bad_graph, naming the vertex of a count that
/// cannot be, and limit_reached where counts sum to more than 10⁸.
inline constexpr detail::mirror_fn mirror{};

/// The mirrored gradient graph itself: originals, copies and gradients as operations of one dataflow, whose index order
/// is the execution order. `liveness` of it replays to the peak of `mirror`'s plan. Frameworks that take a graph and
/// not a schedule run this; `unroll` makes one of any other plan.  Throws as `mirror`.
inline constexpr detail::mirrored_graph_fn mirrored_graph{};

}  // namespace repebble::inline v0

#endif
