#ifndef REPEBBLE_IMPL_TREEWIDTH_VERIFY_DECOMPOSITION_IPP
#define REPEBBLE_IMPL_TREEWIDTH_VERIFY_DECOMPOSITION_IPP

#include <repebble/treewidth/verify_decomposition.hpp>

#include <algorithm>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE topmost_bags::topmost_bags(tree_decomposition const& made, std::size_t vertex_count)
    : made_(made), vertex_count_(vertex_count), violation_(find_unknown()) {
    if (violation_) return;
    tree_.emplace(made);
    violation_ = find_cycle();
    if (!violation_) violation_ = find_disconnected();
}

REPEBBLE_INLINE auto topmost_bags::find_unknown() const -> std::optional<decomposition_violation> {
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
                                               "bag " + std::to_string(b) + " names vertex " + std::to_string(bag[i]) +
                                                   " of " + std::to_string(vertex_count_)};
            if (i > 0 && bag[i - 1] >= bag[i])
                return decomposition_violation{fault::bag_not_ascending,
                                               {bag[i - 1], bag[i]},
                                               {b},
                                               "bag " + std::to_string(b) + " names vertex " + std::to_string(bag[i]) +
                                                   " after vertex " + std::to_string(bag[i - 1])};
        }
    }
    return std::nullopt;
}

REPEBBLE_INLINE auto topmost_bags::find_cycle() const -> std::optional<decomposition_violation> {
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

REPEBBLE_INLINE auto topmost_bags::find_disconnected() -> std::optional<decomposition_violation> {
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

REPEBBLE_INLINE auto find_missing(undirected_graph const& g, tree_decomposition const& made, topmost_bags const& bags)
    -> std::optional<decomposition_violation> {
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

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto verify_decomposition(undirected_graph const& g, tree_decomposition const& made)
    -> decomposition_verdict {
    detail::topmost_bags const bags(made, g.vertex_count());
    return {bags.violation() ? bags.violation() : detail::find_missing(g, made, bags)};
}

}  // namespace repebble::inline v0

#endif
