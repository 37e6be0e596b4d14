#ifndef REPEBBLE_PLANNER_DETAIL_POLICIES_TWO_PASS_GRAPH_HPP
#define REPEBBLE_PLANNER_DETAIL_POLICIES_TWO_PASS_GRAPH_HPP

// The dataflow of a forward and a backward pass between which some values must not be kept: the backward pass reads
// copies of them, made by copies of their operations, as mirrored nodes are in Chen et al. 2016, Algorithm 2. Between
// the passes runs an operation of its own, the boundary. Invariant: a sequence of it, translated back, runs every
// operation of the forward pass before the boundary, and after it reads no value that was made before and is marked,
// except where it runs an operation of the forward pass again that is no copy: `translated` recomputes what that reads.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/training/value_policies.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0::detail {

/// A dataflow, with the recomputations that policies ask for as operations of their own.
class two_pass_graph {
  public:
    /// `again`: operations whose outputs are recomputed in the backward pass, too, though no policy asks for it. Refers
    /// to all but that.  O((n + m) log n).  Throws bad_graph, naming the vertex, where what must be computed again is
    /// made by an operation that runs once.
    two_pass_graph(dataflow const& flow, policy_marks const& marks, std::span<operation_index const> again = {});

    [[nodiscard]] auto flow() const noexcept -> dataflow const& { return made_; }
    /// A lower bound on the overhead of schedules that keep the policies: the time of what surely runs again; nothing
    /// where values have several producers.
    [[nodiscard]] auto least_overhead() const noexcept -> std::optional<std::int64_t> {
        return has_alternatives_ ? std::nullopt : std::optional(copy_time_);
    }

    /// A sequence of the given dataflow.
    struct translation {
        std::vector<operation_index> sequence{};
        std::vector<operation_index> completed{};  ///< operations before which something was inserted
    };
    /// A sequence of the given dataflow from a schedule of this one. What an operation of the forward pass reads after
    /// the boundary, and no copy makes, is recomputed before it. Nothing where that would run an operation twice that
    /// may run only once.  O(steps · values per step).
    [[nodiscard]] auto translated(schedule<> const& plan) const -> std::optional<translation>;

  private:
    static constexpr auto none = std::numeric_limits<operation_index>::max();

    /// The next operation: v, or a copy of it that runs after the boundary.
    void add(operation_index v, bool is_copy);
    /// The value that the backward pass reads.
    [[nodiscard]] auto late(value_index x) const -> value_index { return gone_[x] ? again_[x] : first_[x]; }

    /// Runs after the whole forward pass: after one of the producers of each value.
    void add_boundary();

    /// The operations of which a copy is needed. Their other outputs are computed again, too: they are gone, as well.
    /// Of what a recomputation reads, the marked values are surely made after the boundary; those that the forward pass
    /// overwrites are surely made twice, but perhaps before it.
    void find_copies();
    /// Adds copies of the operations that make x again, where it is gone at the boundary.
    void remake(value_index x);
    /// A producer of x that may run again, and comes before that place in the order.
    [[nodiscard]] auto producer_again(value_index x, std::size_t place) const -> operation_index {
        auto const all = flow_.producers(x);
        auto const found =
            std::ranges::find_if(all, [&](auto u) { return flow_.recomputable(u) && place_[u] < place; });
        return found == all.end() ? all.front() : *found;
    }
    [[nodiscard]] auto producer_of_copy(value_index x, std::size_t place) const -> operation_index;

    dataflow const& flow_;
    policy_marks const& marks_;
    std::vector<std::size_t> place_;           // by operation, in the order
    std::vector<bool> gone_;                   // by value: it cannot be read after the boundary
    std::vector<operation_index> number_;      // by operation: the same in the graph that is made
    std::vector<bool> copied_;                 // by operation
    std::vector<value_index> first_, again_;   // by value: the same, and its copy, in the graph that is made
    std::vector<operation_index> original_;    // by operation of the graph that is made
    std::optional<operation_index> boundary_;  // there
    std::int64_t copy_time_ = 0;               // of operations that surely run again
    bool has_alternatives_ = false;
    dataflow_builder builder_;
    dataflow made_;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/policies/two_pass_graph.ipp>
#endif

#endif
