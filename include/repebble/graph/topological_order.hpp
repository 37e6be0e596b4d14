#ifndef REPEBBLE_GRAPH_TOPOLOGICAL_ORDER_HPP
#define REPEBBLE_GRAPH_TOPOLOGICAL_ORDER_HPP

// Topological orders: Kahn's algorithm (1962) with a heap, for three rules, and reverse postorder of a depth-first
// search. Deterministic: ties by index. Most strategies begin with one of them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/access.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/unmet_requirement.hpp>

namespace repebble::inline v0 {

/// Which of the vertices that could be next a topological order takes.
enum class order_rule : std::uint8_t {
    by_index,     ///< the least index: 0 … n-1 itself where that is topological
    soonest,      ///< every vertex as soon as possible: by the length of the longest path that leads to it
    latest,       ///< every vertex as late as possible: by the length of the longest path that leads away from it
    depth_first,  ///< a branch is finished before the next begins: Kusumoto et al. 2019, appendix B
};

namespace detail {

/// Topological order of a compact graph by Kahn's algorithm, least index first, forwards or backwards along the edges.
/// levels: by breadth, every vertex as soon as the level before it is complete.  O((n + m) log n).
[[nodiscard]] constexpr auto kahn_order(csr_graph const& g, bool backwards, bool levels)
    -> std::vector<csr_graph::vertex> {
    using vertex = csr_graph::vertex;
    auto const next = [&](vertex v) { return backwards ? g.predecessors(v) : g.successors(v); };
    std::size_t const n = g.vertex_count();
    std::vector<std::size_t> waiting(n, 0);
    for (std::size_t v = 0; v < n; ++v) waiting[v] = (backwards ? g.successors(v) : g.predecessors(v)).size();

    // Backwards, the greatest index is taken first, so that the reversed order again prefers small indices early.
    using entry = std::pair<vertex, vertex>;
    std::vector<entry> heap;
    auto const key = [&](vertex level, vertex v) {
        return entry{levels ? level : 0, backwards ? static_cast<vertex>(n - 1 - v) : v};
    };
    auto const later = [](entry const& a, entry const& b) { return b < a; };
    for (std::size_t v = 0; v < n; ++v)
        if (waiting[v] == 0) heap.push_back(key(0, static_cast<vertex>(v)));
    std::make_heap(heap.begin(), heap.end(), later);
    std::vector<vertex> order;
    order.reserve(n);
    while (!heap.empty()) {
        std::pop_heap(heap.begin(), heap.end(), later);
        auto const [level, k] = heap.back();
        heap.pop_back();
        auto const v = backwards ? static_cast<vertex>(n - 1 - k) : k;
        order.push_back(v);
        for (vertex const w : next(v))
            if (--waiting[w] == 0) {
                heap.push_back(key(level + 1, w));
                std::push_heap(heap.begin(), heap.end(), later);
            }
    }
    if (order.size() < n) {
        std::size_t stuck = 0;
        while (waiting[stuck] == 0) ++stuck;
        detail::raise(not_a_dag(std::string("the graph has a cycle through or ") + (backwards ? "after" : "before") +
                                " vertex " + std::to_string(stuck)));
    }
    if (backwards) std::reverse(order.begin(), order.end());
    return order;
}

/// Depth-first order: the reverse postorder of a depth-first search.  O(n + m).
[[nodiscard]] constexpr auto depth_first_order(csr_graph const& g) -> std::vector<csr_graph::vertex> {
    using vertex = csr_graph::vertex;
    std::size_t const n = g.vertex_count();
    enum class mark : std::uint8_t { fresh, open, done };
    std::vector<mark> state(n, mark::fresh);
    std::vector<std::pair<vertex, std::size_t>> path;  // vertex, number of successors still to visit
    std::vector<vertex> order;
    order.reserve(n);
    auto const enter = [&](vertex v) {
        state[v] = mark::open;
        path.emplace_back(v, g.successors(v).size());
    };
    for (std::size_t r = n; r-- > 0;) {
        if (state[r] != mark::fresh || !g.predecessors(r).empty()) continue;
        enter(static_cast<vertex>(r));
        while (!path.empty()) {
            auto& [v, left] = path.back();
            if (left == 0) {
                state[v] = mark::done;
                order.push_back(v);
                path.pop_back();
                continue;
            }
            vertex const w = g.successors(v)[--left];
            if (state[w] == mark::open)
                detail::raise(not_a_dag("the graph has a cycle through vertex " + std::to_string(w)));
            if (state[w] == mark::fresh) enter(w);
        }
    }
    if (order.size() < n) {
        auto const stuck = std::ranges::find(state, mark::fresh) - state.begin();
        detail::raise(not_a_dag("the graph has a cycle through or before vertex " + std::to_string(stuck)));
    }
    std::ranges::reverse(order);
    return order;
}

struct topological_order_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g, order_rule rule = order_rule::by_index) const
        -> std::vector<vertex_t<Graph>> {
        auto const by_index = detail::vertices_by_index(g);
        std::vector<vertex_t<Graph>> result;
        result.reserve(by_index.size());
        for (auto const i : order_of(detail::as_csr_graph(g), rule)) result.push_back(by_index[i]);
        return result;
    }

  private:
    static constexpr auto order_of(csr_graph const& g, order_rule rule) -> std::vector<csr_graph::vertex> {
        if (rule == order_rule::depth_first) return depth_first_order(g);
        return kahn_order(g, rule == order_rule::latest, rule != order_rule::by_index);
    }
};

}  // namespace detail

/// A topological order of a graph by a rule, as a vector of its vertices; ties by index. Throws not_a_dag, naming a
/// vertex, where there is a cycle.  O((n + m) log n), depth first O(n + m).
inline constexpr detail::topological_order_fn topological_order{};

}  // namespace repebble::inline v0

#endif
