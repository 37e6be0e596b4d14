#ifndef REPEBBLE_DECOMPOSITION_DETAIL_GRAPHS_SHRINKING_GRAPH_HPP
#define REPEBBLE_DECOMPOSITION_DETAIL_GRAPHS_SHRINKING_GRAPH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0::detail {

/// A graph that vertices are taken from and edges are added to. A list of neighbours drops those that are gone only
/// when it is read or full, so that taking a vertex costs its degree, however large those of its neighbours are.
class shrinking_graph {
  public:
    using vertex = undirected_graph::vertex;

    explicit shrinking_graph(undirected_graph const& g)
        : rows_(g.vertex_count()), degree_(g.vertex_count()), left_(g.vertex_count()), edges_(g.edge_count()) {
        pool_.reserve(room_for(edges_));
        for (vertex v = 0; v < rows_.size(); ++v) {
            degree_[v] = static_cast<std::uint32_t>(g.degree(v));
            rows_[v] = {pool_.size(), degree_[v], degree_[v]};
            pool_.insert(pool_.end(), g.neighbors(v).begin(), g.neighbors(v).end());
        }
    }

    /// Those that are left, and edges between them.
    [[nodiscard]] auto vertex_count() const noexcept -> std::size_t { return left_; }
    [[nodiscard]] auto edge_count() const noexcept -> std::size_t { return edges_; }
    [[nodiscard]] auto degree(vertex v) const noexcept -> std::uint32_t { return degree_[v]; }
    [[nodiscard]] auto is_gone(vertex v) const noexcept -> bool { return degree_[v] == gone; }

    /// In no order; until an edge is added.  Requires: v is not gone.
    [[nodiscard]] auto neighbors(vertex v) -> std::span<vertex const> {
        if (rows_[v].size != degree_[v]) drop_gone(v);
        return {pool_.data() + rows_[v].begin, rows_[v].size};
    }
    void remove(vertex v) {
        remove(v, [](vertex) {});
    }
    /// The same; left(w) is called for each neighbour.
    template <class Left>
    void remove(vertex v, Left const& left) {
        for (auto const w : neighbors(v)) {
            --degree_[w];
            left(w);
        }
        edges_ -= degree_[v];
        degree_[v] = gone;
        --left_;
    }
    /// Requires: u and v are no neighbours.
    void connect(vertex u, vertex v) {
        append(u, v);
        append(v, u);
        ++edges_;
    }

    /// What it induces on these, numbered in this order.  Requires: none is gone.  O(vertices + degrees).
    [[nodiscard]] auto induced(std::span<vertex const> kept) -> undirected_graph {
        std::vector<vertex> number(rows_.size(), gone);
        for (std::size_t k = 0; k < kept.size(); ++k) number[kept[k]] = static_cast<vertex>(k);
        std::vector<undirected_graph::edge> edges;
        edges.reserve(edges_);
        for (auto const v : kept)
            for (auto const w : neighbors(v))
                if (v < w && number[w] != gone) edges.emplace_back(number[v], number[w]);
        return {kept.size(), edges};
    }

  private:
    struct row {
        std::size_t begin = 0;
        std::uint32_t size = 0, room = 0;
    };
    static constexpr auto gone = std::numeric_limits<std::uint32_t>::max();

    void drop_gone(vertex v) {
        auto& r = rows_[v];
        auto* const begin = pool_.data() + r.begin;
        auto const* const end = std::remove_if(begin, begin + r.size, [&](vertex w) { return is_gone(w); });
        r.size = static_cast<std::uint32_t>(end - begin);
    }
    void append(vertex v, vertex neighbor) {
        auto& r = rows_[v];
        if (r.size == r.room) {
            drop_gone(v);
            if (r.size > r.room - r.room / 8) move_away(v);
        }
        if (r.size == r.room) move_away(v);
        pool_[r.begin + r.size++] = neighbor;
        ++degree_[v];
    }
    /// To the end of the pool, where there is room.
    void move_away(vertex v) {
        auto const room = rows_[v].size + std::max<std::uint32_t>(4, rows_[v].size / 2);
        if (pool_.capacity() - pool_.size() < room) compact(room);
        auto& r = rows_[v];
        auto const begin = pool_.size();
        pool_.resize(begin + room);
        std::copy_n(pool_.begin() + static_cast<std::ptrdiff_t>(r.begin), r.size,
                    pool_.begin() + static_cast<std::ptrdiff_t>(begin));
        r.begin = begin;
        r.room = room;
    }
    [[nodiscard]] auto room_for(std::size_t edges) const -> std::size_t { return 3 * edges + rows_.size() / 2; }
    /// Rows one after the other again, and behind them room for so many and for half as much as there is.
    void compact(std::size_t room) {
        std::vector<vertex> pool;
        pool.reserve(room_for(edges_) + room);
        for (vertex v = 0; v < rows_.size(); ++v) {
            if (is_gone(v)) continue;
            auto const all = neighbors(v);
            auto const begin = pool.size();
            pool.insert(pool.end(), all.begin(), all.end());
            rows_[v] = {begin, degree_[v], degree_[v]};
        }
        pool_.swap(pool);
    }

    std::vector<row> rows_;
    std::vector<vertex> pool_;
    std::vector<std::uint32_t> degree_;  // `gone` when taken
    std::size_t left_, edges_;
};

}  // namespace repebble::inline v0::detail

#endif
