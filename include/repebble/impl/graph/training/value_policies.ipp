#ifndef REPEBBLE_IMPL_GRAPH_TRAINING_VALUE_POLICIES_IPP
#define REPEBBLE_IMPL_GRAPH_TRAINING_VALUE_POLICIES_IPP

#include <repebble/graph/training/value_policies.hpp>

#include <algorithm>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/detail/describe.hpp>
#include <repebble/graph/training/training_vertex.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE void mark(std::vector<bool>& marked, dataflow const& flow,
                 std::vector<output_ref<operation_index>> const& named) {
    for (auto const& [v, j] : named) {
        if (v >= flow.operation_count() || j >= flow.writes(v).size())
            refuse("output " + std::to_string(j) + " of vertex " + std::to_string(v) +
                   " has a policy and does not exist");
        marked[flow.writes(v)[j]] = true;
    }
}

REPEBBLE_INLINE auto marks_of(dataflow const& flow, value_policies const& policies,
                                   std::vector<operation_index> const& backward) -> policy_marks {
    policy_marks marks{std::vector<bool>(flow.value_count(), false), std::vector<bool>(flow.value_count(), false),
                       std::vector<bool>(flow.operation_count(), false), !policies.must_recompute.empty()};
    mark(marks.kept, flow, policies.must_keep);
    mark(marks.recomputed, flow, policies.must_recompute);
    for (auto const v : backward) {
        if (v >= flow.operation_count())
            refuse("vertex " + std::to_string(v) + " is said to be of the backward pass and does not exist");
        marks.backward[v] = !flow.is_input(v);
    }
    if (!marks.any_recomputed) return marks;
    if (std::ranges::find(marks.backward, true) == marks.backward.end())
        refuse("vertex " + std::to_string(policies.must_recompute.front().vertex) +
               " must be recomputed in the backward pass, and there is none");
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        for (auto const u : flow.graph().predecessors(v))
            if (marks.backward[u] && !marks.backward[v])
                refuse("vertex " + std::to_string(v) + " of the forward pass comes after vertex " + std::to_string(u) +
                       " of the backward pass");
    for (value_index x = 0; x < flow.value_count(); ++x) {
        bool const is_view_of_one = std::ranges::any_of(
            flow.owners(x), [&](auto owner) -> bool { return owner != x && marks.recomputed[owner]; });
        std::size_t later = 0;
        for (auto const u : flow.producers(x)) later += marks.backward[u] ? 1 : 0;
        if (later == flow.producers(x).size() && !marks.recomputed[x]) continue;  // made after the forward pass
        marks.recomputed[x] = marks.recomputed[x] || is_view_of_one;
        if (marks.recomputed[x] && later > 0)
            refuse(describe(flow, x) + " must be recomputed, and is of the backward pass");
        if (marks.recomputed[x] && marks.kept[x])
            refuse(describe(flow, x) + " must be kept and must be recomputed" +
                   (is_view_of_one ? ", as what it is a view of" : ""));
    }
    return marks;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

namespace detail {

REPEBBLE_INLINE auto mark_policies(training_graph const& training, value_policies const& policies)
    -> policy_marks {
    auto const& flow = training.flow;
    if (training.origin.size() != flow.operation_count())
        detail::refuse("the training graph has the origin of " + std::to_string(training.origin.size()) + " of " +
                       std::to_string(flow.operation_count()) + " operations");
    if (!policies.backward.empty())
        detail::refuse("vertex " + std::to_string(policies.backward.front()) +
                       " is named for the backward pass of a training graph, which knows its own");
    std::vector<operation_index> backward;
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        if (training.origin[v].pass != pass::forward) backward.push_back(v);
    return detail::marks_of(flow, policies, backward);
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
