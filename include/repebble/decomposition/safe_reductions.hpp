#ifndef REPEBBLE_DECOMPOSITION_SAFE_REDUCTIONS_HPP
#define REPEBBLE_DECOMPOSITION_SAFE_REDUCTIONS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/decomposition/detail/bits/bucket_queue.hpp>
#include <repebble/decomposition/detail/graphs/graph_with_hubs.hpp>
#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0 {

/// What is left of a graph g when vertices are eliminated as long as that is sure to cost nothing: the treewidth of g
/// is that of the kernel, or `low` where that is larger. `eliminated` and then any order of the kernel is an order of g
/// whose width is that of the kernel's, or at most `low`.
struct reduced_graph {
    elimination_order eliminated{};
    undirected_graph kernel{};
    std::vector<undirected_graph::vertex> names{};  ///< of the kernel's vertices in g, ascending
    std::size_t low = 0;                            ///< the treewidth of g is not below

    friend auto operator==(reduced_graph const&, reduced_graph const&) -> bool = default;
};

namespace detail {

class safe_reduction {
  public:
    using vertex = undirected_graph::vertex;

    safe_reduction(undirected_graph const& g, std::size_t low)
        : n_(g.vertex_count()), left_(g), low_(low), tried_low_(low), queue_(n_), waits_(n_, 0) {
        for (auto v = static_cast<vertex>(n_); v-- > 0;) look_at(v);
    }
    [[nodiscard]] auto run() -> reduced_graph {
        do {
            while (waiting_ > 0) {
                auto const v = queue_.pop([&](vertex u) { return left_.degree(u); });
                waits_[v] = 0;
                --waiting_;
                if (!left_.is_gone(v)) reduce_at(v);
            }
        } while (raise_low());
        made_.low = low_;
        take_kernel();
        return std::move(made_);
    }

  private:
    using pair = std::pair<vertex, vertex>;

    void look_at(vertex v) {
        waiting_ += 1U - waits_[v];
        waits_[v] = 1;
        queue_.put(v, left_.degree(v));
    }
    /// To the least degree of what is left. Returns whether there are vertices to look at again.
    [[nodiscard]] auto raise_low() -> bool {
        auto least = n_;
        for (vertex v = 0; v < n_; ++v)
            if (!left_.is_gone(v)) least = std::min<std::size_t>(least, left_.degree(v));
        if (left_.vertex_count() > 0) low_ = std::max(low_, least);
        if (low_ == tried_low_) return false;
        for (vertex v = 0; v < n_; ++v)
            if (!left_.is_gone(v) && left_.degree(v) > tried_low_ && left_.degree(v) <= low_) look_at(v);
        tried_low_ = low_;
        return waiting_ > 0;
    }
    void reduce_at(vertex v) {
        auto const d = left_.degree(v);
        if (!is_almost_simplicial(v)) {
            if (d == 3 && low_ >= 3 && !reduce_buddy(v) && !reduce_cube(v))
                for (auto const w : copy_of(v))
                    if (left_.degree(w) == 3 && reduce_cube(w)) return;
            return;
        }
        if (missing_.empty())
            low_ = std::max<std::size_t>(low_, d);
        else if (d > low_)
            return;
        eliminate(v);
    }
    [[nodiscard]] auto copy_of(vertex v) -> std::array<vertex, 3> {
        auto const all = left_.neighbors(v);
        return {all[0], all[1], all[2]};
    }
    /// Whether all neighbours but one are neighbours of one another; the edges that are missing are listed then.
    [[nodiscard]] auto is_almost_simplicial(vertex v) -> bool {
        missing_.clear();
        auto const all = left_.neighbors(v);
        auto const d = all.size();
        if (d < 2) return true;
        if (d > low_ && std::ranges::any_of(all, [&](vertex w) { return left_.degree(w) < d; })) return false;
        if (d == 2) {
            auto const a = all[0], b = all[1];
            if (!left_.are_neighbors(a, b)) missing_.emplace_back(a, b);
            return true;
        }
        around_.assign(all.begin(), all.end());
        std::ranges::sort(around_, {}, [&](vertex w) { return std::pair(left_.degree(w), w); });
        if (left_.degree(around_[1]) + 2 <= d) return false;
        lacks_.assign(d, 0);
        std::size_t lacking = 0, sum = 0;  // of those that lack two or more
        left_.count_among(around_, [&](std::size_t k, std::size_t count) {
            auto const lacks = d - 1 - count;
            lacks_[k] = lacks;
            sum += lacks;
            return lacks < 2 || ++lacking < 2;
        });
        auto const most = std::ranges::max_element(lacks_);
        if (lacking > 1 || sum != 2 * *most) return false;
        auto const centre = static_cast<std::size_t>(most - lacks_.begin());
        for (std::size_t k = 0; k < d; ++k)
            if (k != centre && lacks_[k] > 0) missing_.emplace_back(around_[centre], around_[k]);
        return true;
    }
    /// Two vertices with the same three neighbours.
    [[nodiscard]] auto reduce_buddy(vertex v) -> bool {
        auto const mine = copy_of(v);
        auto const from = *std::ranges::min_element(mine, {}, [&](vertex w) { return left_.degree(w); });
        for (auto const buddy : left_.neighbors(from)) {
            if (buddy == v || left_.degree(buddy) != 3) continue;
            auto const its = left_.neighbors(buddy);
            if (!std::ranges::is_permutation(its, mine)) continue;
            eliminate_any(v);
            return true;
        }
        return false;
    }
    /// Three neighbours of which each two have a further neighbour in common, and no other: a corner of a cube.
    [[nodiscard]] auto reduce_cube(vertex v) -> bool {
        auto const mine = copy_of(v);
        std::vector<vertex> others;
        for (auto const w : mine) {
            if (left_.degree(w) != 3) return false;
            for (auto const x : left_.neighbors(w))
                if (x != v) others.push_back(x);
        }
        std::ranges::sort(others);
        for (std::size_t k = 0; k < 6; k += 2)
            if (others[k] != others[k + 1] || (k > 0 && others[k] == others[k - 1])) return false;
        for (auto const w : mine)
            if (std::ranges::binary_search(others, w)) return false;
        for (auto const w : mine) eliminate_any(w);
        return true;
    }
    void eliminate_any(vertex v) {
        auto const all = left_.neighbors(v);
        around_.assign(all.begin(), all.end());
        missing_.clear();
        for (std::size_t k = 0; k < around_.size(); ++k)
            for (auto i = k + 1; i < around_.size(); ++i)
                if (!left_.are_neighbors(around_[k], around_[i])) missing_.emplace_back(around_[k], around_[i]);
        eliminate(v);
    }
    /// Requires: the edges that are missing between its neighbours are listed.
    void eliminate(vertex v) {
        made_.eliminated.push_back(v);
        auto const all = left_.neighbors(v);
        around_.assign(all.begin(), all.end());
        left_.remove(v);
        for (auto const& [a, b] : missing_) left_.connect(a, b);
        for (auto const w : around_) look_at(w);
        for (auto const& [a, b] : missing_)  // who has both as neighbours
            for (auto const w : left_.neighbors(left_.degree(a) < left_.degree(b) ? a : b))
                if (left_.degree(w) <= low_) look_at(w);
    }
    void take_kernel() {
        auto const any_order_does = left_.vertex_count() <= low_ + 1;
        for (vertex v = 0; v < n_; ++v)
            if (!left_.is_gone(v)) (any_order_does ? made_.eliminated : made_.names).push_back(v);
        made_.kernel = left_.induced(made_.names);
    }

    std::size_t n_;
    graph_with_hubs left_;
    std::size_t low_, tried_low_;
    bucket_queue queue_;  // to be looked at, those of least degree first
    std::vector<std::uint8_t> waits_;
    std::size_t waiting_ = 0;
    std::vector<vertex> around_;
    std::vector<std::size_t> lacks_;
    std::vector<pair> missing_;
    reduced_graph made_;
};

struct reduce_safely_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, std::size_t low = 0) const -> reduced_graph {
        return safe_reduction(g, low).run();
    }
};

}  // namespace detail

/// Eliminates vertices that an optimal order may begin with, as the rules of Bodlaender, Koster, van den Eijkhof,
/// "Preprocessing rules for triangulation of probabilistic networks" (2005), say: islet, twig, series, triangle, buddy,
/// cube, simplicial, and almost simplicial of a degree that is not above what is known of the treewidth.
/// Takes a lower bound on the treewidth: with that of `contraction_bound` more is eliminated.  Requires: the treewidth
/// is not below it. What has no more than low + 1 vertices is eliminated, too. To look at a vertex of degree d takes
/// O(d sqrt(m)), however large the degrees of its neighbours are, but for a buddy, which is looked for among the
/// neighbours of one of the three; a vertex is looked at again when an edge near it has come or gone. In sparse graphs
/// nearly linear.
inline constexpr detail::reduce_safely_fn reduce_safely{};

}  // namespace repebble::inline v0

#endif
