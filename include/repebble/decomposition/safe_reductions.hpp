#ifndef REPEBBLE_DECOMPOSITION_SAFE_REDUCTIONS_HPP
#define REPEBBLE_DECOMPOSITION_SAFE_REDUCTIONS_HPP

// Preprocessing for treewidth: the safe reduction rules of Bodlaender, Koster, van den Eijkhof, "Preprocessing rules
// for triangulation of probabilistic networks" (2005): islet, twig, series, triangle, buddy, cube, simplicial and
// almost simplicial. `treewidth` and `minor_bound` apply them before anything else.
// Invariant: max(low, treewidth of the remaining graph) is the treewidth of g, and low never exceeds it.

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

/// A graph g after safe eliminations: the treewidth of g is the larger of `low` and that of the kernel. `eliminated`
/// followed by any order of the kernel is an order of g whose width is that of the kernel's order or at most `low`.
struct reduced_graph {
    elimination_order eliminated{};                 ///< the vertices that were removed, in their order
    undirected_graph kernel{};                      ///< the graph of the others
    std::vector<undirected_graph::vertex> names{};  ///< of the kernel's vertices in g, ascending
    std::size_t low = 0;                            ///< a lower bound on the treewidth of g

    friend auto operator==(reduced_graph const&, reduced_graph const&) -> bool = default;
};

namespace detail {

/// Applies the rules until none fits.
class safe_reduction {
  public:
    using vertex = undirected_graph::vertex;

    safe_reduction(undirected_graph const& g, std::size_t low)
        : n_(g.vertex_count()), left_(g), low_(low), tried_low_(low), queue_(n_), queued_(n_, 0) {
        for (auto v = static_cast<vertex>(n_); v-- > 0;) enqueue(v);
    }
    [[nodiscard]] auto run() -> reduced_graph {
        do {
            while (queued_count_ > 0) {
                auto const v = queue_.pop([&](vertex u) { return left_.degree(u); });
                queued_[v] = 0;
                --queued_count_;
                if (!left_.is_removed(v)) reduce_at(v);
            }
        } while (raise_low());
        made_.low = low_;
        take_kernel();
        return std::move(made_);
    }

  private:
    using pair = std::pair<vertex, vertex>;

    void enqueue(vertex v) {
        queued_count_ += 1U - queued_[v];
        queued_[v] = 1;
        queue_.put(v, left_.degree(v));
    }
    /// Raises the bound to the least degree of the remaining graph. Returns whether that makes vertices eligible again.
    [[nodiscard]] auto raise_low() -> bool {
        auto least = n_;
        for (vertex v = 0; v < n_; ++v)
            if (!left_.is_removed(v)) least = std::min<std::size_t>(least, left_.degree(v));
        if (left_.vertex_count() > 0) low_ = std::max(low_, least);
        if (low_ == tried_low_) return false;
        for (vertex v = 0; v < n_; ++v)
            if (!left_.is_removed(v) && left_.degree(v) > tried_low_ && left_.degree(v) <= low_) enqueue(v);
        tried_low_ = low_;
        return queued_count_ > 0;
    }
    /// Eliminates v, or a vertex near it, if a rule allows that.
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
    /// Whether all neighbours but one are pairwise adjacent; lists the missing edges if so.
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
        neighbourhood_.assign(all.begin(), all.end());
        std::ranges::sort(neighbourhood_, {}, [&](vertex w) { return std::pair(left_.degree(w), w); });
        if (left_.degree(neighbourhood_[1]) + 2 <= d) return false;
        lacks_.assign(d, 0);
        std::size_t lacking = 0, sum = 0;  // neighbours that lack two or more; all lacks
        left_.count_among(neighbourhood_, [&](std::size_t k, std::size_t count) {
            auto const lacks = d - 1 - count;
            lacks_[k] = lacks;
            sum += lacks;
            return lacks < 2 || ++lacking < 2;
        });
        auto const centre_lacks = std::ranges::max_element(lacks_);
        if (lacking > 1 || sum != 2 * *centre_lacks) return false;
        auto const centre = static_cast<std::size_t>(centre_lacks - lacks_.begin());
        for (std::size_t k = 0; k < d; ++k)
            if (k != centre && lacks_[k] > 0) missing_.emplace_back(neighbourhood_[centre], neighbourhood_[k]);
        return true;
    }
    /// The buddy rule: two vertices with the same three neighbours.
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
    /// The cube rule: three neighbours of degree 3, of which each two share one further neighbour, and no three.
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
    /// Eliminates a vertex of any kind.
    void eliminate_any(vertex v) {
        auto const all = left_.neighbors(v);
        neighbourhood_.assign(all.begin(), all.end());
        missing_.clear();
        for (std::size_t k = 0; k < neighbourhood_.size(); ++k)
            for (auto i = k + 1; i < neighbourhood_.size(); ++i)
                if (!left_.are_neighbors(neighbourhood_[k], neighbourhood_[i]))
                    missing_.emplace_back(neighbourhood_[k], neighbourhood_[i]);
        eliminate(v);
    }
    /// Eliminates a vertex.  Requires: the missing edges between its neighbours are listed.
    void eliminate(vertex v) {
        made_.eliminated.push_back(v);
        auto const all = left_.neighbors(v);
        neighbourhood_.assign(all.begin(), all.end());
        left_.remove(v);
        for (auto const& [a, b] : missing_) left_.connect(a, b);
        for (auto const w : neighbourhood_) enqueue(w);
        for (auto const& [a, b] : missing_)  // common neighbours may have become almost simplicial
            for (auto const w : left_.neighbors(left_.degree(a) < left_.degree(b) ? a : b))
                if (left_.degree(w) <= low_) enqueue(w);
    }
    void take_kernel() {
        auto const any_order_is_optimal = left_.vertex_count() <= low_ + 1;
        for (vertex v = 0; v < n_; ++v)
            if (!left_.is_removed(v)) (any_order_is_optimal ? made_.eliminated : made_.names).push_back(v);
        made_.kernel = left_.induced(made_.names);
    }

    std::size_t n_;
    graph_with_hubs left_;
    std::size_t low_, tried_low_;
    bucket_queue queue_;  // vertices to examine, by least degree
    std::vector<std::uint8_t> queued_;
    std::size_t queued_count_ = 0;
    std::vector<vertex> neighbourhood_;
    std::vector<std::size_t> lacks_;  // per neighbour: missing edges to the others
    std::vector<pair> missing_;
    reduced_graph made_;
};

struct reduce_safely_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, std::size_t low = 0) const -> reduced_graph {
        return safe_reduction(g, low).run();
    }
};

}  // namespace detail

/// Eliminates vertices that an optimal order may begin with. Takes a lower bound on the treewidth; a higher one, such
/// as that of `contraction_bound`, makes more vertices eligible.  Requires: the treewidth is not below it. A kernel of
/// at most low + 1 vertices is eliminated, too.
/// To examine a vertex of degree d takes O(d sqrt(m)), whatever the degrees of its neighbours; a buddy is sought among
/// the neighbours of one of the three. A vertex is examined again when an edge near it changes. Nearly linear in sparse
/// graphs.
inline constexpr detail::reduce_safely_fn reduce_safely{};

}  // namespace repebble::inline v0

#endif
