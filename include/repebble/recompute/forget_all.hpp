#ifndef REPEBBLE_RECOMPUTE_FORGET_ALL_HPP
#define REPEBBLE_RECOMPUTE_FORGET_ALL_HPP

// The memory-poor strategy (Bulatov 2018): keeps no checkpoint and recomputes all ancestors before each gradient. The
// other end of the trade-off from keep_all: little memory, quadratic time. Operations that may run only once are
// exceptions: their results stay resident.

#include <cstddef>
#include <string>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

namespace detail {

struct forget_all_fn {
    static constexpr std::size_t default_step_limit = 4'000'000;

    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training,
                                  std::size_t step_limit = default_step_limit) const -> recompute_plan<Time> {
        planning_graph<Time> const graph(training);
        auto const& flow = graph.flow();
        std::vector<operation_index> computations;
        vertex_set computed(flow.operation_count());
        vertex_set needed(flow.operation_count());
        auto const order = flow.order();

        auto const compute = [&](operation_index v) {
            if (computations.size() >= step_limit)
                detail::raise(
                    limit_reached("forget_all needs more than " + std::to_string(step_limit) + " computations"));
            computations.push_back(v);
            computed.insert(v);
        };
        // Recomputes the needed forward operations before position `end`, preceded by their ancestors. Results of
        // operations that may run only once stay resident.
        auto const recompute = [&](std::size_t end) {
            for (std::size_t k = end; k-- > 0;) {
                auto const v = order[k];
                if (needed.contains(v)) need_inputs(graph, v, computed, needed);
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
            need_inputs(graph, v, computed, needed);
            recompute(k);
            compute(v);
        }
        for (std::size_t k = 0; k < order.size(); ++k) {  // forward results that no gradient reads
            auto const v = order[k];
            if (computed.contains(v) || !flow.is_sink(v)) continue;
            needed.insert(v);
            recompute(k + 1);
        }
        return plan_of(graph, liveness(flow, computations));
    }

  private:
    template <quantity Time>
    static void need_inputs(planning_graph<Time> const& graph, operation_index v, vertex_set const& computed,
                            vertex_set& needed) {
        for (auto const value : graph.flow().reads(v)) {
            auto const u = graph.flow().producers(value).front();
            if (graph.number(u) != graph.none && (graph.flow().recomputable(u) || !computed.contains(u)))
                needed.insert(u);
        }
    }
};

}  // namespace detail

/// Plan that discards every forward value after its last reader, and before each gradient recomputes the ancestors that
/// it needs, in topological order, with liveness. Little memory on a chain; O(n²) steps and time. Throws limit_reached
/// beyond `step_limit` computations.
inline constexpr detail::forget_all_fn forget_all{};

}  // namespace repebble::inline v0

#endif
