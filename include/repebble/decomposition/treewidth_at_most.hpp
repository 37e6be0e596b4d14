#ifndef REPEBBLE_DECOMPOSITION_TREEWIDTH_AT_MOST_HPP
#define REPEBBLE_DECOMPOSITION_TREEWIDTH_AT_MOST_HPP

// The exact decision procedure: positive-instance driven dynamic programming (Tamaki, "Positive-instance driven dynamic
// programming for treewidth", 2017), dispatched to bit sets of 64 to 1024 vertices. `treewidth` and `minor_bound` call
// it on reduced graphs.

#include <cstddef>
#include <numeric>

#include <repebble/decomposition/detail/exact/positive_instances.hpp>
#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/decomposition/width_decision.hpp>

namespace repebble::inline v0 {

namespace detail {

struct treewidth_at_most_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, std::size_t k, width_limits limits = {}) const
        -> width_decision {
        auto const n = g.vertex_count();
        if (k == 0 && g.edge_count() > 0) return {false, {}};
        if (n == 0 || k >= n - 1 || k == 0) {
            elimination_order any(n);
            std::iota(any.begin(), any.end(), 0U);
            return {true, any};
        }
        if (n <= 64) return positive_instances<1>(g, k, limits).run();
        if (n <= 128) return positive_instances<2>(g, k, limits).run();
        if (n <= 256) return positive_instances<4>(g, k, limits).run();
        if (n <= 512) return positive_instances<8>(g, k, limits).run();
        if (n <= 1024) return positive_instances<16>(g, k, limits).run();
        return {};
    }
};

}  // namespace detail

/// Decides whether the treewidth of a graph is at most k; both answers are proven, and a positive one comes with an
/// order. A fixed root takes the place of the paper's inbound sets.
///
/// No answer if a limit is reached, or if the graph has more than 1024 vertices; `treewidth` splits larger ones first.
/// Exponential time and memory in the worst case.
inline constexpr detail::treewidth_at_most_fn treewidth_at_most{};

}  // namespace repebble::inline v0

#endif
