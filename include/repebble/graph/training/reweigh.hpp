#ifndef REPEBBLE_GRAPH_TRAINING_REWEIGH_HPP
#define REPEBBLE_GRAPH_TRAINING_REWEIGH_HPP

// Other weights for the same dataflow: measured times, workspaces of an implementation. Structure and sizes stay.

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include <repebble/detail/invoke_on_vertex.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/training_graph.hpp>

namespace repebble::inline v0 {

namespace detail {

struct reweigh_fn {
    template <class NewTime, class Workspace>
        requires std::integral<std::remove_cvref_t<std::invoke_result_t<NewTime const&, operation_index>>>
    [[nodiscard]] constexpr auto operator()(dataflow flow, NewTime const& time, Workspace const& workspace) const
        -> dataflow {
        for (operation_index v = 0; v < flow.operation_count(); ++v) {
            auto const name = [&](char const* weight) {
                return std::string(weight) + " of operation " + std::to_string(v);
            };
            auto const units = detail::call(time, v);
            check_weight(units, [&] { return name("time"); });
            bytes const workspace_bytes = to_bytes(detail::call(workspace, v), [&] { return name("workspace"); });
            flow.operations_[v].time = static_cast<std::int64_t>(units);
            flow.operations_[v].workspace = workspace_bytes;
        }
        dataflow_builder::check_total(flow.sizes_, flow.operations_, flow.writes_);
        flow.time_once_ = dataflow_builder::cheapest_total(flow);
        return flow;
    }

    template <class NewTime, class Workspace>
    [[nodiscard]] constexpr auto operator()(training_graph training, NewTime const& time,
                                            Workspace const& workspace) const -> training_graph {
        training.flow = (*this)(std::move(training.flow), time, workspace);
        return training;
    }
};

}  // namespace detail

/// The same dataflow, or training graph, with other weights: `time(v)` time units and `workspace(v)` bytes for every
/// operation v.  O(operations + values).  Throws bad_weight where one is negative or not a number, naming the
/// operation, or where a sum overflows.
inline constexpr detail::reweigh_fn reweigh{};

}  // namespace repebble::inline v0

#endif
