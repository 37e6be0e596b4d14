#ifndef REPEBBLE_IMPL_DECOMPOSITION_ELIMINATION_IPP
#define REPEBBLE_IMPL_DECOMPOSITION_ELIMINATION_IPP

#include <repebble/decomposition/elimination.hpp>

#include <algorithm>
#include <string>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto places_of(undirected_graph const& g, std::span<undirected_graph::vertex const> order)
    -> std::vector<std::uint32_t> {
    constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    auto const n = g.vertex_count();
    std::vector<std::uint32_t> place(n, none);
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (order[k] >= n)
            detail::raise(bad_graph("an order names vertex " + std::to_string(order[k]) + " of " + std::to_string(n)));
        if (place[order[k]] != none)
            detail::raise(bad_graph("an order names vertex " + std::to_string(order[k]) + " twice"));
        place[order[k]] = static_cast<std::uint32_t>(k);
    }
    auto const missing = std::ranges::find(place, none);
    if (missing != place.end())
        detail::raise(bad_graph("an order lacks vertex " + std::to_string(missing - place.begin())));
    return place;
}

REPEBBLE_INLINE void elimination_counts::make_tree() {
    parent_.assign(order_.size(), none);
    auto ancestor = parent_;
    for (std::uint32_t k = 0; k < order_.size(); ++k)
        for (auto const neighbor : graph_.neighbors(order_[k]))
            for (auto at = place_[neighbor]; at < k;) {
                auto const next = ancestor[at];
                ancestor[at] = k;
                if (next == none) parent_[at] = k;
                at = next;
            }
}

REPEBBLE_INLINE auto elimination_counts::postorder() const -> std::vector<std::uint32_t> {
    auto const n = parent_.size();
    std::vector<std::uint32_t> first(n, none), next(n, none), post, open;
    for (auto k = static_cast<std::uint32_t>(n); k-- > 0;)
        if (parent_[k] != none) {
            next[k] = first[parent_[k]];
            first[parent_[k]] = k;
        }
    post.reserve(n);
    for (std::uint32_t root = 0; root < n; ++root) {
        if (parent_[root] != none) continue;
        open.push_back(root);
        while (!open.empty()) {
            auto const at = open.back();
            if (auto const child = first[at]; child != none) {
                first[at] = next[child];
                open.push_back(child);
            } else {
                post.push_back(at);
                open.pop_back();
            }
        }
    }
    return post;
}

REPEBBLE_INLINE void elimination_counts::count() {
    auto const n = parent_.size();
    auto const post = postorder();
    std::vector<std::uint32_t> first(n, none), last_first(n, none), last_leaf(n, none), above(n);
    std::vector<std::int64_t> change(n, 0);
    for (std::uint32_t k = 0; k < n; ++k) {
        above[k] = k;
        change[post[k]] = first[post[k]] == none ? 1 : 0;
        for (auto at = post[k]; at != none && first[at] == none; at = parent_[at]) first[at] = k;
    }
    auto const root_of = [&](std::uint32_t at) {
        auto root = at;
        while (above[root] != root) root = above[root];
        while (at != root) {
            auto const next = above[at];
            above[at] = root;
            at = next;
        }
        return root;
    };
    for (auto const j : post) {
        if (parent_[j] != none) --change[parent_[j]];
        for (auto const neighbor : graph_.neighbors(order_[j])) {
            auto const i = place_[neighbor];
            if (i <= j || (last_first[i] != none && first[j] <= last_first[i])) continue;
            last_first[i] = first[j];
            ++change[j];
            if (last_leaf[i] != none) --change[root_of(last_leaf[i])];
            last_leaf[i] = j;
        }
        if (parent_[j] != none) above[j] = parent_[j];
    }
    counts_.resize(n);
    for (std::uint32_t j = 0; j < n; ++j) {
        if (parent_[j] != none) change[parent_[j]] += change[j];
        counts_[j] = static_cast<std::uint32_t>(change[j] - 1);
    }
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto elimination::of(undirected_graph const& g, std::span<undirected_graph::vertex const> order)
    -> elimination {
    elimination made;
    detail::elimination_counts const all(g, order);
    for (auto const count : all.counts()) {
        made.width = std::max<std::size_t>(made.width, count);
        made.fill += count;
    }
    made.fill -= g.edge_count();
    return made;
}

}  // namespace repebble::inline v0

#endif
