#ifndef REPEBBLE_GRAPH_TRAINING_VALUE_POLICIES_HPP
#define REPEBBLE_GRAPH_TRAINING_VALUE_POLICIES_HPP

// Policies for single values, as selective checkpointing has them: what must be kept, and what must be recomputed in
// the backward pass. `plan_options` has them, `verify_policies` checks them.

#include <string>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/graph_traits.hpp>
#include <repebble/graph/training/training_graph.hpp>

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

[[noreturn]] inline void refuse(std::string const& what) { detail::raise(bad_graph(what)); }
void mark(std::vector<bool>& marked, dataflow const& flow, std::vector<output_ref<operation_index>> const& named);
[[nodiscard]] auto marks_of(dataflow const& flow, value_policies const& policies,
                            std::vector<operation_index> const& backward) -> policy_marks;

/// The policies of a dataflow or a training graph by value.  O(n + m).  Throws bad_graph, which names the vertex, where
/// policies contradict each other or the graph: there is no such value or vertex; a value must be kept and recomputed;
/// one of the backward pass, or without a backward pass, must be recomputed; or the forward pass depends on the
/// backward pass.
[[nodiscard]] inline auto mark_policies(dataflow const& flow, value_policies const& policies) -> policy_marks {
    return detail::marks_of(flow, policies, policies.backward);
}

/// The same.
[[nodiscard]] auto mark_policies(training_graph const& training, value_policies const& policies) -> policy_marks;

}  // namespace detail

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/graph/training/value_policies.ipp>
#endif

#endif
