#ifndef REPEBBLE_RECOMPUTE_DETAIL_RECOMPUTE_CLOSURE_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_RECOMPUTE_CLOSURE_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

/// No operation makes the value again.
inline constexpr auto no_maker = std::numeric_limits<operation_index>::max();

/// For every value the forward operation that computes it again: the first producer that may run twice, or no_maker.
template <quantity Time>
[[nodiscard]] auto producers_of(planning_graph<Time> const& graph) -> std::vector<operation_index> {
    auto const& flow = graph.flow();
    std::vector<operation_index> makers(flow.value_count(), no_maker);
    for (std::size_t x = 0; x < makers.size(); ++x) {
        auto const again = [&](operation_index u) { return graph.number(u) != graph.none && flow.recomputable(u); };
        auto const found = std::ranges::find_if(flow.producers(x), again);
        if (found != flow.producers(x).end()) makers[x] = *found;
    }
    return makers;
}

/// Runs v, and before it what computes again the values that are not there: depth first, by a stack of its own. Calls
/// want(u) when it is clear that u will run, and run(u) when all that u reads is there. Returns false as soon as run(u)
/// does, or where nobody makes what is missing.
template <quantity Time, class IsThere, class Want, class Run>
[[nodiscard]] auto run_with_inputs(dataflow<Time> const& flow, std::vector<operation_index> const& makers,
                                   operation_index v, IsThere&& is_there, Want&& want, Run&& run) -> bool {
    std::vector<operation_index> wanted{v};
    want(v);
    while (!wanted.empty()) {
        auto const u = wanted.back();
        auto const missing = std::ranges::find_if_not(flow.reads(u), is_there);
        if (missing == flow.reads(u).end()) {
            if (!run(u)) return false;
            wanted.pop_back();
            continue;
        }
        if (makers[*missing] == no_maker) return false;
        wanted.push_back(makers[*missing]);
        want(wanted.back());
    }
    return true;
}

}  // namespace repebble::inline v0::detail

#endif
