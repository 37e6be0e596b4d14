#ifndef REPEBBLE_GRAPH_LOWER_SETS_SERIAL_VERTICES_HPP
#define REPEBBLE_GRAPH_LOWER_SETS_SERIAL_VERTICES_HPP

#include <algorithm>
#include <cstddef>
#include <vector>

#include <repebble/graph/csr_graph.hpp>

namespace repebble::inline v0::detail {

/// The vertices that everything passes, ascending: each other vertex is an ancestor or a descendant, and no edge leads
/// around. Without those after which nothing comes.  O(n + m).  Requires: every edge leads to a greater vertex.
[[nodiscard]] inline auto serial_vertices(csr_graph const& g) -> std::vector<std::size_t> {
    std::size_t const n = g.vertex_count();
    std::size_t last_source = 0;
    for (std::size_t v = 0; v < n; ++v)
        if (g.predecessors(v).empty()) last_source = v;
    std::vector<std::size_t> passed;
    std::size_t reached = 0;  // the latest reader of anything before v
    for (std::size_t v = 0; v < n; ++v) {
        if (g.successors(v).empty()) break;  // from here on there is a sink that is no ancestor
        if (reached <= v && last_source <= v) passed.push_back(v);
        for (auto const w : g.successors(v)) reached = std::max<std::size_t>(reached, w);
    }
    return passed;
}

}  // namespace repebble::inline v0::detail

#endif
