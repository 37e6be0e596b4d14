#ifndef REPEBBLE_DECOMPOSITION_VERIFY_DECOMPOSITION_HPP
#define REPEBBLE_DECOMPOSITION_VERIFY_DECOMPOSITION_HPP

// The checker of tree decompositions: it tests the definition directly, by one pass over the bags in tree order, and
// names the first violation. Tests, fuzzers and every function that takes a decomposition from outside use it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/decomposition/detail/graphs/rooted_bags.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/error.hpp>

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

    topmost_bags(tree_decomposition const& made, std::size_t vertex_count)
        : made_(made), vertex_count_(vertex_count), violation_(find_unknown()) {
        if (violation_) return;
        tree_.emplace(made);
        violation_ = find_cycle();
        if (!violation_) violation_ = find_disconnected();
    }
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

    [[nodiscard]] auto find_unknown() const -> std::optional<decomposition_violation> {
        auto const count = made_.bags.size();
        if (count >= none)
            return decomposition_violation{
                fault::unknown_bag, {}, {count}, std::to_string(count) + " bags are more than 32 bits can number"};
        for (auto const& [a, b] : made_.edges)
            for (auto const end : {a, b})
                if (end >= count)
                    return decomposition_violation{fault::unknown_bag,
                                                   {},
                                                   {end},
                                                   "edge " + std::to_string(a) + " - " + std::to_string(b) +
                                                       " of the tree names bag " + std::to_string(end) + " of " +
                                                       std::to_string(count)};
        for (std::size_t b = 0; b < count; ++b) {
            auto const& bag = made_.bags[b];
            for (std::size_t i = 0; i < bag.size(); ++i) {
                if (bag[i] >= vertex_count_)
                    return decomposition_violation{fault::unknown_vertex,
                                                   {bag[i]},
                                                   {b},
                                                   "bag " + std::to_string(b) + " names vertex " +
                                                       std::to_string(bag[i]) + " of " + std::to_string(vertex_count_)};
                if (i > 0 && bag[i - 1] >= bag[i])
                    return decomposition_violation{fault::bag_not_ascending,
                                                   {bag[i - 1], bag[i]},
                                                   {b},
                                                   "bag " + std::to_string(b) + " names vertex " +
                                                       std::to_string(bag[i]) + " after vertex " +
                                                       std::to_string(bag[i - 1])};
            }
        }
        return std::nullopt;
    }
    [[nodiscard]] auto find_cycle() const -> std::optional<decomposition_violation> {
        auto const count = made_.bags.size();
        if (tree_->order().size() < count) {
            std::size_t apart = 1;
            while (tree_->parents()[apart] != none) ++apart;
            return decomposition_violation{fault::not_a_tree,
                                           {},
                                           {0, apart},
                                           "the bags are no tree: no path joins bags 0 and " + std::to_string(apart)};
        }
        if (made_.edges.size() + 1 > std::max<std::size_t>(count, 1))
            return decomposition_violation{fault::not_a_tree,
                                           {},
                                           {},
                                           "the bags are no tree: " + std::to_string(count) + " bags have " +
                                               std::to_string(made_.edges.size()) + " edges, which contain a cycle"};
        return std::nullopt;
    }
    /// A vertex with two topmost bags, that is, bags without it in the bag above.
    [[nodiscard]] auto find_disconnected() -> std::optional<decomposition_violation> {
        top_.assign(vertex_count_, none);
        std::vector<std::uint32_t> above(vertex_count_, none);  // per vertex: the last parent bag with it
        auto last = none;
        for (auto const b : tree_->order()) {
            if (auto const p = tree_->parents()[b]; p != last) {
                for (auto const v : made_.bags[p]) above[v] = p;
                last = p;
            }
            for (auto const v : made_.bags[b]) {
                if (last != none && above[v] == last) continue;
                if (top_[v] != none)
                    return decomposition_violation{fault::bags_not_connected,
                                                   {v},
                                                   {top_[v], b},
                                                   "the bags with vertex " + std::to_string(v) +
                                                       " are not connected: bags " + std::to_string(top_[v]) + " and " +
                                                       std::to_string(b)};
                top_[v] = b;
            }
        }
        return std::nullopt;
    }

    tree_decomposition const& made_;
    std::size_t vertex_count_;
    std::optional<decomposition_violation> violation_;
    std::optional<rooted_bags> tree_;
    std::vector<std::uint32_t> top_;
};

struct find_violation_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, tree_decomposition const& made) const
        -> std::optional<decomposition_violation> {
        topmost_bags const bags(made, g.vertex_count());
        return bags.violation() ? bags.violation() : find_missing(g, made, bags);
    }

    /// A vertex or an edge in no bag. If an edge lies in any bag, it lies in the lower one of its ends' topmost bags.
    [[nodiscard]] static auto find_missing(undirected_graph const& g, tree_decomposition const& made,
                                           topmost_bags const& bags) -> std::optional<decomposition_violation> {
        using vertex = undirected_graph::vertex;
        auto const& top = bags.tops();
        for (std::size_t v = 0; v < g.vertex_count(); ++v)
            if (top[v] == topmost_bags::none)
                return decomposition_violation{
                    decomposition_fault::vertex_in_no_bag, {v}, {}, "vertex " + std::to_string(v) + " lies in no bag"};
        std::vector<std::uint32_t> rank(made.bags.size()), in_bag(g.vertex_count(), topmost_bags::none);
        for (std::uint32_t k = 0; auto const b : bags.order()) rank[b] = k++;
        for (auto const b : bags.order()) {
            for (auto const v : made.bags[b]) in_bag[v] = b;
            for (auto const v : made.bags[b]) {
                if (top[v] != b) continue;
                for (vertex const w : g.neighbors(v)) {
                    if (rank[top[w]] > rank[b] || in_bag[w] == b) continue;
                    auto const [first, second] = std::minmax(v, w);
                    return decomposition_violation{
                        decomposition_fault::edge_in_no_bag,
                        {first, second},
                        {},
                        "edge " + std::to_string(first) + " - " + std::to_string(second) + " lies in no bag"};
                }
            }
        }
        return std::nullopt;
    }
};

}  // namespace detail

/// Checks a tree decomposition of a graph: bags are ascending and form a tree, every vertex and every edge lies in a
/// bag, and the bags with any vertex are connected. Returns the first violation; nullopt if there is none.  O(n + m +
/// sum of the bags' sizes). A graph without vertices may have no bag.
inline constexpr detail::find_violation_fn find_violation{};

}  // namespace repebble::inline v0

#endif
