#ifndef REPEBBLE_GRAPH_DATAFLOW_MAKE_DATAFLOW_HPP
#define REPEBBLE_GRAPH_DATAFLOW_MAKE_DATAFLOW_HPP

// From any computation graph with weights to a dataflow: the first step of every planning call. Indices, outputs, views
// and weights are checked on the way.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/invoke_on_vertex.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/graph/access.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/weights.hpp>

namespace repebble::inline v0 {

namespace detail {

struct make_dataflow_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph, class... W>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g, weights<W...> const& w) const {
        using time_type = weight_value_t<decltype(w.time), Graph>;
        auto const by_index = vertices_by_index(g);
        auto const compact = csr_graph::copy_of(g);
        dataflow_builder<time_type> builder;
        for (std::size_t i = 0; i < by_index.size(); ++i) {
            auto const& v = by_index[i];
            builder.add_operation(to_quantity(detail::call(w.time, v), [&] { return named("time", i); }),
                                  size_of(detail::call(w.workspace, v), "workspace", i),
                                  static_cast<bool>(detail::call(w.recomputable, v)));
        }
        // Owners before views: a view refers to values of its predecessors. Topological order ensures it;
        // a value with several producers is made by the first of them.
        std::vector<std::vector<value_index>> read(by_index.size()), made(by_index.size());
        for (std::size_t i = 0; i < by_index.size(); ++i) made[i].assign(output_count(g, by_index[i]), not_made);
        for (auto const i : kahn_order(compact, false, false)) {
            for (std::uint32_t j = 0; j < made[i].size(); ++j)
                builder_output(builder, g, w, by_index, made, read[i], i, j);
            for (auto const s : compact.successors(i))
                for (auto&& j : outputs_read(g, by_index[i], by_index[s])) {
                    if (std::cmp_less(j, 0) || std::cmp_greater_equal(j, made[i].size()))
                        detail::raise(bad_graph("edge " + std::to_string(i) + " -> " + std::to_string(s) +
                                                " reads output " + std::to_string(j) + ": vertex " + std::to_string(i) +
                                                " has " + std::to_string(made[i].size())));
                    read[s].push_back(builder.output(i, static_cast<std::size_t>(j)));
                }
        }
        for (std::size_t i = 0; i < by_index.size(); ++i)
            for (auto const value : read[i]) builder.add_read(static_cast<operation_index>(i), value);
        return std::move(builder).build();
    }

    /// The same with a time and bytes per vertex (or output) only.
    template <computation_graph Graph, vertex_weight<Graph> Time = unit_weight,
              memory_weight<Graph> Memory = unit_weight>
    [[nodiscard]] constexpr auto operator()(Graph const& g, Time time = {}, Memory memory = {}) const {
        return (*this)(g, weights{std::move(time), std::move(memory)});
    }

  private:
    static constexpr auto not_made = std::numeric_limits<value_index>::max();

    static auto named(char const* what, std::size_t i) -> std::string {
        return std::string(what) + " of vertex " + std::to_string(i);
    }
    template <class Raw>
    static constexpr auto size_of(Raw raw, char const* what, std::size_t i) -> bytes {
        return to_bytes(raw, [&] { return named(what, i); });
    }

    template <class Builder, class Graph, class Weights, class Vertices, class Made>
    static constexpr void builder_output(Builder& builder, Graph const& g, Weights const& w, Vertices const& by_index,
                                         Made& made, std::vector<value_index> const& read, operation_index i,
                                         std::uint32_t j) {
        auto const& v = by_index[i];
        auto const same = value_of(g, v, j);
        auto const u = static_cast<operation_index>(vertex_index(g, same.vertex));
        if (u >= made.size() || same.output >= made[u].size())
            detail::raise(bad_graph("output " + std::to_string(j) + " of vertex " + std::to_string(i) +
                                    " is said to be output " + std::to_string(same.output) + " of vertex " +
                                    std::to_string(u) + ", which does not exist"));
        auto const last = value_of(g, same.vertex, same.output);
        if (vertex_index(g, last.vertex) != u || last.output != same.output)
            detail::raise(bad_graph("output " + std::to_string(j) + " of vertex " + std::to_string(i) +
                                    " is said to be output " + std::to_string(same.output) + " of vertex " +
                                    std::to_string(u) + ", which is itself said to be another one"));
        auto& value = made[u][same.output];
        if (value != not_made) {
            builder.add_producer(i, value);
        } else {
            value = is_view(g, v) ? builder.add_view(i, read)
                                  : builder.add_value(i, output_size(g, w, by_index[u], u, same.output));
        }
        made[i][j] = value;
    }

    template <class Graph, class Weights, class Vertex>
    static constexpr auto output_size(Graph const& g, Weights const& w, Vertex const& v, std::size_t i, std::uint32_t j)
        -> bytes {
        if constexpr (output_weight<decltype(w.memory), Graph>) {
            return size_of(detail::call(w.memory, v, j), "memory", i);
        } else {
            if (output_count(g, v) != 1)
                detail::raise(bad_graph("vertex " + std::to_string(i) + " has " + std::to_string(output_count(g, v)) +
                                        " outputs: memory must be callable as memory(v, output)"));
            return size_of(detail::call(w.memory, v), "memory", i);
        }
    }
};

}  // namespace detail

/// The dataflow of any computation graph: one operation per vertex, by index, with the outputs, views and producers of
/// the graph's traits.  O((n + m) log n).  Throws not_a_dag, bad_graph (an index, an output or a view is wrong) and
/// bad_weight, each naming the vertex.
inline constexpr detail::make_dataflow_fn make_dataflow{};

}  // namespace repebble::inline v0

#endif
