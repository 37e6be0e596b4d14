#ifndef REPEBBLE_IMPL_TREEWIDTH_PACE_GRAPH_IPP
#define REPEBBLE_IMPL_TREEWIDTH_PACE_GRAPH_IPP

#include <repebble/treewidth/pace_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/treewidth/detail/pace_lines.hpp>

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto parse_pace_graph(std::string_view text, std::string const& source, read_account account)
    -> undirected_graph {
    account.open(source, text.size());
    detail::pace_lines lines(text, account);
    std::optional<std::size_t> vertices;
    std::uint64_t edge_count = 0;
    bool dimacs = false;
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
            account.spend(*vertices, 64 * *vertices,
                          [&] { return lines.place() + ": has " + std::to_string(*vertices) + " vertices"; });
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

REPEBBLE_INLINE auto pace_graph_text(undirected_graph const& g) -> std::string {
    auto text = "p tw " + std::to_string(g.vertex_count()) + ' ' + std::to_string(g.edge_count()) + '\n';
    for (std::size_t u = 0; u < g.vertex_count(); ++u)
        for (auto const v : g.neighbors(u))
            if (u < v) ((text += std::to_string(u + 1)) += ' ') += std::to_string(v + std::size_t{1}) + '\n';
    return text;
}

}  // namespace repebble::inline v0::io

#endif
