#ifndef REPEBBLE_GRAPH_LOWER_SETS_DETAIL_SERIAL_VERTICES_HPP
#define REPEBBLE_GRAPH_LOWER_SETS_DETAIL_SERIAL_VERTICES_HPP

// Serial vertices of a graph: those comparable with every other vertex, past which no edge leads. They cut a graph into
// modules.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <repebble/graph/csr_graph.hpp>

namespace repebble::inline v0::detail {

/// Returns the serial vertices, ascending: each other vertex is an ancestor or a descendant, and no edge leads past
/// them; sinks are left out.  O(n + m).  Requires: every edge leads to a greater vertex.
[[nodiscard]] inline auto serial_vertices(csr_graph const& g) -> std::vector<std::size_t> {
    std::size_t const n = g.vertex_count();
    std::size_t last_source = 0;
    for (std::size_t v = 0; v < n; ++v)
        if (g.predecessors(v).empty()) last_source = v;
    std::vector<std::size_t> serial;
    std::size_t reached = 0;  // the latest reader of anything before v
    for (std::size_t v = 0; v < n; ++v) {
        if (g.successors(v).empty()) break;  // later vertices do not have this sink as an ancestor
        if (reached <= v && last_source <= v) serial.push_back(v);
        for (auto const w : g.successors(v)) reached = std::max<std::size_t>(reached, w);
    }
    return serial;
}

}  // namespace repebble::inline v0::detail

#endif
