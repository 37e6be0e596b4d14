#ifndef DRAWING_TIDY_TREE_HPP
#define DRAWING_TIDY_TREE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>

namespace drawing {

/// Where the nodes of a tree are drawn: in levels, those of a level at least 1 apart, without edges that cross. The
/// root is an end of a longest path.
struct tidy_tree {
    std::vector<std::uint32_t> order{};    ///< of nodes, level by level, in each from left to right
    std::vector<std::uint32_t> parents{};  ///< of each node; the root has itself
    std::vector<std::uint32_t> depths{};   ///< of each node
    std::vector<double> x{};               ///< of each node
};

namespace detail {

/// Reingold, Tilford: Tidier drawings of trees (1981): from the leaves up, subtrees are put side by side, as close as
/// their outlines permit.
class tidy_tree_layout {
  public:
    tidy_tree_layout(std::size_t count, std::span<std::pair<std::uint32_t, std::uint32_t> const> edges)
        : starts_(count + 1, 0), neighbors_(2 * edges.size()) {
        for (auto const& [a, b] : edges) ++starts_[a + std::size_t{1}], ++starts_[b + std::size_t{1}];
        for (std::size_t v = 0; v < count; ++v) starts_[v + 1] += starts_[v];
        auto next = starts_;
        for (auto const& [a, b] : edges) neighbors_[next[a]++] = b, neighbors_[next[b]++] = a;
    }

    [[nodiscard]] auto make() -> tidy_tree {
        auto const count = starts_.size() - 1;
        if (count == 0) return {};
        walk_from(0);
        walk_from(made_.order.back());
        heights_.assign(count, 1);
        for (auto k = count; k-- > 1;) {
            auto const v = made_.order[k];
            heights_[made_.parents[v]] = std::max(heights_[made_.parents[v]], heights_[v] + 1);
        }
        for (auto const v : made_.order) arrange_children(v);
        walk_from(made_.order[0]);
        outlines_.resize(count);
        offsets_.assign(count, 0);
        for (auto k = count; k-- > 0;) join_children(made_.order[k]);
        made_.x.assign(count, 0);
        for (auto const v : std::span(made_.order).subspan(1)) made_.x[v] = made_.x[made_.parents[v]] + offsets_[v];
        return std::move(made_);
    }

  private:
    using node = std::uint32_t;

    /// The left and right ends of a subtree's levels, the deepest first, that of its root at `shift`.
    struct outline {
        std::vector<std::pair<double, double>> levels{};
        double shift = 0;
    };

    [[nodiscard]] auto neighbors(node v) -> std::span<node> {
        return std::span(neighbors_).subspan(starts_[v], starts_[v + std::size_t{1}] - starts_[v]);
    }
    /// Children are the neighbours but for the parent, which `arrange_children` puts first.
    void walk_from(node root) {
        made_.parents.assign(starts_.size() - 1, root);
        made_.depths.assign(starts_.size() - 1, 0);
        made_.order.assign(1, root);
        made_.order.reserve(starts_.size() - 1);
        for (std::size_t k = 0; k < made_.order.size(); ++k) {
            auto const v = made_.order[k];
            for (auto const w : neighbors(v)) {
                if (w == made_.parents[v] && k > 0) continue;
                made_.parents[w] = v;
                made_.depths[w] = made_.depths[v] + 1;
                REPEBBLE_ASSERT(made_.order.size() + 1 < starts_.size());
                made_.order.push_back(w);
            }
        }
        REPEBBLE_ASSERT(made_.order.size() + 1 == starts_.size());
    }
    /// The highest subtree in the middle, the others to its left and right in turn.
    void arrange_children(node v) {
        auto all = neighbors(v);
        if (v != made_.order[0]) {
            std::ranges::swap(all.front(), *std::ranges::find(all, made_.parents[v]));
            all = all.subspan(1);
        }
        std::ranges::sort(
            all, [&](node a, node b) { return heights_[a] != heights_[b] ? heights_[a] > heights_[b] : a < b; });
        std::deque<node> arranged;
        for (std::size_t k = 0; k < all.size(); ++k)
            if ((k + made_.depths[v]) % 2 == 0)
                arranged.push_back(all[k]);
            else
                arranged.push_front(all[k]);
        std::ranges::copy(arranged, all.begin());
    }
    void join_children(node v) {
        auto const children = neighbors(v).subspan(v == made_.order[0] ? 0 : 1);
        outline joined;
        for (auto const child : children) {
            auto next = std::move(outlines_[child]);
            auto const common = std::min(joined.levels.size(), next.levels.size());
            auto const mine = joined.levels.end() - static_cast<std::ptrdiff_t>(common);
            auto const its = next.levels.end() - static_cast<std::ptrdiff_t>(common);
            double place = 0;
            for (std::ptrdiff_t k = 0; k < static_cast<std::ptrdiff_t>(common); ++k) {
                auto const least = mine[k].second + joined.shift + 1 - its[k].first - next.shift;
                place = k == 0 ? least : std::max(place, least);
            }
            offsets_[child] = place;
            next.shift += place;
            bool const deeper = next.levels.size() > joined.levels.size();
            for (std::ptrdiff_t k = 0; k < static_cast<std::ptrdiff_t>(common); ++k)
                if (deeper)
                    its[k].first = mine[k].first + joined.shift - next.shift;
                else
                    mine[k].second = its[k].second + next.shift - joined.shift;
            if (deeper) joined = std::move(next);
        }
        auto const own = children.empty() ? 0 : place_above(children);
        for (auto const child : children) offsets_[child] -= own;
        joined.shift -= own;
        joined.levels.emplace_back(-joined.shift, -joined.shift);
        outlines_[v] = std::move(joined);
    }
    /// In the middle of its children; above one that is much higher than the others, so that long paths are straight.
    [[nodiscard]] auto place_above(std::span<node const> children) const -> double {
        auto const highest = *std::ranges::max_element(children, {}, [&](node c) { return heights_[c]; });
        auto const others =
            std::ranges::count_if(children, [&](node c) { return 2 * heights_[c] > heights_[highest]; });
        return others == 1 ? offsets_[highest] : (offsets_[children.front()] + offsets_[children.back()]) / 2;
    }

    std::vector<std::size_t> starts_;
    std::vector<node> neighbors_;
    std::vector<std::uint32_t> heights_{};
    std::vector<outline> outlines_{};
    std::vector<double> offsets_{};  // from the parent
    tidy_tree made_{};
};

}  // namespace detail

/// The layout of a tree whose nodes are 0 … count - 1.  Requires: the edges are those of one tree.  O(count · log of
/// the most neighbours).
[[nodiscard]] inline auto lay_out_tree(std::size_t count,
                                       std::span<std::pair<std::uint32_t, std::uint32_t> const> edges) -> tidy_tree {
    return detail::tidy_tree_layout(count, edges).make();
}

}  // namespace drawing

#endif
