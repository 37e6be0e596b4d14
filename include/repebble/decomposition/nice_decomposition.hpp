#ifndef REPEBBLE_DECOMPOSITION_NICE_DECOMPOSITION_HPP
#define REPEBBLE_DECOMPOSITION_NICE_DECOMPOSITION_HPP

// Nice tree decompositions (Kloks 1994): leaf, introduce, forget and join nodes in postorder, the form that dynamic
// programming over decompositions wants.
// Invariant: the child of a node is the node before it, and a join has one more child; the root is last, its bag is
// empty, and each vertex is forgotten once.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/decomposition/verify_decomposition.hpp>
#include <repebble/graph/error.hpp>

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
    [[nodiscard]] auto width() const -> std::size_t {
        std::vector<std::size_t> open;
        std::size_t largest = 1;
        for (auto const& node : nodes) switch (node.kind) {
                case nice_kind::leaf:
                    open.push_back(0);
                    break;
                case nice_kind::introduce:
                    largest = std::max(largest, ++open.back());
                    break;
                case nice_kind::forget:
                    --open.back();
                    break;
                case nice_kind::join:
                    open.pop_back();
            }
        return largest - 1;
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
    [[nodiscard]] auto run() && -> nice_decomposition {
        if (made_.bags.empty()) {
            put(nice_kind::leaf);
            return std::move(nice_);
        }
        struct open_bag {
            std::uint32_t bag;
            std::size_t next, left = 0;  // the next child; the last node of the child before it
        };
        std::vector<open_bag> open{{0, first_child_[0]}};
        while (true) {
            auto& [at, next, left] = open.back();
            if (next < end_of_children(at)) {
                auto const child = order_[next];
                open.push_back({child, first_child_[child]});
                continue;
            }
            if (next == first_child_[at]) {
                put(nice_kind::leaf);
                change({}, made_.bags[at]);
            }
            auto const bag = at;
            open.pop_back();
            if (open.empty()) break;
            auto& above = open.back();
            change(made_.bags[bag], made_.bags[above.bag]);
            if (above.next++ != first_child_[above.bag]) put(nice_kind::join, 0, above.left);
            above.left = nice_.nodes.size() - 1;
        }
        change(made_.bags[0], {});
        return std::move(nice_);
    }

  private:
    using vertex = undirected_graph::vertex;

    [[nodiscard]] static auto vertices_of(tree_decomposition const& made) -> std::size_t {
        std::size_t count = 0;
        for (auto const& bag : made.bags)
            for (auto const v : bag) count = std::max(count, v + std::size_t{1});
        return count;
    }
    void find_children() {
        auto const count = made_.bags.size();
        order_ = tree_.order();
        first_child_.assign(count, 0);
        child_count_.assign(count, 0);
        std::vector<std::uint32_t> below(count, 1);
        for (auto k = count; k-- > 1;) {
            auto const p = tree_.parents()[order_[k]];
            below[p] += below[order_[k]];
            first_child_[p] = k;
            ++child_count_[p];
        }
        for (std::size_t b = 0; b < count; ++b) {
            auto const children = std::span(order_).subspan(first_child_[b], child_count_[b]);
            if (!children.empty())
                std::swap(children[0], *std::ranges::max_element(children, {}, [&](auto c) { return below[c]; }));
        }
    }
    [[nodiscard]] auto end_of_children(std::uint32_t bag) const -> std::size_t {
        return first_child_[bag] + child_count_[bag];
    }
    void put(nice_kind kind, vertex v = 0, std::size_t left = 0) { nice_.nodes.push_back({kind, v, left}); }
    void put_difference(nice_kind kind, std::span<vertex const> all, std::span<vertex const> without) {
        for (auto other = without.begin(); auto const v : all) {
            while (other != without.end() && *other < v) ++other;
            if (other == without.end() || *other != v) put(kind, v);
        }
    }
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

struct make_nice_fn {
    [[nodiscard]] auto operator()(tree_decomposition const& made) const -> nice_decomposition {
        return nice_builder(made).run();
    }
};

struct for_each_bag_fn {
    template <class Visit>
    void operator()(nice_decomposition const& nice, Visit visit) const {
        using bag = std::vector<undirected_graph::vertex>;
        std::vector<bag> open;
        for (std::size_t k = 0; k < nice.nodes.size(); ++k) {
            auto const& [kind, v, left] = nice.nodes[k];
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
};

}  // namespace detail

/// A tree decomposition in nice form, of the same width and rooted at bag 0. O(width · bags) nodes, time and memory.
/// Throws bad_decomposition if a bag is not ascending, the bags are no tree, or the bags with a vertex are not
/// connected.
inline constexpr detail::make_nice_fn make_nice{};

/// Calls `visit(k, bag)` for each node k in order, with its bag ascending. O(width · nodes) time; for a decomposition
/// by `make_nice` O(width · log nodes) memory.  Requires: a nice decomposition.
inline constexpr detail::for_each_bag_fn for_each_bag{};

}  // namespace repebble::inline v0

#endif
