#ifndef REPEBBLE_IMPL_TREEWIDTH_WIDTH_BOUNDS_IPP
#define REPEBBLE_IMPL_TREEWIDTH_WIDTH_BOUNDS_IPP

#include <repebble/treewidth/width_bounds.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/treewidth/detail/bounds/dense_contraction.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE contraction::contraction(undirected_graph const& g, std::uint64_t seed)
    : n_(g.vertex_count()), left_(g), queue_(n_), common_(n_, 0), order_(n_) {
    std::iota(order_.begin(), order_.end(), 0U);
    split_mix random(seed);
    if (seed != 0) random.shuffle(order_);
    for (auto const v : order_) queue_.put(v, left_.degree(v));
}

REPEBBLE_INLINE auto contraction::run(std::size_t bound) -> std::size_t {
    while (left_.vertex_count() > bound + 1) {
        if (16 * left_.edge_count() >= left_.vertex_count() * left_.vertex_count()) return run_dense(bound);
        auto const v = queue_.pop([&](vertex u) { return left_.degree(u); });
        bound = std::max<std::size_t>(bound, left_.degree(v));
        contract(v);
    }
    return bound;
}

REPEBBLE_INLINE auto contraction::minor(std::size_t vertices) -> undirected_graph {
    while (left_.vertex_count() > vertices) contract(queue_.pop([&](vertex u) { return left_.degree(u); }));
    std::vector<vertex> kept;
    for (vertex v = 0; v < n_; ++v)
        if (!left_.is_removed(v)) kept.push_back(v);
    return left_.induced(kept);
}

REPEBBLE_INLINE void contraction::contract(vertex v) {
    auto const all = left_.neighbors(v);
    neighbourhood_.assign(all.begin(), all.end());
    auto const into = neighbourhood_.size() < 2 ? v : least_common();
    left_.remove(v);
    if (into != v) left_.connect_all(into, neighbourhood_);
    for (auto const w : neighbourhood_) queue_.put(w, left_.degree(w));
}

REPEBBLE_INLINE auto contraction::least_common() -> vertex {
    auto const degree = [&](vertex w) { return left_.degree(w); };
    std::swap(*std::ranges::max_element(neighbourhood_, {}, degree), neighbourhood_.back());
    std::partition(neighbourhood_.begin(), neighbourhood_.end() - 1, [&](vertex w) { return !left_.is_hub(w); });
    left_.count_among(neighbourhood_, [&](std::size_t k, std::size_t count) {
        common_[neighbourhood_[k]] = static_cast<std::uint32_t>(count);
        return true;
    });
    return *std::ranges::min_element(neighbourhood_, {},
                                     [&](vertex w) { return std::pair(common_[w], left_.degree(w)); });
}

REPEBBLE_INLINE auto contraction::run_dense(std::size_t bound) -> std::size_t {
    std::vector<vertex> kept, number(n_);
    for (auto const v : order_)
        if (!left_.is_removed(v)) {
            number[v] = static_cast<vertex>(kept.size());
            kept.push_back(v);
        }
    dense_contraction rest(kept.size());
    for (auto const v : kept)
        for (auto const w : left_.neighbors(v))
            if (v < w) rest.connect(number[v], number[w]);
    return rest.run(bound);
}

REPEBBLE_INLINE auto degeneracy(undirected_graph const& g) -> std::size_t {
    using vertex = undirected_graph::vertex;
    auto const n = g.vertex_count();
    std::vector<std::uint32_t> degree(n), place(n);
    std::vector<std::size_t> first(1, 0);  // per degree: its first position in the order
    for (vertex v = 0; v < n; ++v) {
        degree[v] = static_cast<std::uint32_t>(g.degree(v));
        if (first.size() < degree[v] + std::size_t{2}) first.resize(degree[v] + std::size_t{2}, 0);
        ++first[degree[v] + std::size_t{1}];
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<vertex> order(n);
    auto next = first;
    for (vertex v = 0; v < n; ++v) {
        place[v] = static_cast<std::uint32_t>(next[degree[v]]++);
        order[place[v]] = v;
    }
    std::size_t greatest = 0;
    for (std::size_t k = 0; k < n; ++k) {
        auto const v = order[k];
        greatest = std::max<std::size_t>(greatest, degree[v]);
        for (auto const w : g.neighbors(v)) {
            if (degree[w] <= degree[v]) continue;
            auto const to = std::max(first[degree[w]], k + 1);
            std::swap(order[to], order[place[w]]);
            place[order[place[w]]] = place[w];
            place[w] = static_cast<std::uint32_t>(to);
            first[degree[w]--] = to + 1;
        }
    }
    return greatest;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto find_contraction_bound(undirected_graph const& g, std::size_t tries) -> std::size_t {
    auto bound = detail::degeneracy(g);
    for (std::size_t seed = 0; seed < tries; ++seed) bound = detail::contraction(g, seed).run(bound);
    return bound;
}

}  // namespace repebble::inline v0

#endif
