#ifndef REPEBBLE_DECOMPOSITION_NEIGHBOR_LISTS_HPP
#define REPEBBLE_DECOMPOSITION_NEIGHBOR_LISTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::detail {

/// An undirected graph to which edges are added and from which vertices are taken, in one block of memory that never
/// holds more than a few times what is left. A vertex that is gone leaves the lists of others when they are next read.
class neighbor_lists {
  public:
    using vertex = undirected_graph::vertex;

    explicit neighbor_lists(undirected_graph const& g)
        : rows_(g.vertex_count()), count_(g.vertex_count()), edges_(g.edge_count()) {
        pool_.reserve(2 * edges_);
        for (vertex v = 0; v < rows_.size(); ++v) {
            count_[v] = static_cast<std::uint32_t>(g.degree(v));
            rows_[v] = {pool_.size(), count_[v], count_[v]};
            pool_.insert(pool_.end(), g.neighbors(v).begin(), g.neighbors(v).end());
        }
    }

    [[nodiscard]] auto vertex_count() const -> std::size_t { return rows_.size(); }
    [[nodiscard]] auto edge_count() const -> std::size_t { return edges_; }
    [[nodiscard]] auto is_gone(vertex v) const -> bool { return count_[v] == gone; }
    [[nodiscard]] auto count(vertex v) const -> std::uint32_t { return count_[v]; }

    /// In no order. What was returned before for this vertex is no longer valid.
    [[nodiscard]] auto neighbors(vertex v) -> std::span<vertex const> {
        if (rows_[v].size != count_[v]) drop_gone(v);
        return {pool_.data() + rows_[v].begin, rows_[v].size};
    }
    /// Adds an edge. What neighbors() returned is no longer valid.
    void connect(vertex u, vertex v) {
        append(u, v);
        append(v, u);
        ++edges_;
    }
    /// Takes a vertex away; `left(w)` is called for each of its neighbours. What neighbors() returned stays valid.
    template <class Left>
    void take(vertex v, Left const& left) {
        auto const all = neighbors(v);
        edges_ -= all.size();
        count_[v] = gone;
        for (auto const w : all) {
            --count_[w];
            left(w);
        }
    }
    /// Frees memory where much is unused. What neighbors() returned is no longer valid.
    void tidy() {
        if (pool_.size() > 2 * pool_least_ && pool_.size() > 4 * edges_ + rows_.size()) compact();
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
        if (r.size == r.room) drop_gone(v);
        if (r.size == r.room) {
            auto const room = std::max<std::uint32_t>(4, r.room + r.room / 2);
            auto const begin = pool_.size();
            pool_.resize(begin + room);
            std::copy_n(pool_.begin() + static_cast<std::ptrdiff_t>(r.begin), r.size,
                        pool_.begin() + static_cast<std::ptrdiff_t>(begin));
            r.begin = begin;
            r.room = room;
        }
        pool_[r.begin + r.size++] = neighbor;
        ++count_[v];
    }
    /// Rows one after the other again.
    void compact() {
        std::vector<vertex> pool;
        pool.reserve(3 * edges_);
        for (vertex v = 0; v < rows_.size(); ++v) {
            if (is_gone(v)) continue;
            auto const all = neighbors(v);
            auto const begin = pool.size();
            pool.insert(pool.end(), all.begin(), all.end());
            rows_[v] = {begin, count_[v], count_[v]};
        }
        pool_ = std::move(pool);
        pool_least_ = pool_.size();
    }

    std::vector<row> rows_;
    std::vector<vertex> pool_;
    std::vector<std::uint32_t> count_;  // of neighbours that are there; `gone` when the vertex itself is not
    std::size_t edges_, pool_least_ = 0;
};

}  // namespace repebble::detail

#endif
