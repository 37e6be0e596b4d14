#ifndef REPEBBLE_IMPL_DECOMPOSITION_TREE_DECOMPOSITION_IPP
#define REPEBBLE_IMPL_DECOMPOSITION_TREE_DECOMPOSITION_IPP

#include <repebble/decomposition/tree_decomposition.hpp>

#include <algorithm>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto tree_decomposition::width() const noexcept -> std::size_t {
    std::size_t largest = 1;
    for (auto const& bag : bags) largest = std::max(largest, bag.size());
    return largest - 1;
}

}  // namespace repebble::inline v0

namespace repebble::inline v0::detail {

REPEBBLE_INLINE elimination_bags::elimination_bags(undirected_graph const& g, std::span<vertex const> order) : graph_(g), order_(order), counts_(g, order) {
    number_bags();
    connect();
    fill();
}

REPEBBLE_INLINE void elimination_bags::number_bags() {
    auto const& counts = counts_.counts();
    auto const& parents = counts_.parents();
    bag_.assign(order_.size(), none);
    for (std::uint32_t k = 0; k < order_.size(); ++k) {
        if (bag_[k] == none) {
            bag_[k] = static_cast<std::uint32_t>(first_.size());
            first_.push_back(k);
            last_.push_back(k);
        }
        last_[bag_[k]] = k;
        if (auto const p = parents[k]; p != none && bag_[p] == none && counts[k] == counts[p] + 1)
            bag_[p] = bag_[k];
    }
}

REPEBBLE_INLINE void elimination_bags::connect() {
    child_.assign(first_.size(), none);
    sibling_.assign(first_.size(), none);
    made_.edges.reserve(first_.size());
    auto root = none;
    for (std::uint32_t b = 0; b < first_.size(); ++b) {
        auto const p = counts_.parents()[last_[b]];
        auto const above = p == none ? std::exchange(root, b) : bag_[p];
        if (above == none) continue;
        made_.edges.emplace_back(std::min(b, above), std::max(b, above));
        if (p == none || first_[above] != p) continue;
        sibling_[b] = child_[above];
        child_[above] = b;
    }
    std::ranges::sort(made_.edges);
}

REPEBBLE_INLINE void elimination_bags::fill() {
    auto const& place = counts_.places();
    std::vector<std::uint32_t> in_bag(order_.size(), none);
    made_.bags.resize(first_.size());
    for (std::uint32_t b = 0; b < first_.size(); ++b) {
        auto const k = first_[b];
        auto& bag = made_.bags[b];
        bag.reserve(counts_.counts()[k] + std::size_t{1});
        auto const add = [&](vertex v) {
            if (place[v] <= k || in_bag[v] == b) return;
            in_bag[v] = b;
            bag.push_back(v);
        };
        in_bag[order_[k]] = b;
        bag.push_back(order_[k]);
        for (auto const v : graph_.neighbors(order_[k])) add(v);
        for (auto c = child_[b]; c != none; c = sibling_[c])
            for (auto const v : made_.bags[c]) add(v);
        std::ranges::sort(bag);
    }
}

}  // namespace repebble::inline v0::detail

#endif
