#ifndef REPEBBLE_IMPL_TREEWIDTH_TREEWIDTH_AT_MOST_IPP
#define REPEBBLE_IMPL_TREEWIDTH_TREEWIDTH_AT_MOST_IPP

#include <repebble/treewidth/detail/exact/treewidth_at_most.hpp>

#include <numeric>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/treewidth/detail/exact/positive_instances.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto treewidth_at_most(undirected_graph const& g, std::size_t k, width_limits limits)
    -> width_decision {
    auto const n = g.vertex_count();
    if (k == 0 && g.edge_count() > 0) return {false, {}};
    if (n == 0 || k >= n - 1 || k == 0) {
        elimination_order any(n);
        std::iota(any.begin(), any.end(), 0U);
        return {true, any};
    }
    if (n <= 64) return detail::positive_instances<1>(g, k, limits).run();
    if (n <= 128) return detail::positive_instances<2>(g, k, limits).run();
    if (n <= 256) return detail::positive_instances<4>(g, k, limits).run();
    if (n <= 512) return detail::positive_instances<8>(g, k, limits).run();
    if (n <= 1024) return detail::positive_instances<16>(g, k, limits).run();
    return {};
}

}  // namespace repebble::inline v0::detail

#endif
