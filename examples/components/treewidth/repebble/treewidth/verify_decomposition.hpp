#ifndef REPEBBLE_TREEWIDTH_VERIFY_DECOMPOSITION_HPP
#define REPEBBLE_TREEWIDTH_VERIFY_DECOMPOSITION_HPP

// The checker of tree decompositions: it tests the definition directly, by one pass over the bags in tree order, and
// names the first violation. Tests, fuzzers and every function that takes a decomposition from outside use it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/treewidth/detail/graphs/rooted_bags.hpp>

namespace repebble::inline v0 {

/// The conditions of a tree decomposition that can be violated.
enum class decomposition_fault : std::uint8_t {
    unknown_bag,         ///< an edge of the tree names a bag that does not exist
    not_a_tree,          ///< the edges contain a cycle, or do not connect all bags
    unknown_vertex,      ///< a bag names a vertex that does not exist
    bag_not_ascending,   ///< the vertices of a bag do not ascend
    vertex_in_no_bag,    ///< a vertex lies in no bag
    edge_in_no_bag,      ///< the ends of an edge lie in no bag together
    bags_not_connected,  ///< between two bags with a vertex lies one without
};

[[nodiscard]] constexpr auto to_string(decomposition_fault fault) -> char const* {
    switch (fault) {
        case decomposition_fault::unknown_bag:
            return "unknown bag";
        case decomposition_fault::not_a_tree:
            return "not a tree";
        case decomposition_fault::unknown_vertex:
            return "unknown vertex";
        case decomposition_fault::bag_not_ascending:
            return "bag not ascending";
        case decomposition_fault::vertex_in_no_bag:
            return "vertex in no bag";
        case decomposition_fault::edge_in_no_bag:
            return "edge in no bag";
        case decomposition_fault::bags_not_connected:
            return "bags not connected";
    }
    return "unknown";
}

/// A violated condition, and its place.
struct decomposition_violation {
    decomposition_fault fault = decomposition_fault::unknown_bag;  ///< its kind
    std::vector<std::size_t> vertices{};                           ///< at fault, as the message names them
    std::vector<std::size_t> bags{};                               ///< at fault, as the message names them
    std::string message{};                                         ///< the violation in one sentence

    friend auto operator==(decomposition_violation const&, decomposition_violation const&) -> bool = default;
};

/// Result of a check.
struct decomposition_verdict {
    std::optional<decomposition_violation> violation{};  ///< the first; nullopt: the decomposition is valid

    /// Whether the decomposition is valid.
    [[nodiscard]] explicit operator bool() const noexcept { return !violation; }
    /// The violation in one sentence; empty where there is none.
    [[nodiscard]] auto message() const -> std::string { return violation ? violation->message : std::string(); }

    friend auto operator==(decomposition_verdict const&, decomposition_verdict const&) -> bool = default;
};

/// Thrown by functions that require a valid tree decomposition.
struct bad_decomposition : error {
    /// With the message of the violation.
    explicit bad_decomposition(decomposition_violation v) : error(v.message), what_broke(std::move(v)) {}
    decomposition_violation what_broke;  ///< the first violation
};

namespace detail {

/// The bags as a rooted tree, with the topmost bag of each vertex; or a violation.
class topmost_bags {
  public:
    static constexpr auto none = rooted_bags::none;

    topmost_bags(tree_decomposition const& made, std::size_t vertex_count);
    [[nodiscard]] auto violation() const noexcept -> std::optional<decomposition_violation> const& {
        return violation_;
    }
    /// Parents before children.  Requires: no violation.
    [[nodiscard]] auto order() const noexcept -> std::vector<std::uint32_t> const& { return tree_->order(); }
    [[nodiscard]] auto parents() const noexcept -> std::vector<std::uint32_t> const& { return tree_->parents(); }
    /// The topmost bag of each vertex; none if it lies in no bag.  Requires: no violation.
    [[nodiscard]] auto tops() const noexcept -> std::vector<std::uint32_t> const& { return top_; }

  private:
    using fault = decomposition_fault;

    [[nodiscard]] auto find_unknown() const -> std::optional<decomposition_violation>;
    [[nodiscard]] auto find_cycle() const -> std::optional<decomposition_violation>;
    /// A vertex with two topmost bags, that is, bags without it in the bag above.
    [[nodiscard]] auto find_disconnected() -> std::optional<decomposition_violation>;

    tree_decomposition const& made_;
    std::size_t vertex_count_;
    std::optional<decomposition_violation> violation_;
    std::optional<rooted_bags> tree_;
    std::vector<std::uint32_t> top_;
};

/// A vertex or an edge in no bag. If an edge lies in any bag, it lies in the lower one of its ends' topmost bags.
[[nodiscard]] auto find_missing(undirected_graph const& g, tree_decomposition const& made, topmost_bags const& bags)
    -> std::optional<decomposition_violation>;

}  // namespace detail

/// Checks a tree decomposition of a graph: bags are ascending and form a tree, every vertex and every edge lies in a
/// bag, and the bags with any vertex are connected. Returns the first violation, or none.  O(n + m + sum of the bags'
/// sizes). A graph without vertices may have no bag.
[[nodiscard]] auto verify_decomposition(undirected_graph const& g, tree_decomposition const& made)
    -> decomposition_verdict;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/verify_decomposition.ipp>
#endif

#endif
