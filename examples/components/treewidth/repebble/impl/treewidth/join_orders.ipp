#ifndef REPEBBLE_IMPL_TREEWIDTH_JOIN_ORDERS_IPP
#define REPEBBLE_IMPL_TREEWIDTH_JOIN_ORDERS_IPP

#include <repebble/treewidth/detail/exact/join_orders.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

/// Appends the edges and the fill of an elimination order, with vertices renamed by `names`.
inline void append_filled(undirected_graph const& g, std::span<undirected_graph::vertex const> order,
                          std::span<undirected_graph::vertex const> names, std::vector<undirected_graph::edge>& edges) {
    using vertex = undirected_graph::vertex;
    auto const n = g.vertex_count();
    std::vector<std::uint32_t> place(n, 0), mark(n, 0);
    std::vector<std::vector<vertex>> later(n), children(n);  // by position: later neighbours; children in the tree
    for (std::uint32_t k = 0; k < n; ++k) place[order[k]] = k;
    for (std::uint32_t k = 0; k < n; ++k) {
        auto& mine = later[k];
        mark[k] = k + 1;
        auto const add = [&](vertex at) {
            if (at <= k || mark[at] == k + 1) return;
            mark[at] = k + 1;
            mine.push_back(at);
            edges.emplace_back(names[order[k]], names[order[at]]);
        };
        for (auto const w : g.neighbors(order[k])) add(place[w]);
        for (auto const child : children[k]) {
            for (auto const at : later[child]) add(at);
            later[child] = {};
        }
        if (!mine.empty()) children[*std::ranges::min_element(mine)].push_back(k);
    }
}

/// A perfect elimination order by maximum cardinality search.  Requires: the graph is chordal.  O(n + m).
[[nodiscard]] inline auto order_without_fill(undirected_graph const& g) -> elimination_order {
    using vertex = undirected_graph::vertex;
    auto const n = g.vertex_count();
    std::vector<std::uint32_t> count(n, 0);
    std::vector<std::vector<vertex>> buckets(1);  // by count; entries of lower counts are stale
    for (auto v = static_cast<vertex>(n); v-- > 0;) buckets[0].push_back(v);
    std::vector<std::uint8_t> taken(n, 0);
    elimination_order order;
    order.reserve(n);
    for (std::size_t highest = 0; order.size() < n;) {
        if (buckets[highest].empty()) {
            --highest;
            continue;
        }
        auto const v = buckets[highest].back();
        buckets[highest].pop_back();
        if (taken[v] != 0 || count[v] != highest) continue;
        taken[v] = 1;
        order.push_back(v);
        for (auto const w : g.neighbors(v)) {
            if (taken[w] != 0) continue;
            auto const counted = ++count[w];
            if (buckets.size() <= counted) buckets.resize(counted + std::size_t{1});
            buckets[counted].push_back(w);
            highest = std::max<std::size_t>(highest, counted);
        }
    }
    std::ranges::reverse(order);
    return order;
}

REPEBBLE_INLINE auto join_orders(std::size_t count, std::span<graph_atom const> atoms,
                                 std::span<elimination_order const> orders) -> elimination_order {
    REPEBBLE_ASSERT(atoms.size() == orders.size());
    std::vector<undirected_graph::edge> edges;
    for (std::size_t k = 0; k < atoms.size(); ++k) {
        REPEBBLE_ASSERT(atoms[k].graph.vertex_count() == orders[k].size());
        detail::append_filled(atoms[k].graph, orders[k], atoms[k].names, edges);
    }
    return detail::order_without_fill({count, edges});
}

}  // namespace repebble::inline v0::detail

#endif
