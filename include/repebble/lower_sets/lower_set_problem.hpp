#ifndef REPEBBLE_LOWER_SETS_LOWER_SET_PROBLEM_HPP
#define REPEBBLE_LOWER_SETS_LOWER_SET_PROBLEM_HPP

// The input of every search in this room: the forward graph with times and memories (Kusumoto et al. 2019, section 2),
// and the output: an increasing sequence of lower sets.
// Invariant: five times the sum of all memories fits in `bytes`, so that no sum in formula (2) overflows.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0 {

/// G = (V, E) with time T_v and memory M_v of each vertex, in the notation of Kusumoto et al. 2019.
struct lower_set_problem {
    csr_graph graph;            ///< the forward graph, acyclic
    std::vector<std::int64_t> time;  ///< T_v, time units
    std::vector<bytes> memory;  ///< M_v: all outputs of v together
    vertex_set pinned;          ///< run once only: counted as members of ∂(L) for every L that contains them

    /// N.
    [[nodiscard]] auto vertex_count() const noexcept -> std::size_t { return graph.vertex_count(); }
};

/// An increasing sequence of lower sets L_1 ≺ … ≺ L_k = V, stored as the segment of each vertex.
struct lower_set_sequence {
    std::vector<std::uint32_t> segment;  ///< by vertex v: i - 1 where v ∈ V_i = L_i ∖ L_{i-1}
    std::size_t count = 0;               ///< k

    /// The sequence of given increasing lower sets of n vertices; equal neighbours count once.  O(k n / 64 + n).
    /// Throws bad_graph where a set does not contain the one before it, or the last one is not V.
    [[nodiscard]] static auto of(std::vector<vertex_set> const& sets, std::size_t n) -> lower_set_sequence;
    /// The lower sets L_1 … L_k.  O(k n / 64 + n).
    [[nodiscard]] auto lower_sets() const -> std::vector<vertex_set>;

    friend auto operator==(lower_set_sequence const&, lower_set_sequence const&) -> bool = default;
};

namespace detail {

/// The problem of some operations of a dataflow, with the edges among them: vertex v is the v-th of them.  O(n + m).
/// Throws bad_weight.
[[nodiscard]] auto lower_set_problem_of(dataflow const& flow, std::span<operation_index const> operations,
                                        csr_graph graph) -> lower_set_problem;

}  // namespace detail

/// The problem of a forward dataflow, or of any computation graph with a time and bytes for each vertex.  O(n + m).
/// Throws not_a_dag, bad_graph, bad_weight.
[[nodiscard]] auto make_lower_set_problem(dataflow const& flow) -> lower_set_problem;
/// The same.
template <computation_graph Graph, vertex_weight<Graph> Time = unit_weight, memory_weight<Graph> Memory = unit_weight>
[[nodiscard]] auto make_lower_set_problem(Graph const& g, Time time = {}, Memory memory = {}) -> lower_set_problem {
    return make_lower_set_problem(make_dataflow(g, std::move(time), std::move(memory)));
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/lower_sets/lower_set_problem.ipp>
#endif

#endif
