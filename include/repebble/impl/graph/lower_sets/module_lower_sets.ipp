#ifndef REPEBBLE_IMPL_GRAPH_LOWER_SETS_MODULE_LOWER_SETS_IPP
#define REPEBBLE_IMPL_GRAPH_LOWER_SETS_MODULE_LOWER_SETS_IPP

#include <repebble/graph/lower_sets/detail/module_lower_sets.hpp>

#include <utility>

#include <repebble/detail/paced_stop.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/access.hpp>
#include <repebble/graph/lower_sets/detail/close_lower_sets.hpp>
#include <repebble/graph/lower_sets/detail/serial_vertices.hpp>
#include <repebble/graph/lower_sets/detail/lower_set.hpp>
#include <repebble/graph/lower_sets/lower_sets.hpp>
#include <repebble/graph/topological_order.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto module_lower_sets_fn::of(csr_graph const& g, std::size_t limit, stop_test stop)
    -> std::vector<vertex_set> {
    auto const order = kahn_order(g, true, true);
    std::size_t const n = g.vertex_count();
    std::vector<vertex_set> sets{vertex_set(n), vertex_set::full(n)};
    if (n == 0) sets.pop_back();
    auto modules = modules_of(g, order, limit, stop);
    if (stop()) return sets;
    // First the modules with the fewest sets beyond their pruned family, so that as many as possible are complete.
    std::stable_sort(modules.begin(), modules.end(),
                     [](auto const& a, auto const& b) { return a.all - a.pruned < b.all - b.pruned; });
    paced_stop over(stop);
    std::size_t pruned = 0;  // of the modules that are left
    for (auto const& m : modules) pruned += m.pruned;
    for (std::size_t left = modules.size(); left > 0; --left) {
        auto const& m = modules[modules.size() - left];
        std::size_t const capacity = limit - sets.size();
        std::size_t const share = capacity >= pruned ? m.pruned + (capacity - pruned) / left : capacity / left;
        pruned -= m.pruned;
        vertex_set before(n);
        for (std::size_t i = 0; i < m.first; ++i) before.insert(order[i]);
        for (auto const& part : some(m, share, stop)) {
            if (over.after(part.words().size() + before.words().size())) return sets;
            if (part.empty() || m.first + part.size() == n) continue;
            sets.push_back(before);
            part.for_each([&](std::size_t i) { sets.back().insert(order[m.first + i]); });
        }
    }
    return sets;
}

REPEBBLE_INLINE auto module_lower_sets_fn::modules_of(csr_graph const& g, std::vector<csr_graph::vertex> const& order,
                                                      std::size_t limit, stop_test stop) -> std::vector<graph_module> {
    std::vector<std::size_t> at(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) at[order[i]] = i;
    std::vector<csr_graph::edge> edges;
    for (std::size_t i = 0; i < order.size(); ++i)
        for (auto const w : g.successors(order[i]))
            edges.emplace_back(static_cast<csr_graph::vertex>(i), static_cast<csr_graph::vertex>(at[w]));
    auto ends = serial_vertices(csr_graph(order.size(), edges));
    if (!order.empty()) ends.push_back(order.size() - 1);
    std::vector<graph_module> modules;
    std::size_t first = 0;
    std::size_t edge = 0;
    for (auto const end : ends) {
        std::vector<csr_graph::edge> own;
        for (; edge < edges.size() && edges[edge].first <= end; ++edge)
            if (edges[edge].first >= first && edges[edge].second <= end)
                own.emplace_back(static_cast<csr_graph::vertex>(edges[edge].first - first),
                                 static_cast<csr_graph::vertex>(edges[edge].second - first));
        graph_module m{first, csr_graph(end + 1 - first, own), end + 1 == order.size() ? std::size_t{2} : 1};
        m.pruned = pruned_lower_sets(m.graph, stop).size() - m.known;
        m.all = count(m.graph, limit + m.known, stop) - m.known;
        modules.push_back(std::move(m));
        first = end + 1;
    }
    return modules;
}

REPEBBLE_INLINE auto module_lower_sets_fn::count(csr_graph const& g, std::size_t limit, stop_test stop) -> std::size_t {
    std::size_t found = 0;
    auto sets = lower_sets(g);
    paced_stop over(stop);
    for (auto it = sets.begin(); it != sets.end() && found < limit; ++it, ++found)
        if (over.after(it->words().size())) return limit;
    return found;
}

REPEBBLE_INLINE auto module_lower_sets_fn::some(graph_module const& m, std::size_t share, stop_test stop)
    -> std::vector<vertex_set> {
    std::vector<vertex_set> sets;
    paced_stop over(stop);
    if (m.all <= share) {
        for (auto const& set : lower_sets(m.graph)) {
            if (over.after(set.words().size())) break;
            sets.push_back(set);
        }
    } else {
        std::size_t const n = m.graph.vertex_count();
        sets = pruned_lower_sets(m.graph, stop);
        std::swap(sets[1], sets.back());  // the whole module is always included
        auto const add_prefixes = [&](std::vector<csr_graph::vertex> const& order) {
            if (sets.size() + n > share + m.known) return;
            vertex_set prefix(n);
            for (auto const v : order) {
                if (over.after(prefix.words().size())) return;
                prefix.insert(v);
                sets.push_back(prefix);
            }
        };
        add_prefixes(kahn_order(m.graph, false, true));
        add_prefixes(kahn_order(m.graph, true, true));
        add_prefixes(depth_first_order(m.graph));
        sets = close_lower_sets(sets, share + m.known, stop);
    }
    return sets;
}

}  // namespace repebble::inline v0::detail

#endif
