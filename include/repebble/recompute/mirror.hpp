#ifndef REPEBBLE_RECOMPUTE_MIRROR_HPP
#define REPEBBLE_RECOMPUTE_MIRROR_HPP

// Mirroring (Chen et al. 2016, Algorithm 2): a plan from the number of recomputations of each forward operation. The
// common form of drop_cheap, the segment strategies and recursion, which differ in their counts only.
// `detail/segments/mirrored_sequence.hpp` makes the sequence of computations. Also the orders of the forward pass that
// these strategies share.

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
#include <repebble/graph/training/problem.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/detail/segments/mirrored_sequence.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

/// Greatest number of recomputations of each vertex: a callable on vertices that returns an integer or a bool.
template <class F, class Vertex>
concept mirror_count = requires(F const& count, Vertex const& v) {
    { std::invoke(count, v) } -> std::convertible_to<std::uint32_t>;
    requires std::integral<std::remove_cvref_t<std::invoke_result_t<F const&, Vertex const&>>>;
};

namespace detail {

/// Returns the forward operations of a planning graph in the given order, as forward numbers; built gradients run in
/// the reverse order.
[[nodiscard]] inline auto ordered_numbers(planning_graph const& graph, order_rule how) -> std::vector<std::uint32_t> {
    return topological_order(graph.problem().graph, how);
}

/// Returns mirror counts by forward number from a callable on the operations of the training graph.
/// Throws bad_graph where a count is negative, does not fit in 32 bits or mirrors an operation that may run only once.
template <mirror_count<operation_index> Count>
[[nodiscard]] auto counts_by_number(planning_graph const& graph, Count const& count) -> std::vector<std::uint32_t> {
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
            detail::raise(bad_graph("mirror count of vertex " + std::to_string(v) + ": it may run only once"));
    }
    return counts;
}

}  // namespace detail

/// Schedule of the mirrored gradient graph, on the training graph. `count(v)` is m(v) of every forward operation:
///
/// - 0 keeps its result until the backward pass has read it;
/// - 1 discards it and recomputes it when a gradient first reads it;
/// - k > 1 makes k copies: gradients read the last, and the copies of level j < k are read by recomputations on the way
///   there, so that recursion (section 4.4) is a matter of counts.
///
/// The first pass computes everything. Gradients run in reverse order; their recomputations come directly before them;
/// values are discarded as early as liveness allows. A view takes the count of its storage's owner, and an operation
/// that may run only once must have count 0.
///
/// Deviation from the paper: where copies of one level are made before those of another are read, two copies of one
/// result would be resident together. Here each reader takes the newest copy, which is equal, and unread copies are not
/// made. O((n + m) log n + copies log copies + reads of the steps). Throws bad_graph, naming the vertex, for an invalid
/// count, and limit_reached where counts sum to more than 10⁸. The mirrored gradient graph itself, for frameworks that
/// take a graph and not a schedule, is the `unroll` of the plan.
template <mirror_count<operation_index> Count>
[[nodiscard]] auto mirror(problem const& p, Count const& count, order_rule how = order_rule::by_index)
    -> recompute_plan<> {
    planning_graph const graph(detail::training_of(p));
    auto const counts = detail::counts_by_number(graph, count);
    auto const order = detail::ordered_numbers(graph, how);
    detail::mirrored_sequence const sequence(graph, counts, order);
    return detail::plan_of(graph, make_schedule(graph.flow(), sequence.computations()));
}

}  // namespace repebble::inline v0

#endif
