#ifndef REPEBBLE_GRAPH_TRAINING_GRADIENT_NEEDS_HPP
#define REPEBBLE_GRAPH_TRAINING_GRADIENT_NEEDS_HPP

// The forward values that gradients read: declared per vertex, and resolved to values of a dataflow. Rows of
// make_training_graph.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/detail/invoke_on_vertex.hpp>
#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/access.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/weights.hpp>

namespace repebble::inline v0 {

/// The forward values that the gradient of each operation reads: row v lists values among those that v reads and
/// writes.
using gradient_needs = detail::jagged_array<value_index>;

/// Declared needs of gradients, per vertex or finer: `inputs` is callable with (v), or with (v, u) for the values that
/// v reads from u; `outputs` and `passes` with (v), or with (v, j) for output j.
template <class Inputs = always, class Outputs = always, class Passes = always>
struct gradient_dependencies {
    Inputs inputs{};    ///< whether the gradient reads an input
    Outputs outputs{};  ///< whether the gradient reads an output
    Passes passes{};    ///< whether outputs have a gradient: none passes integers, masks and what only they make
};
template <class I>
gradient_dependencies(I) -> gradient_dependencies<I>;
template <class I, class O>
gradient_dependencies(I, O) -> gradient_dependencies<I, O>;
template <class I, class O, class P>
gradient_dependencies(I, O, P) -> gradient_dependencies<I, O, P>;
/// Gradients read the inputs of their operation only: the convention behind formulas (1) and (2) of Kusumoto et al.
inline constexpr gradient_dependencies<always, never> needs_inputs_only{};

namespace detail {

/// f(v, j), or f(v) where f asks for vertices only.
template <class F, class V>
constexpr auto holds_for_output(F const& f, V const& v, std::uint32_t j) -> bool {
    if constexpr (requires { detail::call(f, v, j); }) {
        return static_cast<bool>(detail::call(f, v, j));
    } else {
        return static_cast<bool>(detail::call(f, v));
    }
}

struct find_gradient_needs_fn {
    template <computation_graph Graph, class I, class O, class P>
    [[nodiscard]] constexpr auto operator()(Graph const& g, dataflow const& flow,
                                            gradient_dependencies<I, O, P> const& depends) const -> gradient_needs {
        auto const by_index = detail::vertices_by_index(g);
        std::vector<std::vector<value_index>> rows(flow.operation_count());
        for (std::size_t i = 0; i < by_index.size(); ++i) {
            auto const& u = by_index[i];
            auto const own = flow.writes(i);
            for (std::uint32_t j = 0; j < own.size(); ++j)
                if (holds_for_output(depends.outputs, u, j)) rows[i].push_back(own[j]);
            for (auto&& w : successors(g, u)) {
                auto const reader = vertex_index(g, w);
                if (!input_needed(depends, static_cast<vertex_t<Graph>>(w), u)) continue;
                for (auto&& j : outputs_read(g, u, w)) rows[reader].push_back(own[static_cast<std::size_t>(j)]);
            }
        }
        gradient_needs needs;
        for (auto& row : rows) {
            detail::sort_unique(row);
            needs.append(row);
        }
        return needs;
    }

  private:
    template <class D, class V>
    static constexpr auto input_needed(D const& depends, V const& v, V const& u) -> bool {
        if constexpr (requires { detail::call(depends.inputs, v, u); }) {
            return static_cast<bool>(detail::call(depends.inputs, v, u));
        } else {
            return static_cast<bool>(detail::call(depends.inputs, v));
        }
    }
};

/// The declared dependencies of a graph's gradients, as values of its dataflow.  O(n + m).
inline constexpr detail::find_gradient_needs_fn find_gradient_needs{};

}  // namespace detail

}  // namespace repebble::inline v0

#endif
