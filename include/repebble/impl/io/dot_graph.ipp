#ifndef REPEBBLE_IMPL_IO_DOT_GRAPH_IPP
#define REPEBBLE_IMPL_IO_DOT_GRAPH_IPP

#include <repebble/io/dot_graph.hpp>

#include <cstddef>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/io/detail/dot_statements.hpp>

namespace repebble::inline v0::io::detail {

/// Keeps the edges of a DOT text.
struct dot_edges {
    dot_graph made{};

    void begin(bool directed, std::string_view, std::size_t) { made.directed = directed; }
    void open() {}
    void close() {}
    void vertex(std::string_view, std::size_t) {}
    void edge(undirected_graph::vertex from, undirected_graph::vertex to) { made.edges.emplace_back(from, to); }
};

}  // namespace repebble::inline v0::io::detail

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto parse_dot(std::string_view text, std::string const& source) -> dot_graph {
    detail::dot_edges listener;
    detail::dot_statements statements(text, source, listener);
    statements.read();
    listener.made.names = std::move(statements).take_names();
    return std::move(listener.made);
}

}  // namespace repebble::inline v0::io

#endif
