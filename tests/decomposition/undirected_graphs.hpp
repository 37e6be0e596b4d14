#ifndef REPEBBLE_TESTS_DECOMPOSITION_UNDIRECTED_GRAPHS_HPP
#define REPEBBLE_TESTS_DECOMPOSITION_UNDIRECTED_GRAPHS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

#include "support/generators.hpp"

namespace support {

/// Elimination by the definition.
struct eliminated_step_by_step {
    std::vector<std::set<std::uint32_t>> neighbors;
    repebble::elimination made{};

    explicit eliminated_step_by_step(repebble::undirected_graph const& g) : neighbors(g.vertex_count()) {
        for (std::size_t v = 0; v < g.vertex_count(); ++v)
            neighbors[v] = {g.neighbors(v).begin(), g.neighbors(v).end()};
    }
    [[nodiscard]] auto missing(std::uint32_t v) const -> std::vector<std::pair<std::uint32_t, std::uint32_t>> {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
        for (auto const a : neighbors[v])
            for (auto const b : neighbors[v])
                if (a < b && !neighbors[a].contains(b)) all.emplace_back(a, b);
        return all;
    }
    void eliminate(std::uint32_t v) {
        for (auto const& [a, b] : missing(v)) {
            neighbors[a].insert(b);
            neighbors[b].insert(a);
            ++made.fill;
        }
        made.width = std::max(made.width, neighbors[v].size());
        for (auto const a : neighbors[v]) neighbors[a].erase(v);
        neighbors[v].clear();
    }
};

[[nodiscard]] inline auto random_undirected(split_mix& random, std::size_t most, std::size_t percent)
    -> repebble::undirected_graph {
    auto const n = below(random, most + 1);
    std::vector<repebble::undirected_graph::edge> edges;
    for (std::uint32_t u = 0; u < n; ++u)
        for (std::uint32_t v = 0; v < u; ++v)
            if (chance(random, percent)) edges.emplace_back(u, v);
    return {n, edges};
}

[[nodiscard]] inline auto grid(std::uint32_t rows, std::uint32_t columns) -> repebble::undirected_graph {
    std::vector<repebble::undirected_graph::edge> edges;
    for (std::uint32_t r = 0; r < rows; ++r)
        for (std::uint32_t c = 0; c < columns; ++c) {
            if (c + 1 < columns) edges.emplace_back(r * columns + c, r * columns + c + 1);
            if (r + 1 < rows) edges.emplace_back(r * columns + c, (r + 1) * columns + c);
        }
    return {std::size_t{rows} * columns, edges};
}

[[nodiscard]] inline auto random_elimination(split_mix& random, std::size_t n) -> repebble::elimination_order {
    auto const order = random_permutation(random, n);
    return {order.begin(), order.end()};
}

}  // namespace support

#endif
