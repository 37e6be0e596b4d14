#ifndef REPEBBLE_LOWER_SETS_POSITIONAL_PROBLEM_HPP
#define REPEBBLE_LOWER_SETS_POSITIONAL_PROBLEM_HPP

// A lower-set problem renumbered by a topological order, with reachability as bit rows, so that searches over lower
// sets work on words. Used by detail/lattice, superset_walk.hpp and recompute's canonical strategies. Invariant: every
// edge leads from a smaller to a greater position.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/position_bits.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>

namespace repebble::inline v0 {

/// A problem with vertices numbered by position, and neighbours, ancestors and descendants as sets of positions
/// (`position_bits`).  O(n m / 64) time, 4 n² bits.
class positional_problem {
  public:
    /// 64 positions of a bit row.
    using word = detail::position_bits::word;
    /// The place of a vertex in the order, from 0.
    using position = std::uint32_t;

    /// Of the whole problem, in an order that places each vertex as late as possible, so that a side branch comes after
    /// all vertices that do not read it. Once stop() has returned true, its sets are of no use. Throws not_a_dag.
    explicit positional_problem(lower_set_problem const& problem, detail::stop_test stop = detail::never_stop{})
        : positional_problem(problem, detail::kahn_order(problem.graph, true, true), stop) {}

    /// Of the subgraph induced by some vertices. `order` lists them topologically.
    positional_problem(lower_set_problem const& problem, std::vector<csr_graph::vertex> order,
                       detail::stop_test stop = detail::never_stop{});

    /// The number of vertices.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return vertices_.size(); }
    /// The number of words of a set of positions.
    [[nodiscard]] auto words() const noexcept -> std::size_t { return words_; }
    /// The graph over positions.
    [[nodiscard]] auto graph() const noexcept -> csr_graph const& { return graph_; }
    /// The vertices of the problem, by position.
    [[nodiscard]] auto vertices() const noexcept -> std::span<csr_graph::vertex const> { return vertices_; }
    /// Time of the vertex at position i.
    [[nodiscard]] auto time(std::size_t i) const -> std::int64_t { return time_[i]; }
    /// Bytes of the vertex at position i.
    [[nodiscard]] auto memory(std::size_t i) const -> bytes { return memory_[i]; }
    /// Whether the vertex at position i is pinned.
    [[nodiscard]] auto pinned(std::size_t i) const -> bool { return pinned_[i] != 0; }

    /// The positions that read position i: a set as a bit row of words() words, as those below.
    [[nodiscard]] auto successors(std::size_t i) const -> word const* { return &successors_[i * words_]; }
    /// The positions that position i reads.
    [[nodiscard]] auto predecessors(std::size_t i) const -> word const* { return &predecessors_[i * words_]; }
    /// Position i, and all that need it.
    [[nodiscard]] auto descendants(std::size_t i) const -> word const* { return &descendants_[i * words_]; }
    /// Position i, and all that it needs.
    [[nodiscard]] auto ancestors(std::size_t i) const -> word const* { return &ancestors_[i * words_]; }

    /// Whether all readers of the proper ancestors of x are x or its ancestors.  O(ancestors · n / 64).
    [[nodiscard]] auto is_sealed(std::size_t x) const -> bool;

    /// The same problem with all times 0.
    [[nodiscard]] auto without_time() const -> positional_problem;

  private:
    [[nodiscard]] auto row(std::vector<word>& rows, std::size_t i) const -> word* { return &rows[i * words_]; }

    std::vector<csr_graph::vertex> vertices_;
    std::size_t words_;
    csr_graph graph_;
    std::vector<std::int64_t> time_;
    std::vector<bytes> memory_;
    std::vector<char> pinned_;
    std::vector<word> successors_, predecessors_, descendants_, ancestors_;
};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/lower_sets/positional_problem.ipp>
#endif

#endif
