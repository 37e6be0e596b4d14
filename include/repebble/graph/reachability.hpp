#ifndef REPEBBLE_GRAPH_REACHABILITY_HPP
#define REPEBBLE_GRAPH_REACHABILITY_HPP

// Transitive closures of acyclic graphs as bitsets, one set for each vertex.

#include <cstddef>
#include <vector>

#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/paced_stop.hpp>
#include <repebble/graph/access.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0 {

namespace detail {

struct ancestors_fn : takes_graph {
    using takes_graph::operator();

    /// From when stop() returns true on, sets are empty, of no vertex.
    template <computation_graph Graph, class Stop = never_stop>
    [[nodiscard]] constexpr auto operator()(Graph const& g, Stop&& stop = {}) const -> std::vector<vertex_set> {
        auto const compact = csr_graph::copy_of(g);
        std::vector<vertex_set> closed(compact.vertex_count());
        paced_stop over(stop);
        for (auto const v : kahn_order(compact, false, false)) {
            closed[v] = vertex_set(compact.vertex_count());
            closed[v].insert(v);
            for (auto const u : compact.predecessors(v)) closed[v] |= closed[u];
            if (over.after(closed[v].words().size())) break;
        }
        return closed;
    }
};

struct descendants_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g) const -> std::vector<vertex_set> {
        auto const compact = csr_graph::copy_of(g);
        std::vector<vertex_set> closed(compact.vertex_count(), vertex_set(compact.vertex_count()));
        auto const order = kahn_order(compact, false, false);
        for (std::size_t i = order.size(); i-- > 0;) {
            closed[order[i]].insert(order[i]);
            for (auto const w : compact.successors(order[i])) closed[order[i]] |= closed[w];
        }
        return closed;
    }
};

}  // namespace detail

/// For every vertex index v, the set of indices from which v is reachable, v itself included: L^v in Kusumoto et al.
/// 2019, section 4.3.  O(m n / 64) time, n² bits.  Throws not_a_dag.
inline constexpr detail::ancestors_fn ancestors{};
/// For every vertex index v, the set of indices reachable from v, v itself included.  As `ancestors`.
inline constexpr detail::descendants_fn descendants{};

}  // namespace repebble::inline v0

#endif
