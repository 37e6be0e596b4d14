#ifndef REPEBBLE_GRAPH_TRAINING_VALUE_POLICIES_HPP
#define REPEBBLE_GRAPH_TRAINING_VALUE_POLICIES_HPP

// Policies for single values, as selective checkpointing has them: what must be kept, and what must be recomputed in
// the backward pass. `plan_options` has them, `verify_policies` checks them.

#include <algorithm>
#include <string>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/describe.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/graph_traits.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/training/training_vertex.hpp>

namespace repebble::inline v0 {

/// What must become of some values; all others are free. A value is named by the index of its vertex and the number of
/// its output: of a forward graph, of a dataflow, or of a training graph, whose forward operations of a built one have
/// the indices of the forward graph.
struct value_policies {
    /// Once computed, they stay in memory until their last use: computed once, and never copied back from the host
    /// pool.
    std::vector<output_ref<operation_index>> must_keep{};
    /// Values of the forward pass that are not kept for the backward pass, nor are views of them. Between the passes
    /// there is a moment (every operation of the forward pass that runs has run, and none of the backward pass has) at
    /// which none of them is resident in any pool. What is read of them later is computed again.
    std::vector<output_ref<operation_index>> must_recompute{};
    /// Vertices of the backward pass by index: where values must be recomputed in a graph that is no training graph.
    std::vector<operation_index> backward{};

    /// Whether all values are free.
    [[nodiscard]] auto empty() const noexcept -> bool { return must_keep.empty() && must_recompute.empty(); }
    friend auto operator==(value_policies const&, value_policies const&) -> bool = default;
};

/// Policies of a dataflow. Invariant: no value is both; what must be recomputed is of the forward pass, on which no
/// operation of the backward pass has an influence; views of it must be recomputed, too.
struct policy_marks {
    std::vector<bool> kept;        ///< by value
    std::vector<bool> recomputed;  ///< by value
    std::vector<bool> backward;    ///< by operation; never an input, which is present before both passes
    bool any_recomputed = false;   ///< whether there are two passes at all
};

namespace detail {

struct mark_policies_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, value_policies const& policies) const -> policy_marks {
        return marks_of(flow, policies, policies.backward);
    }
    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, value_policies const& policies) const
        -> policy_marks {
        auto const& flow = training.flow;
        if (training.origin.size() != flow.operation_count())
            refuse("the training graph has the origin of " + std::to_string(training.origin.size()) + " of " +
                   std::to_string(flow.operation_count()) + " operations");
        if (!policies.backward.empty())
            refuse("vertex " + std::to_string(policies.backward.front()) +
                   " is named for the backward pass of a training graph, which knows its own");
        std::vector<operation_index> backward;
        for (operation_index v = 0; v < flow.operation_count(); ++v)
            if (training.origin[v].pass != pass::forward) backward.push_back(v);
        return marks_of(flow, policies, backward);
    }

  private:
    [[noreturn]] static void refuse(std::string const& what) { detail::raise(bad_graph(what)); }
    template <quantity Time>
    static void mark(std::vector<bool>& marked, dataflow<Time> const& flow,
                     std::vector<output_ref<operation_index>> const& named) {
        for (auto const& [v, j] : named) {
            if (v >= flow.operation_count() || j >= flow.writes(v).size())
                refuse("output " + std::to_string(j) + " of vertex " + std::to_string(v) +
                       " has a policy and does not exist");
            marked[flow.writes(v)[j]] = true;
        }
    }
    template <quantity Time>
    [[nodiscard]] static auto marks_of(dataflow<Time> const& flow, value_policies const& policies,
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
                    refuse("vertex " + std::to_string(v) + " of the forward pass comes after vertex " +
                           std::to_string(u) + " of the backward pass");
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
};

}  // namespace detail

/// The policies of a dataflow or a training graph by value.  O(n + m).  Throws bad_graph, which names the vertex, where
/// policies contradict each other or the graph: there is no such value or vertex; a value must be kept and recomputed;
/// one of the backward pass, or without a backward pass, must be recomputed; or the forward pass depends on the
/// backward pass.
inline constexpr detail::mark_policies_fn mark_policies{};

}  // namespace repebble::inline v0

#endif
