#ifndef REPEBBLE_GRAPH_TRAINING_MAKE_TRAINING_GRAPH_HPP
#define REPEBBLE_GRAPH_TRAINING_MAKE_TRAINING_GRAPH_HPP

// From a forward graph to its training graph (gradients built), or from a joint graph of a framework (passes given).
// The entry to all planning of training.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/invoke_on_vertex.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/graph/access.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/training/convention.hpp>
#include <repebble/graph/training/detail/gradient_builder.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/graph/training/trained_parameter.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/training/training_vertex.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/unmet_weight.hpp>
#include <repebble/graph/weights.hpp>

namespace repebble::inline v0 {

namespace detail {

struct make_training_graph_fn : takes_graph, takes_weights {
    using takes_graph::operator();
    using takes_weights::operator();

    /// From a forward dataflow and the values that its gradients need.
    [[nodiscard]] auto operator()(dataflow const& forward, gradient_needs const& needs,
                                  convention how = convention::value_grad,
                                  std::vector<bytes> const& gradient_memory = {},
                                  std::vector<trained_parameter> const& parameters = {},
                                  std::vector<operation_index> const& without_gradient = {},
                                  std::vector<value_index> const& values_without_gradient = {}) const
        -> training_graph {
        return gradient_builder(forward, needs, gradient_memory, parameters, without_gradient, values_without_gradient)
            .build(how);
    }

    /// From the joint graph of a framework, whose operations have their passes given: a hint, for what depends on the
    /// backward pass is of it, such as the second of two microbatches.
    [[nodiscard]] auto operator()(dataflow flow, std::vector<pass> const& passes) const -> training_graph {
        if (passes.size() != flow.operation_count())
            detail::raise(bad_graph("a pass is given for " + std::to_string(passes.size()) + " of " +
                                    std::to_string(flow.operation_count()) + " operations"));
        training_graph t{std::move(flow), {}, convention::joint};
        for (operation_index v = 0; v < passes.size(); ++v) t.origin.push_back({v, passes[v], 0});
        for (auto const v : t.flow.order())
            for (auto const u : t.flow.graph().predecessors(v))
                if (t.origin[u].pass == pass::backward) t.origin[v].pass = pass::backward;
        return t;
    }

    /// From any computation graph with declared dependencies.
    template <computation_graph Graph, class... W, class I = always, class O = always, class P = always>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w,
                                  gradient_dependencies<I, O, P> const& depends = {},
                                  convention how = convention::value_grad,
                                  std::vector<trained_parameter> const& parameters = {}) const {
        auto const forward = make_dataflow(g, w);
        std::vector<operation_index> operations;
        std::vector<value_index> values;
        for (auto&& each : vertices(g)) {
            auto const v = static_cast<vertex_t<Graph>>(each);
            auto const own = forward.writes(vertex_index(g, v));
            bool any = false;
            for (std::uint32_t j = 0; j < std::max<std::size_t>(own.size(), 1); ++j) {
                bool const passes = holds_for_output(depends.passes, v, j);
                any = any || passes;
                if (!passes && j < own.size()) values.push_back(own[j]);
            }
            if (!any) operations.push_back(static_cast<operation_index>(vertex_index(g, v)));
        }
        return (*this)(forward, find_gradient_needs(g, forward, depends), how, {}, parameters, operations, values);
    }
};

}  // namespace detail

/// The training graph of a forward graph: its operations, and their gradients by one of three conventions (see
/// `convention`). A view's gradient is part of its owner's. `gradient_memory`, where it is given, has the bytes of the
/// gradient of every forward operation's output; by default they are those of its first output that has one. Operations
/// `without_gradient`, through which none passes (integers, masks), have no backward operation, and nobody waits for
/// one; `values_without_gradient`, such as indices beside maxima, have no gradient.
///
/// Gradients of parameters are part of the gradient of their operation and no values, except for `parameters` (whose
/// users are vertex indices). For each of these there is, after the gradient of a user and, under executable, the
/// additions of gradients there, an operation that adds the gradient there to the sum over the users before: a value of
/// the parameter's bytes, over which the next may write. (Where these are fewer than half of the bytes that are added
/// up there, a schedule with the parameter first has a lower peak.) Its time is part of its user's gradient's. It reads
/// that sum, the values that the user's gradient needs, and the gradients that arrive at the user: under value_grad the
/// user's own, else those that its backward operation reads. The last sum has no reader: to keep it resident at the
/// end, name it to `make_schedule`. Formulas (1) and (2), and the theorems on them, leave these sums out.
/// A gradient has each forward value once among its operands, where it is first needed.
/// O((n + m) log n), with a parameter's users among the m; under value_grad also, for every value, all that the
/// gradients of its consumers need.
///
/// Of a joint graph with the pass of each of its operations: as it is, in O(n + m). Throws bad_graph where a forward
/// operation reads a backward one.
/// Throws bad_graph where a forward value has several producers or a parameter's user is not a vertex, bad_weight where
/// its bytes are negative, and whatever make_dataflow throws.
inline constexpr detail::make_training_graph_fn make_training_graph{};

}  // namespace repebble::inline v0

#endif
