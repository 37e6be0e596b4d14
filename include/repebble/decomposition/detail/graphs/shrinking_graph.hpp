#ifndef REPEBBLE_DECOMPOSITION_DETAIL_GRAPHS_SHRINKING_GRAPH_HPP
#define REPEBBLE_DECOMPOSITION_DETAIL_GRAPHS_SHRINKING_GRAPH_HPP

// A dynamic graph for elimination and contraction: adjacency lists in one pool, with lazy deletion. Removing a vertex
// costs its degree, whatever the degrees of its neighbours. `sparse_fill` works on it directly, `graph_with_hubs`
// extends it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0::detail {

/// A graph from which vertices are removed and to which edges are added. A list drops removed neighbours only when it
/// is read or full.
class shrinking_graph {
  public:
    using vertex = undirected_graph::vertex;

    explicit shrinking_graph(undirected_graph const& g)
        : rows_(g.vertex_count()), degree_(g.vertex_count()), left_(g.vertex_count()), edges_(g.edge_count()) {
        pool_.reserve(pool_capacity(edges_));
        for (vertex v = 0; v < rows_.size(); ++v) {
            degree_[v] = static_cast<std::uint32_t>(g.degree(v));
            rows_[v] = {pool_.size(), degree_[v], degree_[v]};
            pool_.insert(pool_.end(), g.neighbors(v).begin(), g.neighbors(v).end());
        }
    }

    /// Remaining vertices, and edges between them.
    [[nodiscard]] auto vertex_count() const noexcept -> std::size_t { return left_; }
    [[nodiscard]] auto edge_count() const noexcept -> std::size_t { return edges_; }
    [[nodiscard]] auto degree(vertex v) const noexcept -> std::uint32_t { return degree_[v]; }
    [[nodiscard]] auto is_removed(vertex v) const noexcept -> bool { return degree_[v] == removed; }

    /// Unordered; valid until an edge is added.  Requires: v is not removed.
    [[nodiscard]] auto neighbors(vertex v) -> std::span<vertex const> {
        if (rows_[v].size != degree_[v]) drop_removed(v);
        return {pool_.data() + rows_[v].begin, rows_[v].size};
    }
    void remove(vertex v) {
        remove(v, [](vertex) {});
    }
    /// The same; calls f(w) for each neighbour.
    template <class F>
    void remove(vertex v, F const& f) {
        for (auto const w : neighbors(v)) {
            --degree_[w];
            f(w);
        }
        edges_ -= degree_[v];
        degree_[v] = removed;
        --left_;
    }
    /// Adds an edge.  Requires: u and v are not adjacent.
    void connect(vertex u, vertex v) {
        append(u, v);
        append(v, u);
        ++edges_;
    }

    /// The induced subgraph on some vertices, numbered in this order.  Requires: none is removed.  O(vertices +
    /// degrees).
    [[nodiscard]] auto induced(std::span<vertex const> kept) -> undirected_graph {
        std::vector<vertex> number(rows_.size(), removed);
        for (std::size_t k = 0; k < kept.size(); ++k) number[kept[k]] = static_cast<vertex>(k);
        std::vector<undirected_graph::edge> edges;
        edges.reserve(edges_);
        for (auto const v : kept)
            for (auto const w : neighbors(v))
                if (v < w && number[w] != removed) edges.emplace_back(number[v], number[w]);
        return {kept.size(), edges};
    }

  private:
    struct row {
        std::size_t begin = 0;
        std::uint32_t size = 0, capacity = 0;
    };
    static constexpr auto removed = std::numeric_limits<std::uint32_t>::max();

    void drop_removed(vertex v) {
        auto& r = rows_[v];
        auto* const begin = pool_.data() + r.begin;
        auto const* const end = std::remove_if(begin, begin + r.size, [&](vertex w) { return is_removed(w); });
        r.size = static_cast<std::uint32_t>(end - begin);
    }
    void append(vertex v, vertex neighbor) {
        auto& r = rows_[v];
        if (r.size == r.capacity) {
            drop_removed(v);
            if (r.size > r.capacity - r.capacity / 8) relocate(v);
        }
        if (r.size == r.capacity) relocate(v);
        pool_[r.begin + r.size++] = neighbor;
        ++degree_[v];
    }
    /// Moves a list to the end of the pool, with spare capacity.
    void relocate(vertex v) {
        auto const capacity = rows_[v].size + std::max<std::uint32_t>(4, rows_[v].size / 2);
        if (pool_.capacity() - pool_.size() < capacity) compact(capacity);
        auto& r = rows_[v];
        auto const begin = pool_.size();
        pool_.resize(begin + capacity);
        std::copy_n(pool_.begin() + static_cast<std::ptrdiff_t>(r.begin), r.size,
                    pool_.begin() + static_cast<std::ptrdiff_t>(begin));
        r.begin = begin;
        r.capacity = capacity;
    }
    [[nodiscard]] auto pool_capacity(std::size_t edges) const -> std::size_t { return 3 * edges + rows_.size() / 2; }
    /// Rewrites the lists one after the other, with spare capacity behind them for `capacity` entries and half as many
    /// again.
    void compact(std::size_t capacity) {
        std::vector<vertex> pool;
        pool.reserve(pool_capacity(edges_) + capacity);
        for (vertex v = 0; v < rows_.size(); ++v) {
            if (is_removed(v)) continue;
            auto const all = neighbors(v);
            auto const begin = pool.size();
            pool.insert(pool.end(), all.begin(), all.end());
            rows_[v] = {begin, degree_[v], degree_[v]};
        }
        pool_.swap(pool);
    }

    std::vector<row> rows_;
    std::vector<vertex> pool_;
    std::vector<std::uint32_t> degree_;  // `removed` once removed
    std::size_t left_, edges_;
};

}  // namespace repebble::inline v0::detail

#endif
