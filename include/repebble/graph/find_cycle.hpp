#ifndef REPEBBLE_GRAPH_FIND_CYCLE_HPP
#define REPEBBLE_GRAPH_FIND_CYCLE_HPP

// A witness that a graph is not acyclic, by depth-first search without recursion. `verify_graph` reports it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/graph/access.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/unmet_requirement.hpp>

namespace repebble::inline v0 {

namespace detail {

struct find_cycle_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g) const -> std::vector<vertex_t<Graph>> {
        auto const by_index = detail::vertices_by_index(g);
        std::vector<vertex_t<Graph>> cycle;
        for (auto const v : search(detail::as_csr_graph(g))) cycle.push_back(by_index[v]);
        return cycle;
    }

  private:
    [[nodiscard]] static constexpr auto search(csr_graph const& g) -> std::vector<csr_graph::vertex> {
        enum class mark : std::uint8_t { fresh, open, done };
        std::vector<mark> state(g.vertex_count(), mark::fresh);
        std::vector<csr_graph::vertex> path;
        std::vector<std::size_t> next(g.vertex_count(), 0);  // of the successors of every vertex
        for (csr_graph::vertex root = 0; root < g.vertex_count(); ++root) {
            if (state[root] == mark::fresh) path.push_back(root);
            while (!path.empty()) {
                auto const v = path.back();
                bool const left = next[v] == g.successors(v).size();
                state[v] = left ? mark::done : mark::open;
                if (left) {
                    path.pop_back();
                } else if (auto const w = g.successors(v)[next[v]++]; state[w] == mark::open) {
                    return {std::ranges::find(path, w), path.end()};
                } else if (state[w] == mark::fresh) {
                    path.push_back(w);
                }
            }
        }
        return {};
    }
};

}  // namespace detail

/// Returns the vertices of a cycle: each has an edge to the next, and the last to the first; empty where the graph is
/// acyclic. Of several cycles the first that a depth-first search meets; a self-loop is a cycle of one vertex.  O(n +
/// m).
inline constexpr detail::find_cycle_fn find_cycle{};

}  // namespace repebble::inline v0

#endif
