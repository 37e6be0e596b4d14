#ifndef REPEBBLE_TREEWIDTH_DETAIL_IMPROVE_DECOMPOSITION_REGION_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_IMPROVE_DECOMPOSITION_REGION_HPP

// Regions of a tree decomposition: a connected set of bags, the graph that a new decomposition of the region must
// respect, and the minor of the whole graph boundary it. `local_improvement` re-decomposes regions, `minor_bound`
// decides their minors. Invariant: any tree decomposition of `graph()` can replace the region.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

/// A tree decomposition and the adjacency of its bags.
struct bag_tree {
    bag_tree(undirected_graph const& g, std::span<undirected_graph::vertex const> order)
        : made(make_tree_decomposition(g, order)), adjacency(made.bags.size(), made.edges) {}

    [[nodiscard]] auto widest() const -> std::vector<std::uint32_t> {
        std::vector<std::uint32_t> found;
        auto const width = made.width();
        for (std::uint32_t b = 0; b < made.bags.size(); ++b)
            if (made.bags[b].size() == width + 1) found.push_back(b);
        return found;
    }

    tree_decomposition made;
    undirected_graph adjacency;
};

/// A connected set of bags of a tree decomposition. The graph and the tree must outlive it.
class decomposition_region {
  public:
    using vertex = undirected_graph::vertex;

    /// Grows from one bag until the bags have about `vertex_limit` vertices: at random, or breadth first.
    decomposition_region(undirected_graph const& g, bag_tree const& tree, std::uint32_t from, std::size_t vertex_limit,
                         split_mix& random)
        : g_(&g), tree_(&tree), inside_(tree.made.bags.size(), 0), number_(g.vertex_count(), none) {
        auto const at_random = random.chance(0.5);
        std::vector<std::uint32_t> reached{from};
        std::vector<std::uint8_t> visited(inside_);
        visited[from] = 1;
        for (std::size_t k = 0; k < reached.size() && vertices_.size() < vertex_limit; ++k) {
            if (at_random) std::swap(reached[k], reached[k + random.below(reached.size() - k)]);
            auto const b = reached[k];
            inside_[b] = 1;
            bags_.push_back(b);
            for (auto const v : tree.made.bags[b])
                if (std::exchange(number_[v], 0) == none) vertices_.push_back(v);
            for (auto const c : tree.adjacency.neighbors(b))
                if (std::exchange(visited[c], std::uint8_t{1}) == 0) reached.push_back(c);
        }
        std::ranges::sort(vertices_);
        for (std::size_t k = 0; k < vertices_.size(); ++k) number_[vertices_[k]] = static_cast<vertex>(k);
    }

    /// The vertices of the region, ascending; its graph numbers them in this order.
    [[nodiscard]] auto vertices() const noexcept -> std::vector<vertex> const& { return vertices_; }

    /// The induced subgraph, with a clique on the intersection of each adjacent outside bag with the region.
    [[nodiscard]] auto graph() const -> undirected_graph {
        auto const n = vertices_.size();
        std::vector<vertex_set> rows(n, vertex_set(n));
        for (std::size_t k = 0; k < n; ++k)
            for (auto const w : g_->neighbors(vertices_[k]))
                if (number_[w] != none) rows[k].insert(number_[w]);
        for (auto const b : bags_)
            for (auto const c : tree_->adjacency.neighbors(b))
                if (inside_[c] == 0) {
                    vertex_set common(n);
                    for (auto const v : tree_->made.bags[c])
                        if (number_[v] != none) common.insert(number_[v]);
                    common.for_each([&](std::size_t v) { rows[v] |= common; });
                }
        std::vector<undirected_graph::edge> edges;
        for (vertex k = 0; k < n; ++k)
            rows[k].for_each([&](std::size_t w) {
                if (k < w) edges.emplace_back(k, static_cast<vertex>(w));
            });
        return {n, edges};
    }
    /// A minor of the whole graph: the induced subgraph, with each outside component contracted into its neighbour of
    /// least degree.  O(n + m).
    [[nodiscard]] auto minor() const -> undirected_graph {
        std::vector<undirected_graph::edge> edges;
        auto const join = [&](vertex a, vertex b) {
            if (a != b) edges.emplace_back(a, b);
        };
        for (auto const v : vertices_)
            for (auto const w : g_->neighbors(v))
                if (v < w && number_[w] != none) join(number_[v], number_[w]);
        std::vector<std::uint8_t> visited(number_.size(), 0);
        std::vector<vertex> reached, boundary;
        for (vertex first = 0; first < number_.size(); ++first) {
            if (number_[first] != none || std::exchange(visited[first], std::uint8_t{1}) != 0) continue;
            reached.assign(1, first);
            boundary.clear();
            for (std::size_t k = 0; k < reached.size(); ++k)
                for (auto const w : g_->neighbors(reached[k]))
                    if (number_[w] != none)
                        boundary.push_back(w);
                    else if (std::exchange(visited[w], std::uint8_t{1}) == 0)
                        reached.push_back(w);
            if (boundary.empty()) continue;
            auto const into = std::ranges::min(boundary, {}, [&](vertex v) { return std::pair(g_->degree(v), v); });
            for (auto const v : boundary) join(number_[into], number_[v]);
        }
        return {vertices_.size(), edges};
    }
    /// The restriction of an order of the whole graph.
    [[nodiscard]] auto part_of(std::span<vertex const> order) const -> elimination_order {
        elimination_order part;
        part.reserve(vertices_.size());
        for (auto const v : order)
            if (number_[v] != none) part.push_back(number_[v]);
        return part;
    }
    /// Extends an order of the region to the whole graph; its width is that of the region's order or of a bag outside.
    [[nodiscard]] auto complete_order(std::span<vertex const> part) const -> elimination_order {
        std::vector<std::uint32_t> order(bags_), inward(inside_.size(), 0);
        auto visited = inside_;
        for (std::size_t k = 0; k < order.size(); ++k)
            for (auto const c : tree_->adjacency.neighbors(order[k]))
                if (std::exchange(visited[c], std::uint8_t{1}) == 0) {
                    inward[c] = order[k];
                    order.push_back(c);
                }
        elimination_order made;
        made.reserve(number_.size());
        for (auto k = order.size(); k-- > bags_.size();)
            std::ranges::set_difference(tree_->made.bags[order[k]], tree_->made.bags[inward[order[k]]],
                                        std::back_inserter(made));
        for (auto const k : part) made.push_back(vertices_[k]);
        return made;
    }

  private:
    static constexpr auto none = std::numeric_limits<vertex>::max();

    undirected_graph const* g_;
    bag_tree const* tree_;
    std::vector<std::uint8_t> inside_;  // per bag
    std::vector<vertex> number_;        // per vertex of the graph: its number in the region, or none
    std::vector<std::uint32_t> bags_;
    std::vector<vertex> vertices_;
};

}  // namespace repebble::inline v0::detail

#endif
