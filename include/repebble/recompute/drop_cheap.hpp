#ifndef REPEBBLE_RECOMPUTE_DROP_CHEAP_HPP
#define REPEBBLE_RECOMPUTE_DROP_CHEAP_HPP

// Drops the results of cheap operations (batch norm, activations, pooling) and recomputes each once: T. Chen, B. Xu, C.
// Zhang, C. Guestrin 2016, section 4.2. A case of `mirror` with counts 0 and 1; the caller says which operations are
// cheap.

#include <concepts>
#include <functional>
#include <optional>
#include <utility>

#include <repebble/graph/access.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/recompute/detail/on_forward_graphs.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

namespace detail {

struct drop_cheap_fn {
    template <std::predicate<operation_index> Cheap>
    [[nodiscard]] auto operator()(training_graph const& training, Cheap const& is_cheap) const -> recompute_plan<> {
        return mirror(training, [&](operation_index v) {
            return training.flow.recomputable(v) && static_cast<bool>(std::invoke(is_cheap, v));
        });
    }

    /// For any computation graph, with gradients by value_grad; the plan is in terms of its own vertices.
    template <computation_graph Graph, class... W, std::predicate<vertex_t<Graph>> Cheap, class I = always,
              class O = always, class P = always>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w, Cheap const& is_cheap,
                                  gradient_dependencies<I, O, P> const& depends = {}) const {
        auto const by_index = vertices_by_index(g);
        auto found = plan_forward_graph(g, w, depends, [&](auto const& training) {
            return std::optional(
                (*this)(training, [&](operation_index v) { return std::invoke(is_cheap, by_index[v]); }));
        });
        return *std::move(found);
    }
};

}  // namespace detail

/// Plan that discards the results of cheap operations and recomputes them once, where gradients read them; all other
/// results are kept. `is_cheap(v)` is asked of forward operations. A view takes the answer of its storage's owner, and
/// an operation that may run only once is kept. For networks from files, `io::is_cheap_in` answers for batch norm,
/// activations and pooling. O((n + m) log n).
inline constexpr detail::drop_cheap_fn drop_cheap{};

}  // namespace repebble::inline v0

#endif
