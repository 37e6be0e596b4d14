#ifndef REPEBBLE_DECOMPOSITION_TREE_DECOMPOSITION_HPP
#define REPEBBLE_DECOMPOSITION_TREE_DECOMPOSITION_HPP

// Tree decompositions from elimination orders: one bag per supernode of the elimination tree. The result type of this
// room; `find_violation` checks it.
// Invariant: bags ascend and none lies within another; the edges form one tree, also for disconnected graphs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0 {

/// Bags of vertices on a tree: every vertex and both ends of every edge share a bag, and the bags with any vertex are
/// connected.
struct tree_decomposition {
    std::vector<std::vector<undirected_graph::vertex>> bags{};     ///< each ascending
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges{};  ///< between bags: first < second, ascending

    /// One less than the size of the largest bag; 0 if there is no vertex.  O(bags).
    [[nodiscard]] auto width() const noexcept -> std::size_t {
        std::size_t largest = 1;
        for (auto const& bag : bags) largest = std::max(largest, bag.size());
        return largest - 1;
    }

    friend auto operator==(tree_decomposition const&, tree_decomposition const&) -> bool = default;
};

namespace detail {

/// The bags of an elimination order. Vertices with the same closed neighbourhood at elimination share a bag; a vertex
/// of it is adjacent to those after it in the order.
class elimination_bags {
  public:
    using vertex = undirected_graph::vertex;

    elimination_bags(undirected_graph const& g, std::span<vertex const> order)
        : graph_(g), order_(order), counts_(g, order) {
        number_bags();
        connect();
        fill();
    }
    /// A bag that contains a vertex and all its neighbours at its elimination.
    [[nodiscard]] auto home(vertex v) const -> std::uint32_t { return bag_[counts_.places()[v]]; }
    [[nodiscard]] auto take() && -> tree_decomposition { return std::move(made_); }

  private:
    static constexpr auto none = elimination_counts::none;

    /// Numbers the bags: a vertex shares the bag of a child in the elimination tree that contains its own.
    void number_bags() {
        auto const& counts = counts_.counts();
        auto const& parents = counts_.parents();
        bag_.assign(order_.size(), none);
        for (std::uint32_t k = 0; k < order_.size(); ++k) {
            if (bag_[k] == none) {
                bag_[k] = static_cast<std::uint32_t>(first_.size());
                first_.push_back(k);
                last_.push_back(k);
            }
            last_[bag_[k]] = k;
            if (auto const p = parents[k]; p != none && bag_[p] == none && counts[k] == counts[p] + 1)
                bag_[p] = bag_[k];
        }
    }
    /// Connects each bag with that of its parent in the elimination tree.
    void connect() {
        child_.assign(first_.size(), none);
        sibling_.assign(first_.size(), none);
        made_.edges.reserve(first_.size());
        auto root = none;
        for (std::uint32_t b = 0; b < first_.size(); ++b) {
            auto const p = counts_.parents()[last_[b]];
            auto const above = p == none ? std::exchange(root, b) : bag_[p];
            if (above == none) continue;
            made_.edges.emplace_back(std::min(b, above), std::max(b, above));
            if (p == none || first_[above] != p) continue;
            sibling_[b] = child_[above];
            child_[above] = b;
        }
        std::ranges::sort(made_.edges);
    }
    /// Fills each bag from the graph and from the child bags at its first vertex, which precede it.
    void fill() {
        auto const& place = counts_.places();
        std::vector<std::uint32_t> in_bag(order_.size(), none);
        made_.bags.resize(first_.size());
        for (std::uint32_t b = 0; b < first_.size(); ++b) {
            auto const k = first_[b];
            auto& bag = made_.bags[b];
            bag.reserve(counts_.counts()[k] + std::size_t{1});
            auto const add = [&](vertex v) {
                if (place[v] <= k || in_bag[v] == b) return;
                in_bag[v] = b;
                bag.push_back(v);
            };
            in_bag[order_[k]] = b;
            bag.push_back(order_[k]);
            for (auto const v : graph_.neighbors(order_[k])) add(v);
            for (auto c = child_[b]; c != none; c = sibling_[c])
                for (auto const v : made_.bags[c]) add(v);
            std::ranges::sort(bag);
        }
    }

    undirected_graph const& graph_;
    std::span<vertex const> order_;
    elimination_counts counts_;
    std::vector<std::uint32_t> bag_;              // per position in the order
    std::vector<std::uint32_t> first_, last_;     // per bag: positions
    std::vector<std::uint32_t> child_, sibling_;  // per bag: lists of child bags at its first vertex
    tree_decomposition made_;
};

struct decompose_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, std::span<undirected_graph::vertex const> order) const
        -> tree_decomposition {
        return elimination_bags(g, order).take();
    }
};

}  // namespace detail

/// The tree decomposition of an elimination order, of the same width: for each vertex the bag of it and its neighbours
/// at elimination, without bags that lie within another. One tree, also for a disconnected graph; bags are in the order
/// of their first vertices.
///
/// O(m α(n) + sum of the bags' sizes and of sorting them) time, O(n + m + sum of the bags' sizes) memory.  Throws
/// bad_graph, naming the vertex, unless the order names every vertex once.
inline constexpr detail::decompose_fn decompose{};

}  // namespace repebble::inline v0

#endif
