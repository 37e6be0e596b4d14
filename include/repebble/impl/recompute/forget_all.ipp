#ifndef REPEBBLE_IMPL_RECOMPUTE_FORGET_ALL_IPP
#define REPEBBLE_IMPL_RECOMPUTE_FORGET_ALL_IPP

#include <repebble/recompute/forget_all.hpp>

#include <string>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

inline void need_inputs(planning_graph const& graph, operation_index v, vertex_set const& computed,
                        vertex_set& needed) {
    for (auto const value : graph.flow().reads(v)) {
        auto const u = graph.flow().producers(value).front();
        if (graph.number(u) != graph.none && (graph.flow().recomputable(u) || !computed.contains(u))) needed.insert(u);
    }
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto forget_all(problem const& p, limits const& within) -> recompute_plan<> {
    constexpr std::size_t most_computations = 4'000'000;
    detail::limit_test limit(within);
    auto const step_limit = within.work.value_or(most_computations);
    planning_graph const graph(detail::training_of(p));
    auto const& flow = graph.flow();
    std::vector<operation_index> computations;
    vertex_set computed(flow.operation_count());
    vertex_set needed(flow.operation_count());
    auto const order = flow.order();

    auto const compute = [&](operation_index v) {
        if (computations.size() >= step_limit)
            detail::raise(limit_reached("forget_all needs more than " + std::to_string(step_limit) + " computations"));
        computations.push_back(v);
        computed.insert(v);
    };
    // Recomputes the needed forward operations before position `end`, preceded by their ancestors. Results of
    // operations that may run only once stay resident.
    auto const recompute = [&](std::size_t end) {
        for (std::size_t k = end; k-- > 0;) {
            auto const v = order[k];
            if (needed.contains(v)) detail::need_inputs(graph, v, computed, needed);
        }
        for (std::size_t k = 0; k < end; ++k) {
            auto const v = order[k];
            if (needed.contains(v)) compute(v);
            needed.erase(v);
        }
    };
    for (std::size_t k = 0; k < order.size(); ++k) {
        auto const v = order[k];
        if (graph.number(v) != graph.none) continue;
        if (limit()) detail::raise(limit_reached("forget_all was ended before its plan was complete"));
        detail::need_inputs(graph, v, computed, needed);
        recompute(k);
        compute(v);
    }
    for (std::size_t k = 0; k < order.size(); ++k) {  // forward results that no gradient reads
        auto const v = order[k];
        if (computed.contains(v) || !flow.is_sink(v)) continue;
        needed.insert(v);
        recompute(k + 1);
    }
    return detail::plan_of(graph, make_schedule(flow, computations));
}

}  // namespace repebble::inline v0

#endif
