#ifndef REPEBBLE_IMPL_OFFLOAD_Q_GRAPH_IPP
#define REPEBBLE_IMPL_OFFLOAD_Q_GRAPH_IPP

#include <repebble/offload/q_graph.hpp>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto summed_lags(q_graph const& g, std::vector<double> const& begin) -> std::vector<double> {
    std::vector<double> sum(g.size());
    for (auto const& nodes : g.groups) {
        double total = 0, before = 0;
        for (auto const v : nodes) total += begin[v];
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            auto const t = begin[nodes[k]];
            auto const earlier = static_cast<double>(k), later = static_cast<double>(nodes.size() - k);
            sum[nodes[k]] = (earlier * t - before) + ((total - before) - later * t);
            before += t;
        }
    }
    for (std::size_t v = 1; v < g.size(); ++v)
        if (g.joins(v)) {
            sum[v - 1] += begin[v] - begin[v - 1];
            sum[v] += begin[v] - begin[v - 1];
        }
    return sum;
}

}  // namespace repebble::inline v0::detail

#endif
