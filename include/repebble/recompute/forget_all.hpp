#ifndef REPEBBLE_RECOMPUTE_FORGET_ALL_HPP
#define REPEBBLE_RECOMPUTE_FORGET_ALL_HPP

#include <cstddef>
#include <string>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/pebbling/liveness.hpp>
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
        vertex_set ran(flow.operation_count());
        vertex_set wanted(flow.operation_count());
        auto const order = flow.order();

        auto const compute = [&](operation_index v) {
            if (computations.size() >= step_limit)
                detail::raise(
                    limit_reached("forget_all needs more than " + std::to_string(step_limit) + " computations"));
            computations.push_back(v);
            ran.insert(v);
        };
        // Computes the forward operations before position `end` that are wanted, and first all that they read. What may
        // not run twice stays where it is.
        auto const recompute = [&](std::size_t end) {
            for (std::size_t k = end; k-- > 0;) {
                auto const v = order[k];
                if (wanted.contains(v)) want_inputs(graph, v, ran, wanted);
            }
            for (std::size_t k = 0; k < end; ++k) {
                auto const v = order[k];
                if (wanted.contains(v)) compute(v);
                wanted.erase(v);
            }
        };
        for (std::size_t k = 0; k < order.size(); ++k) {
            auto const v = order[k];
            if (graph.number(v) != graph.none) continue;
            want_inputs(graph, v, ran, wanted);
            recompute(k);
            compute(v);
        }
        for (std::size_t k = 0; k < order.size(); ++k) {  // forward results that no gradient asked for
            auto const v = order[k];
            if (ran.contains(v) || !flow.is_sink(v)) continue;
            wanted.insert(v);
            recompute(k + 1);
        }
        return plan_of(graph, liveness(flow, computations));
    }

  private:
    template <quantity Time>
    static void want_inputs(planning_graph<Time> const& graph, operation_index v, vertex_set const& ran,
                            vertex_set& wanted) {
        for (auto const value : graph.flow().reads(v)) {
            auto const u = graph.flow().producers(value).front();
            if (graph.number(u) != graph.none && (graph.flow().recomputable(u) || !ran.contains(u))) wanted.insert(u);
        }
    }
};

}  // namespace detail

/// The memory-poor strategy (Bulatov 2018): values are forgotten as they are consumed, and before each gradient the
/// ancestors that it needs are computed again, in topological order, with liveness. Little memory on a chain,
/// O(n²) steps and time. Throws limit_reached beyond `step_limit` computations.
inline constexpr detail::forget_all_fn forget_all{};

}  // namespace repebble::inline v0

#endif
