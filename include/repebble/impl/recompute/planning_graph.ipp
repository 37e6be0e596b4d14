#ifndef REPEBBLE_IMPL_RECOMPUTE_PLANNING_GRAPH_IPP
#define REPEBBLE_IMPL_RECOMPUTE_PLANNING_GRAPH_IPP

#include <repebble/recompute/planning_graph.hpp>

#include <algorithm>
#include <iterator>
#include <string>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/error.hpp>

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
    std::vector<csr_graph::edge> edges;
    std::vector<operation_index> read, read_from;
    for (std::uint32_t f = 0; f < forward_.size(); ++f) {
        auto const v = forward_[f];
        read.clear();
        for (auto const x : flow.reads(v)) {
            auto const makers = flow.producers(x);
            if (std::ranges::none_of(makers, [&](operation_index u) { return number_[u] != none; }))
                detail::raise(bad_graph("operation " + std::to_string(owner(v)) + " of the forward pass reads value " +
                                        std::to_string(contracted_.original_value[x]) +
                                        ", which no operation of the forward pass writes"));
            read.insert(read.end(), makers.begin(), makers.end());
        }
        detail::sort_unique(read);
        // A control edge alone keeps nothing in memory for v.
        read_from.clear();
        std::ranges::set_intersection(read, flow.graph().predecessors(v), std::back_inserter(read_from));
        for (auto const u : read_from)
            if (number_[u] != none) edges.emplace_back(number_[u], f);
    }
    // Formulas count bytes per vertex; a view that was not contracted counts 0.
    problem_ = detail::lower_set_problem_of(flow, forward_, {forward_.size(), edges});
}

}  // namespace repebble::inline v0

#endif
