#ifndef REPEBBLE_IO_DOT_GRAPH_HPP
#define REPEBBLE_IO_DOT_GRAPH_HPP

// Graphs from DOT files, without their attributes: names and edges.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/io/gzip.hpp>

namespace repebble::inline v0::io {

/// The graph of a DOT text.
struct dot_graph {
    std::vector<std::string> names{};             ///< of the vertices, in the order in which they are first mentioned
    std::vector<undirected_graph::edge> edges{};  ///< from, to, as written: loops and repeated ones are kept
    bool directed = false;                        ///< whether it is a digraph

    friend auto operator==(dot_graph const&, dot_graph const&) -> bool = default;
};

/// Parses a graph in DOT, the language of Graphviz. Attributes and ports are ignored, and `strict` drops no edges. A
/// subgraph at an end of an edge stands for all vertices within its braces. An HTML string as a name keeps its < >.
/// O(text + edges).  Throws bad_file, naming `source` and the line, where the text is not DOT, and where braces are
/// nested deeper than 100; limit_reached where the account is spent: 64 bytes for each edge.
[[nodiscard]] auto parse_dot(std::string_view text, std::string const& source = "text",
                             read_account account = read_account()) -> dot_graph;

/// The graph of a DOT file, which may be gzip data.  Throws as `read_file` and `parse_dot` do.
[[nodiscard]] inline auto read_dot(std::filesystem::path const& path, read_account account = read_account())
    -> dot_graph {
    return parse_dot(read_file(path, account), path.string(), account);
}

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/dot_graph.ipp>
#endif

#endif
