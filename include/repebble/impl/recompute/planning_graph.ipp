#ifndef REPEBBLE_IMPL_RECOMPUTE_PLANNING_GRAPH_IPP
#define REPEBBLE_IMPL_RECOMPUTE_PLANNING_GRAPH_IPP

#include <repebble/recompute/planning_graph.hpp>

#include <algorithm>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/csr_graph.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE planning_graph::planning_graph(training_graph const& training)
    : training_(&training), contracted_(detail::contract_views(training.flow)) {
    auto const& flow = contracted_.flow();
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
    auto const& flow = contracted_.flow();
    // An edge of the graph that is not one of control alone: what v waits for without reading it is not kept for it.
    auto const reads_from = [&](operation_index v, operation_index u) {
        return flow.control_predecessors(v).empty() || std::ranges::any_of(flow.reads(v), [&](value_index x) {
                   return std::ranges::find(flow.producers(x), u) != flow.producers(x).end();
               });
    };
    std::vector<csr_graph::edge> edges;
    for (std::uint32_t f = 0; f < forward_.size(); ++f)
        for (auto const u : flow.graph().predecessors(forward_[f]))
            if (number_[u] != none && reads_from(forward_[f], u)) edges.emplace_back(number_[u], f);
    // Formulas count bytes per vertex; a view that was not contracted counts 0.
    problem_ = detail::lower_set_problem_of(flow, forward_, {forward_.size(), edges});
}

}  // namespace repebble::inline v0

#endif
