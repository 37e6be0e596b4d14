#ifndef REPEBBLE_TREEWIDTH_DETAIL_GRAPHS_ROOTED_BAGS_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_GRAPHS_ROOTED_BAGS_HPP

// The tree of a decomposition rooted at bag 0, by breadth-first search. `verify_decomposition` checks it and hands it
// on to the functions that walk over bags.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0::detail {

/// Parents and a topological order of the bags.  Requires: edges name existing bags.  O(bags + edges log edges).
class rooted_bags {
  public:
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    explicit rooted_bags(tree_decomposition const& made) : parent_(made.bags.size(), none) {
        if (made.bags.empty()) return;
        undirected_graph const tree(made.bags.size(), made.edges);
        order_.reserve(made.bags.size());
        order_.push_back(0);
        for (std::size_t k = 0; k < order_.size(); ++k)
            for (auto const b : tree.neighbors(order_[k])) {
                if (b == 0 || parent_[b] != none) continue;
                parent_[b] = order_[k];
                order_.push_back(b);
            }
    }
    /// The reachable bags: parents before children, and siblings consecutive.
    [[nodiscard]] auto order() const noexcept -> std::vector<std::uint32_t> const& { return order_; }
    /// The parent of each bag; none for bag 0 and for unreachable bags.
    [[nodiscard]] auto parents() const noexcept -> std::vector<std::uint32_t> const& { return parent_; }

  private:
    std::vector<std::uint32_t> order_, parent_;
};

}  // namespace repebble::inline v0::detail

#endif
