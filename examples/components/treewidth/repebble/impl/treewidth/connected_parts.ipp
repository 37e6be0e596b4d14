#ifndef REPEBBLE_IMPL_TREEWIDTH_CONNECTED_PARTS_IPP
#define REPEBBLE_IMPL_TREEWIDTH_CONNECTED_PARTS_IPP

#include <repebble/treewidth/detail/graphs/connected_parts.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto connected_parts(undirected_graph const& g) -> std::vector<graph_atom> {
    using vertex = undirected_graph::vertex;
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> part(g.vertex_count(), none);
    std::vector<vertex> reached;
    std::uint32_t count = 0;
    for (vertex first = 0; first < g.vertex_count(); ++first) {
        if (part[first] != none) continue;
        part[first] = count;
        reached.assign(1, first);
        for (std::size_t k = 0; k < reached.size(); ++k)
            for (auto const w : g.neighbors(reached[k]))
                if (part[w] == none) {
                    part[w] = count;
                    reached.push_back(w);
                }
        ++count;
    }
    std::vector<graph_atom> parts(count);
    std::vector<vertex> number(g.vertex_count());
    for (vertex v = 0; v < g.vertex_count(); ++v) {
        number[v] = static_cast<vertex>(parts[part[v]].names.size());
        parts[part[v]].names.push_back(v);
    }
    std::vector<undirected_graph::edge> edges;
    for (auto& p : parts) {
        edges.clear();
        for (auto const v : p.names)
            for (auto const w : g.neighbors(v))
                if (v < w) edges.emplace_back(number[v], number[w]);
        p.graph = {p.names.size(), edges};
    }
    return parts;
}

}  // namespace repebble::inline v0::detail

#endif
