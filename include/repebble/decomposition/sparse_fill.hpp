#ifndef REPEBBLE_DECOMPOSITION_SPARSE_FILL_HPP
#define REPEBBLE_DECOMPOSITION_SPARSE_FILL_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/dense_fill.hpp>
#include <repebble/decomposition/fill_queue.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::detail {

/// Minimum fill, exactly and incrementally: what an elimination changes is counted, nothing is counted again. When what
/// is left has few vertices for its edges it goes on in a matrix of bits.
class sparse_fill {
  public:
    using vertex = undirected_graph::vertex;

    explicit sparse_fill(undirected_graph const& g)
        : n_(g.vertex_count()),
          rows_(n_),
          degree_(n_),
          fill_(n_, 0),
          mark_(n_, 0),
          touched_at_(n_, 0),
          queue_(n_),
          edges_(g.edge_count()) {
        pool_.reserve(2 * edges_);
        for (vertex v = 0; v < n_; ++v) {
            degree_[v] = static_cast<std::uint32_t>(g.degree(v));
            rows_[v] = {pool_.size(), degree_[v], degree_[v]};
            pool_.insert(pool_.end(), g.neighbors(v).begin(), g.neighbors(v).end());
        }
    }

    /// Appends all vertices to the order; returns its width.
    [[nodiscard]] auto run(std::vector<vertex>& order) -> std::size_t {
        if (is_dense(n_)) return in_matrix(order);
        count_fill();
        for (auto v = static_cast<vertex>(n_); v-- > 0;) queue_.put(v, fill_[v]);
        std::size_t width = 0;
        for (auto left = n_; left > 0; --left) {
            if (is_dense(left)) return std::max(width, in_matrix(order));
            auto const x = queue_.pop([&](vertex v) { return fill_[v]; });
            width = std::max<std::size_t>(width, degree_[x]);
            order.push_back(x);
            eliminate(x);
        }
        return width;
    }

  private:
    struct row {
        std::size_t begin = 0;
        std::uint32_t size = 0, room = 0;
    };
    static constexpr auto gone = std::numeric_limits<std::uint32_t>::max();

    /// A row of bits takes no more bytes than twice a list of neighbours, on average.
    [[nodiscard]] auto is_dense(std::size_t left) const -> bool { return left > 1 && 16 * edges_ >= left * left; }
    [[nodiscard]] auto is_gone(vertex v) const -> bool { return degree_[v] == gone; }

    /// Of a vertex, without those that are eliminated.
    [[nodiscard]] auto neighbors(vertex v) -> std::span<vertex> {
        if (rows_[v].size != degree_[v]) drop_gone(v);
        return {pool_.data() + rows_[v].begin, rows_[v].size};
    }
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
    }
    /// From the triangles: each is found once, at the edge between its vertices of least degree.
    void count_fill() {
        std::vector<std::int64_t> triangles(n_, 0);
        auto const before = [&](vertex a, vertex b) {
            return degree_[a] != degree_[b] ? degree_[a] < degree_[b] : a < b;
        };
        std::vector<std::size_t> start(n_ + 1, 0);
        std::vector<vertex> later;
        later.reserve(edges_);
        for (vertex v = 0; v < n_; ++v) {
            for (auto const w : neighbors(v))
                if (before(v, w)) later.push_back(w);
            start[v + std::size_t{1}] = later.size();
        }
        for (vertex v = 0; v < n_; ++v) {
            ++stamp_;
            for (auto k = start[v]; k < start[v + std::size_t{1}]; ++k) mark_[later[k]] = stamp_;
            for (auto k = start[v]; k < start[v + std::size_t{1}]; ++k) {
                auto const w = later[k];
                for (auto i = start[w]; i < start[w + std::size_t{1}]; ++i)
                    if (mark_[later[i]] == stamp_) {
                        ++triangles[v];
                        ++triangles[w];
                        ++triangles[later[i]];
                    }
            }
        }
        for (vertex v = 0; v < n_; ++v) {
            auto const d = std::int64_t{degree_[v]};
            fill_[v] = d * (d - 1) / 2 - triangles[v];
        }
    }
    void touch(vertex v) {
        if (touched_at_[v] == round_) return;
        touched_at_[v] = round_;
        touched_.push_back(v);
    }
    void eliminate(vertex x) {
        auto const d = degree_[x];
        ++round_;
        touched_.clear();
        auto const all = neighbors(x);
        around_.assign(all.begin(), all.end());
        if (fill_[x] > 0) complete(x);
        degree_[x] = gone;
        edges_ -= d;
        for (auto const u : around_) {
            fill_[u] -= degree_[u] - d;
            --degree_[u];
            touch(u);
        }
        for (auto const v : touched_)
            if (v != x) queue_.put(v, fill_[v]);
        if (pool_.size() > 2 * pool_least_ && pool_.size() > 4 * edges_ + n_) compact();
    }
    /// Makes all neighbours of x neighbours of one another.
    void complete(vertex x) {
        auto missing = fill_[x];
        for (std::size_t k = 0; k < around_.size() && missing > 0; ++k) {
            auto const a = around_[k];
            ++stamp_;
            for (auto const w : neighbors(a)) mark_[w] = stamp_;
            for (auto i = k + 1; i < around_.size(); ++i)
                if (mark_[around_[i]] != stamp_) {
                    join(a, around_[i]);
                    --missing;
                }
        }
    }
    /// Requires: the neighbours of a are marked.
    void join(vertex a, vertex b) {
        std::int64_t common = 0;
        for (auto const w : neighbors(b))
            if (mark_[w] == stamp_) {
                ++common;
                --fill_[w];
                touch(w);
            }
        fill_[a] += degree_[a]++ - common;
        fill_[b] += degree_[b]++ - common;
        append(a, b);
        append(b, a);
        mark_[b] = stamp_;
        ++edges_;
    }
    /// Rows one after the other again.
    void compact() {
        std::vector<vertex> pool;
        pool.reserve(3 * edges_);
        for (vertex v = 0; v < n_; ++v) {
            if (is_gone(v)) continue;
            auto const all = neighbors(v);
            auto const begin = pool.size();
            pool.insert(pool.end(), all.begin(), all.end());
            rows_[v] = {begin, degree_[v], degree_[v]};
        }
        pool_ = std::move(pool);
        pool_least_ = pool_.size();
    }
    [[nodiscard]] auto in_matrix(std::vector<vertex>& order) -> std::size_t {
        std::vector<vertex> left, number(n_);
        for (vertex v = 0; v < n_; ++v)
            if (!is_gone(v)) {
                number[v] = static_cast<vertex>(left.size());
                left.push_back(v);
            }
        dense_fill rest(left);
        for (auto const v : left)
            for (auto const w : neighbors(v))
                if (v < w) rest.connect(number[v], number[w]);
        return rest.run(order);
    }

    std::size_t n_;
    std::vector<row> rows_;
    std::vector<vertex> pool_;
    std::vector<std::uint32_t> degree_;  // `gone` when eliminated
    std::vector<std::int64_t> fill_;     // edges that are missing between neighbours
    std::vector<std::uint32_t> mark_, touched_at_;
    std::uint32_t stamp_ = 0, round_ = 0;
    std::vector<vertex> touched_, around_;
    fill_queue queue_;
    std::size_t edges_, pool_least_ = 0;
};

}  // namespace repebble::detail

#endif
