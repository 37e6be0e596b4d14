#ifndef REPEBBLE_IMPL_DECOMPOSITION_SEPARATOR_TREE_IPP
#define REPEBBLE_IMPL_DECOMPOSITION_SEPARATOR_TREE_IPP

#include <repebble/decomposition/separator_tree.hpp>

#include <algorithm>
#include <numeric>

#include <repebble/detail/paced_stop.hpp>
#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto separator_tree::levels() const noexcept -> std::size_t {
    std::size_t most = 0;
    for (auto const& s : separators) most = std::max<std::size_t>(most, s.level + std::size_t{1});
    return most;
}

}  // namespace repebble::inline v0

namespace repebble::inline v0::detail {

REPEBBLE_INLINE separator_nesting::separator_nesting(undirected_graph const& g, tree_decomposition const& tree,
                                                     stop_test stop)
    : g_(g), bags_(tree.bags), part_of_(g.vertex_count(), none), counted_(g.vertex_count(), 0) {
    root_bags(tree);
    made_.separator_of.assign(g.vertex_count(), none);
    part whole;
    whole.vertices.resize(g.vertex_count());
    std::iota(whole.vertices.begin(), whole.vertices.end(), vertex{0});
    whole.bags = preorder_;
    if (g.vertex_count() > 0) open_.push_back(std::move(whole));
    paced_stop is_over(stop);
    while (!open_.empty() && !is_over.after(open_.back().vertices.size())) {
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

REPEBBLE_INLINE void separator_nesting::root_bags(tree_decomposition const& tree) {
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

REPEBBLE_INLINE auto separator_nesting::halving_bag(part const& now) -> std::uint32_t {
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

REPEBBLE_INLINE void separator_nesting::cut(part& now) {
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

REPEBBLE_INLINE auto separator_nesting::side_of(vertex v) -> part {
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

REPEBBLE_INLINE void separator_nesting::give_back(std::vector<vertex>& separator, std::vector<part>& sides, std::uint32_t separating,
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

}  // namespace repebble::inline v0::detail

#endif
