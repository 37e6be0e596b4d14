#ifndef REPEBBLE_GRAPH_LOWER_SETS_DETAIL_MODULE_LOWER_SETS_HPP
#define REPEBBLE_GRAPH_LOWER_SETS_DETAIL_MODULE_LOWER_SETS_HPP

// A bounded family of lower sets, built module by module between serial vertices (vertices that every path passes). For
// graphs with too many lower sets to enumerate.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

/// A module: the part of a graph between two serial vertices, after the first, up to and with the second.
struct graph_module {
    std::size_t first = 0;  ///< its vertices are first, first + 1 … of a topological order
    csr_graph graph;        ///< the subgraph that they induce
    std::size_t known =
        1;  ///< lower sets that other modules count: ∅, the union of all earlier modules; at the end V, too
    std::size_t pruned = 0;  ///< further lower sets in the pruned family
    std::size_t all = 0;     ///< further lower sets in all; the limit where there are more
};

struct module_lower_sets_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] auto operator()(Graph const& g, std::size_t limit, stop_test stop = never_stop{}) const
        -> std::vector<vertex_set> {
        return of(csr_graph::copy_of(g), std::clamp<std::size_t>(limit, 2, std::numeric_limits<std::size_t>::max() / 2),
                  stop);
    }

  private:
    [[nodiscard]] static auto of(csr_graph const& g, std::size_t limit, stop_test stop) -> std::vector<vertex_set>;

    [[nodiscard]] static auto modules_of(csr_graph const& g, std::vector<csr_graph::vertex> const& order,
                                         std::size_t limit, stop_test stop) -> std::vector<graph_module>;

    /// Number of lower sets, at most the limit.
    [[nodiscard]] static auto count(csr_graph const& g, std::size_t limit, stop_test stop) -> std::size_t;

    /// At most `share` lower sets of a module, besides the known ones.
    [[nodiscard]] static auto some(graph_module const& m, std::size_t share, stop_test stop) -> std::vector<vertex_set>;
};

/// A family of at most `limit` lower sets, ∅ and V among them, for graphs that have too many. The graph is cut at its
/// serial vertices, so that every lower set is a lower set of one module, joined with all earlier modules. Each module
/// has a share of the limit; small modules pass the rest of theirs on to larger ones. A module whose lower sets all fit
/// into its share contributes them all; else its pruned family, the prefixes of topological orders (as soon as
/// possible, as late as possible, depth first; as many as fit), and intersections and unions of these up to the share.
/// The family is all lower sets where these are no more than `limit`, and contains the pruned family where `limit` is n
/// + 2 or more. From when stop() returns true on, no further sets.  O(modules · limit · n / 64) for modules that have
/// them all; else as `close_lower_sets`.  Throws not_a_dag.
inline constexpr module_lower_sets_fn module_lower_sets{};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/graph/lower_sets/module_lower_sets.ipp>
#endif

#endif
