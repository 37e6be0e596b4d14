#ifndef REPEBBLE_IMPL_TREEWIDTH_PATH_DECOMPOSITION_IPP
#define REPEBBLE_IMPL_TREEWIDTH_PATH_DECOMPOSITION_IPP

#include <repebble/treewidth/path_decomposition.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto make_path_decomposition(undirected_graph const& g, std::span<undirected_graph::vertex const> order)
    -> tree_decomposition {
    auto const place = detail::places_of(g, order);
    auto const n = static_cast<std::uint32_t>(order.size());
    std::vector<std::uint32_t> last(place);  // the last position of the vertex or a neighbour
    std::vector<char> ends(n, 0);            // per position: whether some vertex is needed no longer after it
    for (std::uint32_t v = 0; v < n; ++v) {
        for (auto const w : g.neighbors(v)) last[v] = std::max(last[v], place[w]);
        ends[last[v]] = 1;
    }
    tree_decomposition made;
    std::vector<undirected_graph::vertex> live;
    std::ptrdiff_t sorted = 0;
    for (std::uint32_t k = 0; k < n; ++k) {
        live.push_back(order[k]);
        if (ends[k] == 0) continue;  // the next bag contains this one
        std::sort(live.begin() + sorted, live.end());
        std::inplace_merge(live.begin(), live.begin() + sorted, live.end());
        made.bags.push_back(live);
        std::erase_if(live, [&](auto v) { return last[v] == k; });
        sorted = std::ssize(live);
    }
    for (std::uint32_t b = 1; b < made.bags.size(); ++b) made.edges.emplace_back(b - 1, b);
    return made;
}

}  // namespace repebble::inline v0

#endif
