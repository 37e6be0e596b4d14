#ifndef REPEBBLE_TESTS_TREEWIDTH_SMALL_TREEWIDTH_HPP
#define REPEBBLE_TESTS_TREEWIDTH_SMALL_TREEWIDTH_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "support/generators.hpp"

namespace support {

/// The treewidth of a small graph, by a table over all sets of vertices eliminated first: Bodlaender, Fomin, Koster,
/// Kratsch, Thilikos, "On exact algorithms for treewidth" (2012).
[[nodiscard]] inline auto small_treewidth(repebble::undirected_graph const& g) -> std::size_t {
    auto const n = g.vertex_count();
    std::vector<std::uint32_t> neighbors(n, 0);
    for (std::size_t v = 0; v < n; ++v)
        for (auto const w : g.neighbors(v)) neighbors[v] |= 1U << w;
    auto const degree_after = [&](std::uint32_t eliminated, std::size_t v) {
        std::uint32_t seen = 1U << v, open = seen, around = 0;
        while (open != 0) {
            auto const next = neighbors[static_cast<std::size_t>(std::countr_zero(open))] & ~seen;
            open &= open - 1;
            seen |= next;
            open |= next & eliminated;
            around |= next & ~eliminated;
        }
        return static_cast<std::size_t>(std::popcount(around));
    };
    std::vector<std::size_t> width(std::size_t{1} << n, n);
    width[0] = 0;
    for (std::uint32_t set = 1; set < width.size(); ++set)
        for (std::size_t v = 0; v < n; ++v)
            if ((set >> v & 1U) != 0) {
                auto const rest = set & ~(1U << v);
                width[set] = std::min(width[set], std::max(width[rest], degree_after(rest, v)));
            }
    return width.back();
}

/// A random graph: each edge with the same random probability.
[[nodiscard]] inline auto any_undirected(support::split_mix& random, std::size_t most) -> repebble::undirected_graph {
    auto const percent = support::below(random, 100);
    return random_undirected(random, most, percent);
}

/// Small graphs glued together at two or three adjacent vertices each: rich in separators.
[[nodiscard]] inline auto glued_graph(support::split_mix& random, std::size_t most) -> repebble::undirected_graph {
    auto const n = 1 + support::below(random, most);
    auto const percent = 30 + support::below(random, 60);
    std::vector<repebble::undirected_graph::edge> edges;
    for (std::uint32_t begin = 0; begin < n;) {
        auto const end = std::min<std::size_t>(n, begin + 2 + support::below(random, 5));
        for (auto u = begin > 3 ? begin - static_cast<std::uint32_t>(support::below(random, 4)) : 0; u < end; ++u)
            for (auto v = begin; v < u; ++v)
                if (support::chance(random, percent)) edges.emplace_back(u, v);
        begin = static_cast<std::uint32_t>(end);
        if (begin < n && begin > 2) {
            edges.emplace_back(begin, static_cast<std::uint32_t>(support::below(random, begin)));
            edges.emplace_back(begin, static_cast<std::uint32_t>(support::below(random, begin)));
        }
    }
    return {n, edges};
}

/// A tree of cliques of k + 1 vertices, without some of the edges: its treewidth is at most k.
[[nodiscard]] inline auto partial_k_tree(support::split_mix& random, std::size_t n, std::size_t k,
                                         std::size_t kept_percent) -> repebble::undirected_graph {
    using vertex = repebble::undirected_graph::vertex;
    std::vector<repebble::undirected_graph::edge> edges;
    std::vector<std::vector<vertex>> cliques(1);
    for (vertex v = 0; v < n; ++v) {
        auto clique = support::pick(random, cliques);
        if (clique.size() > k)
            clique.erase(clique.begin() + static_cast<std::ptrdiff_t>(support::below(random, k + 1)));
        for (auto const w : clique)
            if (support::chance(random, kept_percent)) edges.emplace_back(v, w);
        clique.push_back(v);
        if (v <= k) cliques.clear();
        cliques.push_back(clique);
    }
    return {n, edges};
}

/// Petersen's graph: an outer cycle of five, spokes, and an inner star of five.
[[nodiscard]] inline auto petersen() -> repebble::undirected_graph {
    std::vector<repebble::undirected_graph::edge> edges;
    for (std::uint32_t v = 0; v < 5; ++v) {
        edges.emplace_back(v, (v + 1) % 5);
        edges.emplace_back(v, v + 5);
        edges.emplace_back(v + 5, (v + 2) % 5 + 5);
    }
    return {10, edges};
}

}  // namespace support

#endif
