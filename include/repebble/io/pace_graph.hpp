#ifndef REPEBBLE_IO_PACE_GRAPH_HPP
#define REPEBBLE_IO_PACE_GRAPH_HPP

// Undirected graphs in the format .gr of the PACE challenges: reading and writing; and that of DIMACS: reading.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/io/detail/pace_lines.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/io/write_file.hpp>

namespace repebble::inline v0::io {

/// Parses a graph in the format .gr of the PACE challenges: a line "p tw" with the numbers of vertices and edges, then
/// a line with the two ends of each edge; vertices are 1 … n there and 0 … n - 1 here. Lines that begin with c are
/// comments. In the format of DIMACS the first line says "p edge" or "p col", and those of the edges begin with e.  O(n
/// + m log m).  Throws bad_file, naming `source` and the line, where the text has another form or another number of
/// edges, or where there are more vertices than 2^22 and bytes.
[[nodiscard]] inline auto parse_pace_graph(std::string_view text, std::string const& source = "text")
    -> undirected_graph {
    detail::pace_lines lines(text, source);
    std::optional<std::size_t> vertices;
    std::uint64_t edge_count = 0;
    bool dimacs = false;
    constexpr std::size_t few_vertices = std::size_t{1} << 22;  // of a text that can say that there are more, alone
    std::vector<undirected_graph::edge> edges;
    while (lines.next()) {
        if (lines.is_at('p')) {
            if (vertices) lines.fail("is a second line p");
            static_cast<void>(lines.word());
            auto const kind = lines.word();
            dimacs = kind == "edge" || kind == "col";
            if (kind != "tw" && !dimacs)
                lines.fail("the line p must be like: p tw 4 3, not: p " + std::string(kind.substr(0, 40)));
            vertices = lines.number("the number of vertices", std::numeric_limits<std::uint32_t>::max() - 1);
            edge_count = lines.number("the number of edges", std::numeric_limits<std::uint32_t>::max());
            lines.end();
            if (*vertices > std::max(few_vertices, text.size()))
                lines.fail("has " + std::to_string(*vertices) + " vertices, more than " + std::to_string(few_vertices) +
                           " and than the text has bytes");
            edges.reserve(std::min<std::size_t>(edge_count, text.size() / 4));  // "1 2\n"
            continue;
        }
        if (!vertices) lines.fail("stands before the line p, such as: p tw 4 3");
        if (edges.size() == edge_count)
            lines.fail("is one edge more than the " + std::to_string(edge_count) + " of the line p");
        if (dimacs && lines.word() != "e") lines.fail("must be like: e 1 2, as the line p is that of DIMACS");
        auto const u = lines.index("the first end of an edge", *vertices);
        auto const v = lines.index("the second end of an edge", *vertices);
        lines.end();
        edges.emplace_back(u, v);
    }
    if (!vertices) lines.fail_at_end("has no line p, such as: p tw 4 3");
    if (edges.size() < edge_count)
        lines.fail_at_end("has " + std::to_string(edges.size()) + " edges, and its line p says " +
                          std::to_string(edge_count));
    return {*vertices, edges};
}

/// The graph of a .gr file, which may be gzip data.  Throws as `read_file` and `parse_pace_graph` do.
[[nodiscard]] inline auto read_pace_graph(std::filesystem::path const& path) -> undirected_graph {
    return parse_pace_graph(read_file(path), path.string());
}

/// The text that `parse_pace_graph` reads: each edge once, from its lower end.
[[nodiscard]] inline auto pace_graph_text(undirected_graph const& g) -> std::string {
    auto text = "p tw " + std::to_string(g.vertex_count()) + ' ' + std::to_string(g.edge_count()) + '\n';
    for (std::size_t u = 0; u < g.vertex_count(); ++u)
        for (auto const v : g.neighbors(u))
            if (u < v) ((text += std::to_string(u + 1)) += ' ') += std::to_string(v + std::size_t{1}) + '\n';
    return text;
}

/// Writes a .gr file; as gzip data where its name ends in .gz.  Throws bad_file where it cannot be written.
inline void write_pace_graph(std::filesystem::path const& path, undirected_graph const& g) {
    write_file(path, pace_graph_text(g));
}

}  // namespace repebble::inline v0::io

#endif
