#ifndef REPEBBLE_TREEWIDTH_DETAIL_GRAPHS_GRAPH_WITH_HUBS_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_GRAPHS_GRAPH_WITH_HUBS_HPP

// A shrinking graph whose vertices of degree sqrt(2 m) or more, the hubs, also have a bit matrix: at most O(sqrt(m))
// vertices, so that adjacency tests and common-neighbour counts never read a long list. Safe reductions and
// contractions use it.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/detail/graphs/shrinking_graph.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0::detail {

/// A shrinking graph with fast adjacency tests between hubs; m is the number of edges at first.
class graph_with_hubs : shrinking_graph {
  public:
    using shrinking_graph::degree;
    using shrinking_graph::edge_count;
    using shrinking_graph::induced;
    using shrinking_graph::is_removed;
    using shrinking_graph::neighbors;
    using shrinking_graph::remove;
    using shrinking_graph::vertex;
    using shrinking_graph::vertex_count;

    explicit graph_with_hubs(undirected_graph const& g)
        : shrinking_graph(g),
          hub_degree_(static_cast<std::uint32_t>(std::max(64.0, std::sqrt(2.0 * static_cast<double>(g.edge_count()))))),
          number_(g.vertex_count(), none),
          mark_(g.vertex_count(), 0),
          count_(g.vertex_count(), 0) {
        for (vertex v = 0; v < g.vertex_count(); ++v)
            if (is_hub(v)) hubs_.push_back(v);
        number_hubs();
    }

    /// Requires: v is not removed.
    [[nodiscard]] auto is_hub(vertex v) const noexcept -> bool { return degree(v) >= hub_degree_; }

    /// O(1) for two hubs, else the lesser degree.  Requires: neither is removed.
    [[nodiscard]] auto are_neighbors(vertex u, vertex v) -> bool {
        if (degree(v) < degree(u)) std::swap(u, v);
        return is_hub(u) ? are_adjacent_hubs(u, v) : std::ranges::find(neighbors(u), v) != neighbors(u).end();
    }
    /// Adds an edge.  Requires: u and v are not adjacent.
    void connect(vertex u, vertex v) {
        shrinking_graph::connect(u, v);
        for (auto const w : {u, v})
            if (is_hub(w) && number_[w] == none) add_hub(w);
        if (!hubs_.empty() && number_[u] != none && number_[v] != none) set(u, v);
    }
    /// Connects v with each of these vertices that is not v and not adjacent yet.
    void connect_all(vertex v, std::span<vertex const> all) {
        if (is_hub(v)) {
            for (auto const w : all)
                if (w != v && !are_neighbors(v, w)) connect(v, w);
            return;
        }
        stamp_ += 2;
        mark_[v] = stamp_;
        for (auto const w : neighbors(v)) mark_[w] = stamp_;
        for (auto const w : all)
            if (mark_[w] != stamp_) connect(v, w);
    }
    /// Calls take(k, number of these vertices that are adjacent to the k-th) for each, until it returns false. Lists of
    /// hubs are not read, nor that of the last vertex.  O(degrees of the others + squared number of hubs).  Requires:
    /// hubs come last.
    template <class Take>
    void count_among(std::span<vertex const> all, Take const& take) {
        auto const hub = std::ranges::find_if(all, [&](vertex w) { return is_hub(w); });
        auto const read = std::min(static_cast<std::size_t>(hub - all.begin()), all.size() - 1);
        auto const unread = all.subspan(read);
        auto const one = stamp_ += 2, other = one + 1;
        for (auto const w : all.first(read)) mark_[w] = one;
        for (auto const w : unread) {
            mark_[w] = other;
            count_[w] = 0;
        }
        for (std::size_t k = 0; k < read; ++k) {
            std::size_t count = 0;
            for (auto const x : neighbors(all[k])) {
                count += mark_[x] >= one ? 1U : 0U;
                if (mark_[x] == other) ++count_[x];
            }
            if (!take(k, count)) return;
        }
        for (std::size_t k = 0; k < unread.size(); ++k) {
            std::size_t count = count_[unread[k]];
            for (auto const x : unread.subspan(k + 1)) {
                auto const adjacent = are_adjacent_hubs(unread[k], x) ? 1U : 0U;
                count += adjacent;
                count_[x] += adjacent;
            }
            if (!take(read + k, count)) return;
        }
    }

  private:
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    [[nodiscard]] auto are_adjacent_hubs(vertex u, vertex v) const -> bool {
        return (bits_[number_[u] * words_ + number_[v] / 64] >> number_[v] % 64 & 1U) != 0;
    }
    void set(vertex u, vertex v) {
        bits_[number_[u] * words_ + number_[v] / 64] |= std::uint64_t{1} << number_[v] % 64;
        bits_[number_[v] * words_ + number_[u] / 64] |= std::uint64_t{1} << number_[u] % 64;
    }
    void add_hub(vertex v) {
        if (hubs_.size() == 64 * words_) number_hubs();
        number_[v] = static_cast<std::uint32_t>(hubs_.size());
        hubs_.push_back(v);
        for (auto const w : neighbors(v))
            if (number_[w] != none) set(v, w);
    }
    /// Renumbers the hubs and drops former ones; the matrix gets capacity for twice their number.
    void number_hubs() {
        auto const before = std::exchange(hubs_, {});
        for (auto const v : before) number_[v] = none;
        auto const is_still_hub = [&](vertex v) { return !is_removed(v) && is_hub(v); };
        words_ = static_cast<std::size_t>(std::ranges::count_if(before, is_still_hub)) / 32 + 1;
        bits_.assign(64 * words_ * words_, 0);
        for (auto const v : before)
            if (is_still_hub(v)) add_hub(v);
    }

    std::uint32_t hub_degree_;
    std::vector<std::uint32_t> number_;  // index in the matrix; a former hub may keep it
    std::vector<vertex> hubs_;           // by number
    std::size_t words_ = 0;
    std::vector<std::uint64_t> bits_;
    std::vector<std::uint32_t> mark_, count_;
    std::uint32_t stamp_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
