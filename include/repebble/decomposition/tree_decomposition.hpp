#ifndef REPEBBLE_DECOMPOSITION_TREE_DECOMPOSITION_HPP
#define REPEBBLE_DECOMPOSITION_TREE_DECOMPOSITION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0 {

/// Bags of vertices that form a tree: every vertex and both ends of every edge lie in a bag, and the bags with a vertex
/// are connected. `find_violation` checks it.
struct tree_decomposition {
    std::vector<std::vector<undirected_graph::vertex>> bags{};     ///< each ascending
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges{};  ///< between bags: first < second, ascending

    /// One less than the vertices of the largest bag; 0 where there is none, and where all are empty. O(bags).
    [[nodiscard]] auto width() const noexcept -> std::size_t {
        std::size_t largest = 1;
        for (auto const& bag : bags) largest = std::max(largest, bag.size());
        return largest - 1;
    }

    friend auto operator==(tree_decomposition const&, tree_decomposition const&) -> bool = default;
};

namespace detail {

/// The bags of an elimination order. Vertices that are neighbours of one another and of the same others when they are
/// eliminated share a bag; of what its bag holds, a vertex is followed by those that come after it in the order.
class elimination_bags {
  public:
    using vertex = undirected_graph::vertex;

    elimination_bags(undirected_graph const& g, std::span<vertex const> order)
        : graph_(g), order_(order), counts_(g, order) {
        number_bags();
        connect();
        fill();
    }
    /// A bag that holds a vertex and all that are its neighbours when it is eliminated.
    [[nodiscard]] auto home(vertex v) const -> std::uint32_t { return bag_[counts_.places()[v]]; }
    [[nodiscard]] auto take() && -> tree_decomposition { return std::move(made_); }

  private:
    static constexpr auto none = elimination_counts::none;

    /// What a vertex makes is no bag of its own where a child in the elimination tree has it, and the child, as well.
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
    /// Each from the graph and from the bags below its first vertex, which were made before.
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
    std::vector<std::uint32_t> bag_;              // of each place in the order
    std::vector<std::uint32_t> first_, last_;     // place of each bag
    std::vector<std::uint32_t> child_, sibling_;  // of bags, where a first vertex is the parent of a last one
    tree_decomposition made_;
};

struct decompose_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, std::span<undirected_graph::vertex const> order) const
        -> tree_decomposition {
        return elimination_bags(g, order).take();
    }
};

}  // namespace detail

/// The tree decomposition of an elimination order, of the same width: a bag for each vertex with its neighbours when it
/// is eliminated, without those bags that lie within another. It is one tree where the graph is not connected, too, and
/// bags are in the order of their first vertices.
///
/// O(m α(n) + sum of the bags' sizes and of sorting them) time, O(n + m + sum of the bags' sizes) memory.  Throws
/// bad_graph, naming the vertex, where the order does not name every vertex once.
inline constexpr detail::decompose_fn decompose{};

}  // namespace repebble::inline v0

#endif
