#ifndef REPEBBLE_TESTS_SUPPORT_ANNOTATED_GRAPH_HPP
#define REPEBBLE_TESTS_SUPPORT_ANNOTATED_GRAPH_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/graph_traits.hpp>

namespace support {

/// A graph whose traits have every optional member that says what is done with values: it says all that a dataflow
/// without alternative producers says.
struct annotated_graph {
    repebble::dataflow flow;

    using ref = repebble::output_ref<repebble::operation_index>;
    [[nodiscard]] auto value(repebble::operation_index v, std::uint32_t j) const { return flow.writes(v)[j]; }
    /// Bytes of the outputs, as `weights` takes them.
    [[nodiscard]] auto memory() const {
        return [this](repebble::operation_index v, std::uint32_t j) { return flow.size(value(v, j)); };
    }
    template <class Values>
    [[nodiscard]] auto refs(Values const& values) const -> std::vector<ref> {
        std::vector<ref> all;
        for (auto const x : values) all.push_back(flow.as_output(x));
        return all;
    }
    /// The values that operation v overwrites with output j.
    template <class Overwrites>
    [[nodiscard]] static auto overwritten(Overwrites const& all, std::uint32_t j)
        -> std::vector<repebble::value_index> {
        std::vector<repebble::value_index> over;
        for (auto const& o : all)
            if (o.output == j) over.push_back(o.over);
        return over;
    }
};

}  // namespace support

template <>
struct repebble::graph_traits<support::annotated_graph> {
    using graph = support::annotated_graph;
    using vertex = repebble::operation_index;
    using ref = graph::ref;
    static auto vertices(graph const& g) { return graph_traits<csr_graph>::vertices(g.flow.graph()); }
    static auto successors(graph const& g, vertex v) { return g.flow.graph().successors(v); }
    static auto vertex_index(graph const&, vertex v) -> std::size_t { return v; }
    static auto output_count(graph const& g, vertex v) -> std::size_t { return g.flow.writes(v).size(); }
    static auto operands(graph const& g, vertex v) { return g.refs(g.flow.operands(v)); }
    static auto views(graph const& g, vertex v, std::uint32_t j) {
        auto const x = g.value(v, j);
        return g.flow.is_view(x) ? g.refs(g.flow.owners(x)) : std::vector<ref>{};
    }
    static auto is_result(graph const& g, vertex v, std::uint32_t j) -> bool { return g.flow.is_result(g.value(v, j)); }
    static auto is_input(graph const& g, vertex v) -> bool { return g.flow.is_input(v); }
    static auto is_donated(graph const& g, vertex v) -> bool {
        for (auto const x : g.flow.writes(v))
            if (!g.flow.is_result(x)) return true;
        return false;
    }
    static auto mutates(graph const& g, vertex v, std::uint32_t j) {
        return g.refs(graph::overwritten(g.flow.mutations(v), j));
    }
    static auto may_overwrite(graph const& g, vertex v, std::uint32_t j, ref const& over) -> bool {
        for (auto const x : graph::overwritten(g.flow.allowed_overwrites(v), j))
            if (g.flow.as_output(x) == over) return true;
        return false;
    }
};

#endif
