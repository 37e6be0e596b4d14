#ifndef REPEBBLE_DECOMPOSITION_SEPARATOR_TREE_HPP
#define REPEBBLE_DECOMPOSITION_SEPARATOR_TREE_HPP

// Nested balanced separators from a tree decomposition: some bag halves every graph (Robertson, Seymour 1986), and so
// on in each part. The recursion of divide and conquer (`recompute/decomposition_plan.hpp`); an elimination tree of
// depth O(width · log n). Invariant: no edge joins two parts that a separator leaves, and none has more than half the
// vertices.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

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
    [[nodiscard]] auto levels() const noexcept -> std::size_t {
        std::size_t most = 0;
        for (auto const& s : separators) most = std::max<std::size_t>(most, s.level + std::size_t{1});
        return most;
    }

    friend auto operator==(separator_tree const&, separator_tree const&) -> bool = default;
};

namespace detail {

/// Makes the tree part by part.
class separator_nesting {
  public:
    using vertex = undirected_graph::vertex;

    separator_nesting(undirected_graph const& g, tree_decomposition const& tree)
        : g_(g), bags_(tree.bags), part_of_(g.vertex_count(), none), counted_(g.vertex_count(), 0) {
        root_bags(tree);
        made_.separator_of.assign(g.vertex_count(), none);
        part whole;
        whole.vertices.resize(g.vertex_count());
        std::iota(whole.vertices.begin(), whole.vertices.end(), vertex{0});
        whole.bags = preorder_;
        if (g.vertex_count() > 0) open_.push_back(std::move(whole));
        while (!open_.empty()) {
            auto now = std::move(open_.back());
            open_.pop_back();
            cut(now);
        }
        for (auto k = made_.separators.size(); k-- > 0;) {
            auto& s = made_.separators[k];
            s.end = std::max(s.end, static_cast<std::uint32_t>(k + 1));
            if (s.parent != none) made_.separators[s.parent].end = std::max(made_.separators[s.parent].end, s.end);
        }
    }
    [[nodiscard]] auto take() && -> separator_tree { return std::move(made_); }

  private:
    static constexpr auto none = nested_separator::none;

    struct part {
        std::vector<vertex> vertices{};
        std::vector<std::uint32_t> bags{};  // those that meet it, each after its parent
        std::uint32_t parent = none, level = 0;
    };

    /// Directs the tree of bags away from the first.
    void root_bags(tree_decomposition const& tree) {
        std::vector<std::vector<std::uint32_t>> beside(bags_.size());
        for (auto const& [a, b] : tree.edges) {
            beside[a].push_back(b);
            beside[b].push_back(a);
        }
        above_.assign(bags_.size(), none);
        if (!bags_.empty()) preorder_.push_back(0);
        for (std::size_t k = 0; k < preorder_.size(); ++k)
            for (auto const b : beside[preorder_[k]])
                if (b != above_[preorder_[k]]) {
                    above_[b] = preorder_[k];
                    preorder_.push_back(b);
                }
        below_.assign(bags_.size(), 0);
        largest_.assign(bags_.size(), 0);
        meets_.assign(bags_.size(), 0);
    }

    /// Returns the bag that meets the part in the fewest vertices, of those that leave at most half of it on each side.
    [[nodiscard]] auto halving_bag(part const& now) -> std::uint32_t {
        for (auto const b : now.bags) {
            below_[b] = largest_[b] = meets_[b] = 0;
            for (auto const v : bags_[b]) {
                if (!is_open(v)) continue;
                ++meets_[b];
                if (std::exchange(counted_[v], char{1}) == 0) ++below_[b];  // its first bag from the root counts it
            }
        }
        for (auto k = now.bags.size(); k-- > 1;) {
            auto const b = now.bags[k];
            below_[above_[b]] += below_[b];
            largest_[above_[b]] = std::max(largest_[above_[b]], below_[b]);
        }
        auto const count = now.vertices.size();
        auto best = now.bags.front();
        auto least = std::pair(true, std::size_t{0});
        for (auto const b : now.bags) {
            auto const side = std::max(largest_[b], count - below_[b]);
            auto const rank = side <= count / 2 ? std::pair(false, meets_[b]) : std::pair(true, side);
            if (b == now.bags.front() || rank < least) {
                best = b;
                least = rank;
            }
        }
        for (auto const v : now.vertices) counted_[v] = 0;
        return best;
    }
    /// Whether a vertex of the part at hand is in no separator yet.
    [[nodiscard]] auto is_open(vertex v) const -> bool { return part_of_[v] == current_; }

    void cut(part& now) {
        auto const number = static_cast<std::uint32_t>(made_.separators.size());
        current_ = next_label_++;
        for (auto const v : now.vertices) part_of_[v] = current_;
        auto separator = bags_[halving_bag(now)];
        std::erase_if(separator, [&](vertex v) { return !is_open(v); });
        auto const separating = next_label_++;
        for (auto const v : separator) part_of_[v] = separating;

        auto const first = next_label_;
        std::vector<part> sides;
        for (auto const v : now.vertices)
            if (is_open(v)) sides.push_back(side_of(v));
        give_back(separator, sides, separating, first, now.vertices.size() / 2);

        nested_separator made{.vertices = std::move(separator), .parent = now.parent, .level = now.level};
        for (auto const v : made.vertices) made_.separator_of[v] = number;
        made_.separators.push_back(std::move(made));
        for (auto const b : now.bags)
            for (auto const v : bags_[b])
                if (part_of_[v] >= first && part_of_[v] != none)
                    if (auto& side = sides[part_of_[v] - first]; side.bags.empty() || side.bags.back() != b)
                        side.bags.push_back(b);
        for (auto& side : sides) {
            side.parent = number;
            side.level = now.level + 1;
            open_.push_back(std::move(side));
        }
    }
    /// Returns the connected part that a vertex is in, and labels it.
    [[nodiscard]] auto side_of(vertex v) -> part {
        part side{.vertices = {v}};
        auto const label = next_label_++;
        part_of_[v] = label;
        for (std::size_t k = 0; k < side.vertices.size(); ++k)
            for (auto const w : g_.neighbors(side.vertices[k]))
                if (is_open(w)) {
                    part_of_[w] = label;
                    side.vertices.push_back(w);
                }
        return side;
    }
    /// Moves vertices that separate nothing from the separator to the only side that they are adjacent to.
    void give_back(std::vector<vertex>& separator, std::vector<part>& sides, std::uint32_t separating,
                   std::uint32_t first, std::size_t most) {
        std::erase_if(separator, [&](vertex v) {
            auto only = none;
            for (auto const w : g_.neighbors(v)) {
                auto const label = part_of_[w];
                if (label < first || label == none || label == separating || label == only) continue;
                if (only != none) return false;
                only = label;
            }
            if (only == none) {
                if (most == 0) return false;
                only = next_label_++;
                sides.emplace_back();
            } else if (sides[only - first].vertices.size() >= most) {
                return false;
            }
            sides[only - first].vertices.push_back(v);
            part_of_[v] = only;
            return true;
        });
    }

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

struct nest_separators_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, tree_decomposition const& tree) const -> separator_tree {
        return separator_nesting(g, tree).take();
    }
};

}  // namespace detail

/// Nests separators of a graph: of the bags of a tree decomposition of it that leave no side with more than half of the
/// vertices the smallest, without vertices that separate nothing; and so on in each connected part that is left. No
/// separator has more vertices than a bag.
///
/// Requires: `tree` is a tree decomposition of g (`find_violation`).  O((m + sum of the bags' sizes) log n).
inline constexpr detail::nest_separators_fn nest_separators{};

}  // namespace repebble::inline v0

#endif
