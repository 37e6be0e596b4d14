#ifndef REPEBBLE_DECOMPOSITION_SEPARATOR_TREE_HPP
#define REPEBBLE_DECOMPOSITION_SEPARATOR_TREE_HPP

// Nested balanced separators from a tree decomposition: some bag halves every graph (Robertson, Seymour 1986), and so
// on in each part. The recursion of divide and conquer (`recompute/decomposition_plan.hpp`); an elimination tree of
// depth O(width · log n). Invariant: no edge joins two parts that a separator leaves, and none has more than half the
// vertices.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>

namespace repebble::inline v0 {

/// A separator of a part of a graph; the parts that it leaves are its children.
struct nested_separator {
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();  ///< the parent of the root

    std::vector<undirected_graph::vertex> vertices{};  ///< ascending; of a part that is not connected perhaps none
    std::uint32_t parent = none;                       ///< the separator of which this one halves a part
    std::uint32_t level = 0;                           ///< the number of separators above it
    std::uint32_t end = 0;  ///< those from its own number to this one, exclusive, lie in its part

    friend auto operator==(nested_separator const&, nested_separator const&) -> bool = default;
};

/// All separators of a graph, each before those in its part; every vertex is in exactly one.
struct separator_tree {
    std::vector<nested_separator> separators{};  ///< in preorder
    std::vector<std::uint32_t> separator_of{};   ///< by vertex

    /// The greatest number of separators that lie in one another: at most ⌊log₂ n⌋ + 1.  O(separators).
    [[nodiscard]] auto levels() const noexcept -> std::size_t;

    friend auto operator==(separator_tree const&, separator_tree const&) -> bool = default;
};

namespace detail {

/// Makes the tree part by part.
class separator_nesting {
  public:
    using vertex = undirected_graph::vertex;

    /// From when stop() returns true on, nothing more is divided, and there is no tree to take.
    separator_nesting(undirected_graph const& g, tree_decomposition const& tree, stop_test stop);
    [[nodiscard]] auto take() && -> std::optional<separator_tree> {
        return open_.empty() ? std::optional(std::move(made_)) : std::nullopt;
    }

  private:
    static constexpr auto none = nested_separator::none;

    struct part {
        std::vector<vertex> vertices{};
        std::vector<std::uint32_t> bags{};  // those that meet it, each after its parent
        std::uint32_t parent = none, level = 0;
    };

    /// Directs the tree of bags away from the first.
    void root_bags(tree_decomposition const& tree);

    /// Returns the bag that meets the part in the fewest vertices, of those that leave at most half of it on each side.
    [[nodiscard]] auto halving_bag(part const& now) -> std::uint32_t;
    /// Whether a vertex of the part at hand is in no separator yet.
    [[nodiscard]] auto is_open(vertex v) const -> bool { return part_of_[v] == current_; }

    void cut(part& now);
    /// Returns the connected part that a vertex is in, and labels it.
    [[nodiscard]] auto side_of(vertex v) -> part;
    /// Moves vertices that separate nothing from the separator to the only side that they are adjacent to.
    void give_back(std::vector<vertex>& separator, std::vector<part>& sides, std::uint32_t separating,
                   std::uint32_t first, std::size_t most);

    undirected_graph const& g_;
    std::vector<std::vector<vertex>> const& bags_;
    std::vector<std::uint32_t> above_, preorder_;       // of bags
    std::vector<std::size_t> below_, largest_, meets_;  // by bag: vertices of the part at hand
    std::vector<std::uint32_t> part_of_;                // by vertex: a label
    std::vector<char> counted_;                         // by vertex
    std::uint32_t current_ = none, next_label_ = 0;
    std::vector<part> open_;
    separator_tree made_;
};

}  // namespace detail

/// Nests separators of a graph: of the bags of a tree decomposition of it that leave no side with more than half of the
/// vertices the smallest, without vertices that separate nothing; and so on in each connected part that is left. No
/// separator has more vertices than a bag.
///
/// Requires: `tree` is a tree decomposition of g (`verify_decomposition`).  O((m + sum of the bags' sizes) log n).
[[nodiscard]] inline auto make_separator_tree(undirected_graph const& g, tree_decomposition const& tree)
    -> separator_tree {
    detail::never_stop never;
    return *detail::separator_nesting(g, tree, never).take();
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/decomposition/separator_tree.ipp>
#endif

#endif
