#ifndef REPEBBLE_TREEWIDTH_NICE_DECOMPOSITION_HPP
#define REPEBBLE_TREEWIDTH_NICE_DECOMPOSITION_HPP

// Nice tree decompositions (Kloks 1994): leaf, introduce, forget and join nodes in postorder, the form that dynamic
// programming over decompositions wants.
// Invariant: the child of a node is the node before it, and a join has one more child; the root is last, its bag is
// empty, and each vertex is forgotten once.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/treewidth/verify_decomposition.hpp>

namespace repebble::inline v0 {

/// The relation of a node's bag to the bags of its children.
enum class nice_kind : std::uint8_t {
    leaf,       ///< has no child and an empty bag
    introduce,  ///< has the bag of its child and one vertex more
    forget,     ///< has the bag of its child without one vertex
    join,       ///< has two children, and the bag of each
};

/// A node of a nice tree decomposition. Bags are not stored; `for_each_bag` computes them.
struct nice_node {
    nice_kind kind = nice_kind::leaf;     ///< leaf, introduce, forget or join
    undirected_graph::vertex vertex = 0;  ///< introduced or forgotten
    std::size_t left = 0;                 ///< of a join: the child other than the node before it

    friend auto operator==(nice_node const&, nice_node const&) -> bool = default;
};

/// A rooted nice tree decomposition in postorder, for dynamic programming with a stack of tables.
struct nice_decomposition {
    std::vector<nice_node> nodes{};  ///< children before their parents

    /// One less than the size of the largest bag; 0 if all are empty.  O(nodes).
    [[nodiscard]] auto width() const -> std::size_t;

    /// Calls `visit(k, bag)` for each node k in order, with its bag ascending. O(width · nodes) time; of what
    /// `make_nice_decomposition` makes O(width · log nodes) memory.  Requires: a nice decomposition.
    template <class Visit>
    void for_each_bag(Visit visit) const {
        using bag = std::vector<undirected_graph::vertex>;
        std::vector<bag> open;
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            auto const& [kind, v, left] = nodes[k];
            if (kind == nice_kind::leaf) {
                open.emplace_back();
            } else {
                REPEBBLE_ASSERT(open.size() >= (kind == nice_kind::join ? 2U : 1U));
                if (kind == nice_kind::join) open.pop_back();
                auto& top = open.back();
                auto const at = std::ranges::lower_bound(top, v);
                if (kind == nice_kind::introduce) top.insert(at, v);
                if (kind == nice_kind::forget) top.erase(at);
            }
            visit(k, std::span<undirected_graph::vertex const>(open.back()));
        }
    }

    friend auto operator==(nice_decomposition const&, nice_decomposition const&) -> bool = default;
};

namespace detail {

/// Emits the nodes from the leaves to bag 0. The child with the largest subtree comes first, which keeps the stack of
/// open bags short.
class nice_builder {
  public:
    explicit nice_builder(tree_decomposition const& made) : made_(made), tree_(made, vertices_of(made)) {
        if (tree_.violation()) detail::raise(bad_decomposition(*tree_.violation()));
        find_children();
    }
    [[nodiscard]] auto run() && -> nice_decomposition;

  private:
    using vertex = undirected_graph::vertex;

    [[nodiscard]] static auto vertices_of(tree_decomposition const& made) -> std::size_t;
    void find_children();
    [[nodiscard]] auto end_of_children(std::uint32_t bag) const -> std::size_t {
        return first_child_[bag] + child_count_[bag];
    }
    void put(nice_kind kind, vertex v = 0, std::size_t left = 0) { nice_.nodes.push_back({kind, v, left}); }
    void put_difference(nice_kind kind, std::span<vertex const> all, std::span<vertex const> without);
    void change(std::span<vertex const> from, std::span<vertex const> to) {
        put_difference(nice_kind::forget, from, to);
        put_difference(nice_kind::introduce, to, from);
    }

    tree_decomposition const& made_;
    topmost_bags tree_;
    std::vector<std::uint32_t> order_;  // children of each bag consecutive
    std::vector<std::size_t> first_child_, child_count_;
    nice_decomposition nice_;
};

}  // namespace detail

/// A tree decomposition in nice form, of the same width and rooted at bag 0. O(width · bags) nodes, time and memory.
/// Throws bad_decomposition if a bag is not ascending, the bags are no tree, or the bags with a vertex are not
/// connected.
[[nodiscard]] inline auto make_nice_decomposition(tree_decomposition const& made) -> nice_decomposition {
    return detail::nice_builder(made).run();
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/nice_decomposition.ipp>
#endif

#endif
