#ifndef REPEBBLE_IMPL_TREEWIDTH_BEST_ELIMINATION_IPP
#define REPEBBLE_IMPL_TREEWIDTH_BEST_ELIMINATION_IPP

#include <repebble/treewidth/detail/orders/best_elimination.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/treewidth/detail/orders/elimination_searcher.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto best_elimination(undirected_graph const& g, elimination_search const& options) -> best_order {
    detail::check_search(options.threads, options.time_limit);
    return detail::elimination_searcher(g, options).run();
}

}  // namespace repebble::inline v0::detail

#endif
