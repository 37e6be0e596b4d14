#ifndef REPEBBLE_TREEWIDTH_DETAIL_ORDERS_WEIGHTED_GRAPH_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_ORDERS_WEIGHTED_GRAPH_HPP

// Weighted graphs and their coarsening by heavy-edge matching (Karypis & Kumar 1998), for `multilevel_separator`.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/split_mix.hpp>

namespace repebble::inline v0::detail {

/// A graph whose vertices and edges may stand for several of an undirected graph.
struct weighted_graph {
    using vertex = undirected_graph::vertex;

    std::vector<std::size_t> starts = std::vector<std::size_t>(1, 0);
    std::vector<vertex> ends{};
    std::vector<std::uint32_t> edge_weight{};  // parallel to `ends`
    std::vector<std::uint32_t> weight{};       // of vertices

    [[nodiscard]] auto size() const -> std::size_t { return weight.size(); }
    [[nodiscard]] auto neighbors(vertex v) const -> std::span<vertex const> {
        return {ends.data() + starts[v], starts[v + std::size_t{1}] - starts[v]};
    }
    [[nodiscard]] auto total() const -> std::uint64_t { return std::accumulate(weight.begin(), weight.end(), 0ULL); }
};

/// The induced subgraph on some vertices, numbered in that order. `number` has an entry for each vertex of `of`, all
/// `none` before and after.
[[nodiscard]] inline auto induced_part(undirected_graph const& of, std::span<undirected_graph::vertex const> vertices,
                                       std::vector<undirected_graph::vertex>& number) -> weighted_graph {
    using vertex = undirected_graph::vertex;
    static constexpr auto none = std::numeric_limits<vertex>::max();
    weighted_graph part;
    for (std::size_t k = 0; k < vertices.size(); ++k) number[vertices[k]] = static_cast<vertex>(k);
    for (auto const v : vertices) {
        for (auto const w : of.neighbors(v))
            if (number[w] != none) part.ends.push_back(number[w]);
        part.starts.push_back(part.ends.size());
    }
    for (auto const v : vertices) number[v] = none;
    part.edge_weight.assign(part.ends.size(), 1);
    part.weight.assign(vertices.size(), 1);
    return part;
}

/// A coarser graph, and the coarse vertex of each fine one.
struct coarsening {
    weighted_graph graph{};
    std::vector<undirected_graph::vertex> part_of{};
};

/// Matches vertices along edges of large weight, or by a common neighbour, and contracts the pairs.  O(n + m).
[[nodiscard]] inline auto coarsen(weighted_graph const& fine, split_mix& random) -> coarsening {
    using vertex = undirected_graph::vertex;
    static constexpr auto none = std::numeric_limits<vertex>::max();
    auto const n = fine.size();
    coarsening made;
    made.part_of.assign(n, none);
    std::vector<vertex> visit(n);
    std::iota(visit.begin(), visit.end(), vertex{0});
    random.shuffle(visit);
    std::vector<std::pair<vertex, vertex>> pairs;
    std::vector<vertex> unmatched;
    auto const join = [&](vertex a, vertex b) {
        made.part_of[a] = made.part_of[b] = static_cast<vertex>(pairs.size());
        pairs.emplace_back(a, b);
    };
    auto const heaviest = static_cast<std::uint32_t>(3 * fine.total() / 40 + 1);  // keeps the coarsest graph balanced
    for (auto const v : visit) {
        if (made.part_of[v] != none) continue;
        auto mate = v;
        std::uint32_t greatest_weight = 0;
        for (auto k = fine.starts[v]; k < fine.starts[v + std::size_t{1}]; ++k) {
            auto const w = fine.ends[k];
            if (made.part_of[w] != none || fine.edge_weight[k] <= greatest_weight ||
                fine.weight[v] + fine.weight[w] > heaviest)
                continue;
            greatest_weight = fine.edge_weight[k];
            mate = w;
        }
        if (mate == v)
            unmatched.push_back(v);
        else
            join(v, mate);
    }
    // If many stay unmatched, such as the leaves of a star, match by a common neighbour.
    std::vector<vertex> unmatched_at(n, none);  // per vertex: an unmatched neighbour
    for (auto const v : 3 * unmatched.size() > n ? unmatched : std::vector<vertex>()) {
        auto* const other = fine.neighbors(v).empty() ? nullptr : &unmatched_at[fine.neighbors(v).front()];
        if (other == nullptr || *other == none || fine.weight[v] + fine.weight[*other] > heaviest) {
            if (other != nullptr) *other = v;
            continue;
        }
        join(*other, v);
        *other = none;
    }
    for (auto const v : unmatched)
        if (made.part_of[v] == none) join(v, v);
    auto& coarse = made.graph;
    std::vector<std::size_t> place(pairs.size(), 0);
    coarse.ends.reserve(fine.ends.size());
    for (vertex p = 0; p < pairs.size(); ++p) {
        auto const [a, b] = pairs[p];
        auto const begin = coarse.ends.size();
        auto const add = [&](vertex v) {
            for (auto k = fine.starts[v]; k < fine.starts[v + std::size_t{1}]; ++k) {
                auto const to = made.part_of[fine.ends[k]];
                if (to == p) continue;
                if (place[to] < begin || place[to] >= coarse.ends.size() || coarse.ends[place[to]] != to) {
                    place[to] = coarse.ends.size();
                    coarse.ends.push_back(to);
                    coarse.edge_weight.push_back(0);
                }
                coarse.edge_weight[place[to]] += fine.edge_weight[k];
            }
        };
        add(a);
        if (b != a) add(b);
        coarse.starts.push_back(coarse.ends.size());
        coarse.weight.push_back(fine.weight[a] + (b != a ? fine.weight[b] : 0));
    }
    return made;
}

}  // namespace repebble::inline v0::detail

#endif
