#ifndef REPEBBLE_IMPL_RECOMPUTE_PLANNING_GRAPH_IPP
#define REPEBBLE_IMPL_RECOMPUTE_PLANNING_GRAPH_IPP

#include <repebble/recompute/planning_graph.hpp>

#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE planning_graph::planning_graph(training_graph const& training)
    : training_(&training), contracted_(detail::contract_views(training.flow)) {
    auto const& flow = contracted_.flow;
    std::vector<operation_index> number_of_origin(training.flow.operation_count(), none);
    for (operation_index c = 0; c < flow.operation_count(); ++c) {
        auto const v = owner(c);
        bool const forward = training.origin[v].pass == pass::forward;
        number_.push_back(forward ? static_cast<std::uint32_t>(forward_.size()) : none);
        if (!forward) continue;
        number_of_origin[training.origin[v].vertex] = number_.back();
        forward_.push_back(c);
    }
    for (operation_index c = 0; c < flow.operation_count(); ++c) {
        auto const& origin = training.origin[owner(c)];
        bool const built = training.made_by != convention::joint && origin.pass != pass::forward;
        gradient_of_.push_back(built ? number_of_origin[origin.vertex] : none);
    }
    make_problem();
}

REPEBBLE_INLINE auto planning_graph::views_time() const -> std::int64_t {
    std::int64_t sum{};
    for (auto const c : forward_)
        for (auto const view : members(c).subspan(1)) sum += training_->flow.time(view);
    return sum;
}

REPEBBLE_INLINE void planning_graph::make_problem() {
    auto const& flow = contracted_.flow;
    dataflow_builder builder;
    std::vector<value_index> value_in_part(flow.value_count(), none);
    for (auto const c : forward_) builder.add_operation(flow.time(c), flow.workspace(c), flow.recomputable(c));
    // Formulas count bytes per vertex; a view that was not contracted counts 0.
    for (std::uint32_t f = 0; f < forward_.size(); ++f)
        for (auto const value : flow.writes(forward_[f])) {
            if (value_in_part[value] == none) {
                value_in_part[value] = builder.add_value(f, flow.size(value));
            } else {
                builder.add_producer(f, value_in_part[value]);
            }
        }
    for (std::uint32_t f = 0; f < forward_.size(); ++f)
        for (auto const value : flow.reads(forward_[f])) builder.add_read(f, value_in_part[value]);
    problem_ = make_lower_set_problem(std::move(builder).build());
}

}  // namespace repebble::inline v0

#endif
