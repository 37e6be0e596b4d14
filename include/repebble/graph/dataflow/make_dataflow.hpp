#ifndef REPEBBLE_GRAPH_DATAFLOW_MAKE_DATAFLOW_HPP
#define REPEBBLE_GRAPH_DATAFLOW_MAKE_DATAFLOW_HPP

// From any computation graph with weights to a dataflow: the first step of every planning call. Indices, outputs, views
// and weights are checked on the way.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <repebble/detail/invoke_on_vertex.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/access.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/time_unit.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/unmet_weight.hpp>
#include <repebble/graph/weights.hpp>

namespace repebble::inline v0 {

namespace detail {

struct make_dataflow_fn : takes_graph, takes_weights {
    using takes_graph::operator();
    using takes_weights::operator();

    template <computation_graph Graph, class... W>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g, weights<W...> const& w) const {
        auto const by_index = detail::vertices_by_index(g);
        auto const compact = csr_graph::copy_of(g);
        auto const times = times_of(g, w.time, by_index);
        dataflow_builder builder;
        builder.set_unit(times.unit);
        for (std::size_t i = 0; i < by_index.size(); ++i) {
            auto const& v = by_index[i];
            if (is_input(g, v)) {
                builder.add_input();
                continue;
            }
            builder.add_operation(times.times[i], size_of(detail::call(w.workspace, v), "workspace", i),
                                  static_cast<bool>(detail::call(w.recomputable, v)));
        }
        // Owners before views: a view refers to values of its predecessors. Topological order ensures it;
        // a value with several producers is made by the first of them.
        std::vector<std::vector<value_index>> made(by_index.size());
        for (std::size_t i = 0; i < by_index.size(); ++i) made[i].assign(output_count(g, by_index[i]), not_made);
        std::vector<reads_of> read(by_index.size());
        for (auto const i : kahn_order(compact, false, false)) {
            if constexpr (has_operands<Graph>) read_operands(builder, g, by_index, compact, made, read[i], i);
            for (std::uint32_t j = 0; j < made[i].size(); ++j)
                builder_output(builder, g, w, by_index, made, read[i].values, i, j);
            if constexpr (!has_operands<Graph>)
                for (auto const s : compact.successors(i)) read_edge(builder, g, by_index, made, read[s], i, s);
        }
        for (std::size_t i = 0; i < by_index.size(); ++i)
            for (auto const value : read[i].values) builder.add_read(static_cast<operation_index>(i), value);
        add_fates(builder, g, w, by_index, made, read);
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

    /// What a vertex reads, in the order of its operands: values, and their names in the graph by index.
    struct reads_of {
        std::vector<value_index> values;
        std::vector<output_ref<operation_index>> names;
        constexpr void add(value_index value, std::size_t u, std::uint32_t j) {
            values.push_back(value);
            names.push_back({static_cast<operation_index>(u), j});
        }
    };

    /// The times of all vertices by index, 0 for inputs; floating-point ones become whole.
    template <class Graph, class Time, class Vertices>
    static constexpr auto times_of(Graph const& g, Time const& time, Vertices const& by_index) -> whole_times {
        using raw = std::remove_cvref_t<decltype(detail::call(time, by_index[0]))>;
        using number = std::conditional_t<std::is_floating_point_v<raw>, double, std::int64_t>;
        std::vector<number> times;
        times.reserve(by_index.size());
        for (std::size_t i = 0; i < by_index.size(); ++i) {
            auto const t = is_input(g, by_index[i]) ? raw{} : detail::call(time, by_index[i]);
            check_weight(t, [&] { return named("time", i); });
            if constexpr (std::is_same_v<raw, float>)
                times.push_back(as_written(t));
            else
                times.push_back(static_cast<number>(t));
        }
        if constexpr (std::is_floating_point_v<raw>)
            return to_whole_times(times);
        else
            return {std::move(times), {}};
    }
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
            auto const [views, viewed] = values_viewed(g, v, made, read, i, j);
            value = views ? builder.add_view(i, viewed)
                          : builder.add_value(i, output_size(g, w, by_index[u], u, same.output));
        }
        made[i][j] = value;
    }

    /// The value of an output that vertex i names.
    template <class Graph, class Made>
    static constexpr auto named_value(Graph const& g, Made const& made, std::size_t i,
                                      output_ref<vertex_t<Graph>> const& of, char const* verb) -> value_index {
        auto const u = vertex_index(g, of.vertex);
        auto const text = [&] {
            return "vertex " + std::to_string(i) + verb + "output " + std::to_string(of.output) + " of vertex " +
                   std::to_string(u);
        };
        if (u >= made.size() || of.output >= made[u].size())
            detail::raise(bad_graph(text() + ", which does not exist"));
        if (made[u][of.output] == not_made) detail::raise(bad_graph(text() + ", which it does not depend on"));
        return made[u][of.output];
    }
    /// The values that vertex i reads, by its operands; an edge without an operand is a control edge.
    template <class Builder, class Graph, class Vertices, class Made>
    static constexpr void read_operands(Builder& builder, Graph const& g, Vertices const& by_index,
                                        csr_graph const& compact, Made const& made, reads_of& read, operation_index i) {
        std::vector<operation_index> before(compact.predecessors(i).begin(), compact.predecessors(i).end()), named;
        detail::sort_unique(before);
        for (auto&& operand : operands(g, by_index[i])) {
            auto const u = static_cast<operation_index>(vertex_index(g, operand.vertex));
            read.add(named_value(g, made, i, operand, " reads "), u, operand.output);
            if (!std::ranges::binary_search(before, u))
                detail::raise(bad_graph("vertex " + std::to_string(i) + " reads vertex " + std::to_string(u) +
                                        ", which does not name it as a successor"));
            named.push_back(u);
        }
        detail::sort_unique(named);
        auto values = read.values;
        detail::sort_unique(values);
        for (auto const u : compact.predecessors(i)) {
            bool reads = std::ranges::binary_search(named, u);
            if constexpr (requires { traits_of<Graph>::value_of(g, by_index[i], 0U); })  // or by another name
                reads = reads || std::ranges::any_of(made[u], [&](auto const value) {
                            return std::ranges::binary_search(values, value);
                        });
            if (!reads) builder.add_control_edge(u, i);
        }
    }
    /// The values that the edge i -> s reads; a control edge where it reads none.
    template <class Builder, class Graph, class Vertices, class Made>
    static constexpr void read_edge(Builder& builder, Graph const& g, Vertices const& by_index, Made const& made,
                                    reads_of& read, operation_index i, operation_index s) {
        bool reads = false;
        for (auto&& j : outputs_read(g, by_index[i], by_index[s])) {
            if (std::cmp_less(j, 0) || std::cmp_greater_equal(j, made[i].size()))
                detail::raise(bad_graph("edge " + std::to_string(i) + " -> " + std::to_string(s) + " reads output " +
                                        std::to_string(j) + ": vertex " + std::to_string(i) + " has " +
                                        std::to_string(made[i].size())));
            read.add(builder.output(i, static_cast<std::size_t>(j)), i, static_cast<std::uint32_t>(j));
            reads = true;
        }
        if (!reads) builder.add_control_edge(i, s);
    }
    /// Whether output j of vertex i is a view, and the values to which it refers. No optional: for nvcc it is no
    /// literal type.
    template <class Graph, class Made>
    static constexpr auto values_viewed(Graph const& g, vertex_t<Graph> const& v, Made const& made,
                                        std::vector<value_index> const& read, std::size_t i, std::uint32_t j)
        -> std::pair<bool, std::vector<value_index>> {
        if constexpr (has_views<Graph>) {
            std::vector<value_index> viewed;
            for (auto&& of : traits_of<Graph>::views(g, v, j))
                viewed.push_back(named_value(g, made, i, of, " is a view of "));
            bool const is_any = !viewed.empty();
            return {is_any, std::move(viewed)};
        } else {
            if (!is_view(g, v)) return {};
            return {true, read};
        }
    }
    /// Results, mutations and allowed overwrites. An input that is neither donated nor overwritten is a result.
    template <class Builder, class Graph, class Weights, class Vertices, class Made>
    static constexpr void add_fates(Builder& builder, Graph const& g, Weights const& w, Vertices const& by_index,
                                    Made const& made, std::vector<reads_of> const& read) {
        std::vector<value_index> overwritten;
        for (operation_index i = 0; i < by_index.size(); ++i) {
            auto const& v = by_index[i];
            for (std::uint32_t j = 0; j < made[i].size(); ++j) {
                if (is_result(g, v, j) || is_marked(w.result, v, j)) builder.add_result(made[i][j]);
                if constexpr (has_mutates<Graph>)
                    for (auto&& of : traits_of<Graph>::mutates(g, v, j)) {
                        auto const over = named_value(g, made, i, of, " overwrites ");
                        builder.add_mutation(i, j, over);
                        for (auto const owner : builder.owners(over)) overwritten.push_back(owner);
                    }
                if constexpr (has_may_overwrite<Graph>)
                    for (std::size_t k = 0; k < read[i].values.size(); ++k) {
                        auto const& [u, output] = read[i].names[k];
                        if (traits_of<Graph>::may_overwrite(g, v, j, {by_index[u], output}))
                            builder.allow_overwrite(i, j, read[i].values[k]);
                    }
            }
        }
        sort_unique(overwritten);
        for (std::size_t i = 0; i < by_index.size(); ++i)
            if (is_input(g, by_index[i]) && !is_donated(g, by_index[i]))
                for (auto const value : made[i])
                    if (!std::ranges::binary_search(overwritten, value)) builder.add_result(value);
    }
    template <class Result, class Vertex>
    static constexpr auto is_marked(Result const& result, Vertex const& v, std::uint32_t j) -> bool {
        if constexpr (std::invocable<Result const&, Vertex const&, std::uint32_t>)
            return static_cast<bool>(detail::call(result, v, j));
        else
            return static_cast<bool>(detail::call(result, v));
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

/// The dataflow of any computation graph: one operation per vertex, by index, with all that the graph's traits say. An
/// edge along which nothing is read is a control edge.  O((n + m) log n).  Throws not_a_dag, bad_graph (an index, an
/// output or a view is wrong) and bad_weight, each naming the vertex.
inline constexpr detail::make_dataflow_fn make_dataflow{};

}  // namespace repebble::inline v0

#endif
