#ifndef REPEBBLE_DECOMPOSITION_ELIMINATION_HPP
#define REPEBBLE_DECOMPOSITION_ELIMINATION_HPP

// Evaluation of elimination orders without computing the fill: the elimination tree and its column counts (Gilbert, Ng,
// Peyton 1994), as in sparse Cholesky factorisation. All heuristics are measured by `eliminate`;
// `tree_decomposition.hpp` builds bags from the same counts.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// An order of the vertices. To eliminate a vertex is to connect its neighbours pairwise and to remove it.
using elimination_order = std::vector<undirected_graph::vertex>;

/// Width and fill of an elimination order.
struct elimination {
    std::size_t width = 0;   ///< greatest degree at elimination: the width of the tree decomposition
    std::uint64_t fill = 0;  ///< edges added

    friend auto operator==(elimination const&, elimination const&) -> bool = default;
};

namespace detail {

/// The position of each vertex in an order.  Throws bad_graph, naming the vertex, unless the order names each vertex
/// once.
[[nodiscard]] inline auto places_of(undirected_graph const& g, std::span<undirected_graph::vertex const> order)
    -> std::vector<std::uint32_t> {
    constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    auto const n = g.vertex_count();
    std::vector<std::uint32_t> place(n, none);
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (order[k] >= n)
            detail::raise(bad_graph("an order names vertex " + std::to_string(order[k]) + " of " + std::to_string(n)));
        if (place[order[k]] != none)
            detail::raise(bad_graph("an order names vertex " + std::to_string(order[k]) + " twice"));
        place[order[k]] = static_cast<std::uint32_t>(k);
    }
    auto const missing = std::ranges::find(place, none);
    if (missing != place.end())
        detail::raise(bad_graph("an order lacks vertex " + std::to_string(missing - place.begin())));
    return place;
}

/// The degrees of vertices at their elimination, and the elimination tree. Here vertices are positions in the order.
/// The graph and the order must outlive it.
class elimination_counts {
  public:
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    elimination_counts(undirected_graph const& g, std::span<undirected_graph::vertex const> order)
        : graph_(g), order_(order), place_(places_of(g, order)) {
        make_tree();
        count();
    }
    [[nodiscard]] auto counts() const noexcept -> std::vector<std::uint32_t> const& { return counts_; }
    /// The parent in the elimination tree: the neighbour, fill included, that is eliminated next; or none.
    [[nodiscard]] auto parents() const noexcept -> std::vector<std::uint32_t> const& { return parent_; }
    /// The position of each vertex of the graph.
    [[nodiscard]] auto places() const noexcept -> std::vector<std::uint32_t> const& { return place_; }

  private:
    void make_tree() {
        parent_.assign(order_.size(), none);
        auto ancestor = parent_;
        for (std::uint32_t k = 0; k < order_.size(); ++k)
            for (auto const neighbor : graph_.neighbors(order_[k]))
                for (auto at = place_[neighbor]; at < k;) {
                    auto const next = ancestor[at];
                    ancestor[at] = k;
                    if (next == none) parent_[at] = k;
                    at = next;
                }
    }
    /// A postorder of the elimination tree.
    [[nodiscard]] auto postorder() const -> std::vector<std::uint32_t> {
        auto const n = parent_.size();
        std::vector<std::uint32_t> first(n, none), next(n, none), post, open;
        for (auto k = static_cast<std::uint32_t>(n); k-- > 0;)
            if (parent_[k] != none) {
                next[k] = first[parent_[k]];
                first[parent_[k]] = k;
            }
        post.reserve(n);
        for (std::uint32_t root = 0; root < n; ++root) {
            if (parent_[root] != none) continue;
            open.push_back(root);
            while (!open.empty()) {
                auto const at = open.back();
                if (auto const child = first[at]; child != none) {
                    first[at] = next[child];
                    open.push_back(child);
                } else {
                    post.push_back(at);
                    open.pop_back();
                }
            }
        }
        return post;
    }
    void count() {
        auto const n = parent_.size();
        auto const post = postorder();
        std::vector<std::uint32_t> first(n, none), last_first(n, none), last_leaf(n, none), above(n);
        std::vector<std::int64_t> change(n, 0);
        for (std::uint32_t k = 0; k < n; ++k) {
            above[k] = k;
            change[post[k]] = first[post[k]] == none ? 1 : 0;
            for (auto at = post[k]; at != none && first[at] == none; at = parent_[at]) first[at] = k;
        }
        auto const root_of = [&](std::uint32_t at) {
            auto root = at;
            while (above[root] != root) root = above[root];
            while (at != root) {
                auto const next = above[at];
                above[at] = root;
                at = next;
            }
            return root;
        };
        for (auto const j : post) {
            if (parent_[j] != none) --change[parent_[j]];
            for (auto const neighbor : graph_.neighbors(order_[j])) {
                auto const i = place_[neighbor];
                if (i <= j || (last_first[i] != none && first[j] <= last_first[i])) continue;
                last_first[i] = first[j];
                ++change[j];
                if (last_leaf[i] != none) --change[root_of(last_leaf[i])];
                last_leaf[i] = j;
            }
            if (parent_[j] != none) above[j] = parent_[j];
        }
        counts_.resize(n);
        for (std::uint32_t j = 0; j < n; ++j) {
            if (parent_[j] != none) change[parent_[j]] += change[j];
            counts_[j] = static_cast<std::uint32_t>(change[j] - 1);
        }
    }

    undirected_graph const& graph_;
    std::span<undirected_graph::vertex const> order_;
    std::vector<std::uint32_t> place_, parent_, counts_;
};

struct eliminate_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, std::span<undirected_graph::vertex const> order) const
        -> elimination {
        elimination made;
        elimination_counts const all(g, order);
        for (auto const count : all.counts()) {
            made.width = std::max<std::size_t>(made.width, count);
            made.fill += count;
        }
        made.fill -= g.edge_count();
        return made;
    }
};

}  // namespace detail

/// Width and fill of an elimination order, in time and memory of the graph rather than of the fill: O(m α(n) + n).
/// Throws bad_graph, naming the vertex, unless the order names every vertex once.
inline constexpr detail::eliminate_fn eliminate{};

}  // namespace repebble::inline v0

#endif
