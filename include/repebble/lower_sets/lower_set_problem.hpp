#ifndef REPEBBLE_LOWER_SETS_LOWER_SET_PROBLEM_HPP
#define REPEBBLE_LOWER_SETS_LOWER_SET_PROBLEM_HPP

// The input of every search in this room: the forward graph with times and memories (Kusumoto et al. 2019, section 2),
// and the output: an increasing sequence of lower sets.
// Invariant: five times the sum of all memories fits in `bytes`, so that no sum in formula (2) overflows.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0 {

/// G = (V, E) with time T_v and memory M_v of each vertex, in the notation of Kusumoto et al. 2019.
template <quantity Time = std::int64_t>
struct lower_set_problem {
    csr_graph graph;            ///< the forward graph, acyclic
    std::vector<Time> time;     ///< T_v, time units
    std::vector<bytes> memory;  ///< M_v: all outputs of v together
    vertex_set pinned;          ///< run once only: counted as members of ∂(L) for every L that contains them

    /// N.
    [[nodiscard]] auto vertex_count() const noexcept -> std::size_t { return graph.vertex_count(); }
};

/// An increasing sequence of lower sets L_1 ≺ … ≺ L_k = V, stored as the segment of each vertex.
struct lower_set_sequence {
    std::vector<std::uint32_t> segment;  ///< by vertex v: i - 1 where v ∈ V_i = L_i ∖ L_{i-1}
    std::size_t count = 0;               ///< k

    friend auto operator==(lower_set_sequence const&, lower_set_sequence const&) -> bool = default;
};

/// The lower sets L_1 … L_k of a sequence.  O(k n / 64 + n).
[[nodiscard]] inline auto lower_sets_of(lower_set_sequence const& sequence) -> std::vector<vertex_set> {
    std::vector<vertex_set> sets;
    vertex_set current(sequence.segment.size());
    std::vector<std::vector<std::uint32_t>> members(sequence.count);
    for (std::uint32_t v = 0; v < sequence.segment.size(); ++v) members.at(sequence.segment[v]).push_back(v);
    for (auto const& segment : members) {
        for (auto const v : segment) current.insert(v);
        sets.push_back(current);
    }
    return sets;
}

/// The sequence of given increasing lower sets; equal neighbours count once.  O(k n / 64 + n).
/// Throws bad_graph where a set does not contain the one before it, or the last one is not V.
[[nodiscard]] inline auto sequence_of(std::vector<vertex_set> const& sets, std::size_t n) -> lower_set_sequence {
    lower_set_sequence sequence{std::vector<std::uint32_t>(n, 0), 0};
    vertex_set before(n);
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (sets[i].universe() != n)
            detail::raise(bad_graph("lower set " + std::to_string(i) + " is a set of " +
                                    std::to_string(sets[i].universe()) + " vertices, the graph has " +
                                    std::to_string(n)));
        if (!before.is_subset_of(sets[i]))
            detail::raise(bad_graph("lower set " + std::to_string(i) + " does not contain the one before it"));
        if (before == sets[i]) continue;
        (sets[i] - before).for_each([&](std::size_t v) {
            sequence.segment[v] = static_cast<std::uint32_t>(sequence.count);
        });
        ++sequence.count;
        before = sets[i];
    }
    if (before.size() != n) detail::raise(bad_graph("the sequence of lower sets does not end with V"));
    return sequence;
}

namespace detail {

struct make_lower_set_problem_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow) const -> lower_set_problem<Time> {
        lower_set_problem<Time> problem{flow.graph(), {}, {}, vertex_set(flow.operation_count())};
        bytes total = 0;
        for (operation_index v = 0; v < flow.operation_count(); ++v) {
            bytes memory = 0;
            for (auto const value : flow.writes(v)) memory += flow.size(value);
            total = checked_add(total, memory, "bytes of all values");
            problem.time.push_back(flow.time(v));
            problem.memory.push_back(memory);
            if (!flow.recomputable(v)) problem.pinned.insert(v);
        }
        static_cast<void>(checked_multiply(total, bytes{5}));  // no sum in formula (2) is greater
        return problem;
    }

    template <computation_graph Graph, vertex_weight<Graph> Time = unit_weight,
              memory_weight<Graph> Memory = unit_weight>
    [[nodiscard]] auto operator()(Graph const& g, Time time = {}, Memory memory = {}) const {
        return (*this)(make_dataflow(g, std::move(time), std::move(memory)));
    }
};

}  // namespace detail

/// The problem of a forward dataflow, or of any computation graph with a time and bytes for each vertex.  O(n + m).
/// Throws not_a_dag, bad_graph, bad_weight.
inline constexpr detail::make_lower_set_problem_fn make_lower_set_problem{};

}  // namespace repebble::inline v0

#endif
