#ifndef REPEBBLE_IMPL_GRAPH_ARTICULATION_POINTS_IPP
#define REPEBBLE_IMPL_GRAPH_ARTICULATION_POINTS_IPP

#include <repebble/graph/articulation_points.hpp>

#include <algorithm>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto are_articulation_points(csr_graph const& g) -> std::vector<bool> {
    using vertex = csr_graph::vertex;
    struct visit {
        vertex v = 0, parent = 0;
        std::size_t next = 0;  // of its neighbours: its successors, then its predecessors
    };
    auto const n = g.vertex_count();
    std::vector<bool> is_point(n, false);
    std::vector<vertex> entered(n, 0), low(n, 0);  // entered: time of entry, 0 before; low: low-point
    std::vector<visit> path;
    vertex clock = 0;
    for (vertex root = 0; root < n; ++root) {
        if (entered[root] != 0) continue;
        std::size_t children = 0;
        entered[root] = low[root] = ++clock;
        path.push_back({root, root, 0});
        while (!path.empty()) {
            auto& [v, parent, next] = path.back();
            auto const after = g.successors(v), before = g.predecessors(v);
            if (next < after.size() + before.size()) {
                auto const w = next < after.size() ? after[next] : before[next - after.size()];
                ++next;
                if (entered[w] == 0) {
                    entered[w] = low[w] = ++clock;
                    path.push_back({w, v, 0});
                } else if (w != parent) {
                    low[v] = std::min(low[v], entered[w]);
                }
                continue;
            }
            auto const [child, above, end] = path.back();
            path.pop_back();
            if (child == root) break;
            low[above] = std::min(low[above], low[child]);
            if (above == root)
                ++children;
            else if (low[child] >= entered[above])
                is_point[above] = true;
        }
        path.clear();
        if (children > 1) is_point[root] = true;
    }
    return is_point;
}

}  // namespace repebble::inline v0::detail

#endif
