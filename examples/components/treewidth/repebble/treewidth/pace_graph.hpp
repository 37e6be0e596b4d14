#ifndef REPEBBLE_TREEWIDTH_PACE_GRAPH_HPP
#define REPEBBLE_TREEWIDTH_PACE_GRAPH_HPP

// Undirected graphs in the format .gr of the PACE challenges: reading and writing; and that of DIMACS: reading.

#include <filesystem>
#include <string>
#include <string_view>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/io/write_file.hpp>

namespace repebble::inline v0::io {

/// Parses a graph in the format .gr of the PACE challenges: a line "p tw" with the numbers of vertices and edges, then
/// a line with the two ends of each edge; vertices are 1 … n there and 0 … n - 1 here. Lines that begin with c are
/// comments. In the format of DIMACS the first line says "p edge" or "p col", and those of the edges begin with e.  O(n
/// + m log m).  Throws bad_file, naming `source` and the line, where the text has another form or another number of
/// edges; limit_reached where the account is spent: 64 bytes for each vertex.
[[nodiscard]] auto parse_pace_graph(std::string_view text, std::string const& source = "text",
                                    read_account account = read_account()) -> undirected_graph;

/// The graph of a .gr file, which may be gzip data.  Throws as `read_file` and `parse_pace_graph` do.
[[nodiscard]] inline auto read_pace_graph(std::filesystem::path const& path, read_account account = read_account())
    -> undirected_graph {
    return parse_pace_graph(read_file(path, account), path.string(), account);
}

/// The text that `parse_pace_graph` reads: each edge once, from its lower end.
[[nodiscard]] auto pace_graph_text(undirected_graph const& g) -> std::string;

/// Writes a .gr file; as gzip data where its name ends in .gz.  Throws bad_file where it cannot be written.
inline void write_pace_graph(std::filesystem::path const& path, undirected_graph const& g) {
    write_file(path, pace_graph_text(g));
}

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/pace_graph.ipp>
#endif

#endif
