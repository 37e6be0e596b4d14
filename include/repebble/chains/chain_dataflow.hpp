#ifndef REPEBBLE_CHAINS_CHAIN_DATAFLOW_HPP
#define REPEBBLE_CHAINS_CHAIN_DATAFLOW_HPP

// The judge of plans for a chain: the chain as a dataflow, on which pebbling/replay.hpp counts time and peak. The tests
// of all chain solvers and examples/chain replay their plans here.
// Invariant: operation 0 is the source of the chain's input; all others are runs of stages.

#include <cstddef>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_action.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// A chain as a dataflow, with one forward operation for each stage, and one recording and one backward operation for
/// each of its tapes.
class chain_dataflow {
  public:
    /// O(stages + tapes). Throws bad_graph and bad_weight as `solve_chain`, and bad_weight where a workspace is
    /// negative: operations have none.
    explicit chain_dataflow(chain const& of);

    /// The chain's operations and values.
    [[nodiscard]] auto flow() const noexcept -> dataflow const& { return flow_; }

    /// The operation of a run.  O(1).  Throws bad_graph where the chain has no such stage or tape.
    [[nodiscard]] auto operation_of(chain_action const& a) const -> operation_index;
    /// The value that stage i reads; for the number of stages, the last output.  O(1).
    [[nodiscard]] auto value(std::size_t i) const -> value_index { return value_[i]; }
    /// Value of the rest of stage i's tape, beside the stage's output.  O(1).
    [[nodiscard]] auto rest(std::size_t i, std::size_t tape) const -> value_index { return rest_[i][tape]; }
    /// The gradient of the value that stage i reads.  O(1).
    [[nodiscard]] auto gradient(std::size_t i) const -> value_index { return gradient_[i]; }

    /// The runs as a schedule of `flow()`, where each value is discarded after its last reader.  O(runs).
    /// Throws bad_graph where a run names a stage or tape that the chain does not have.
    [[nodiscard]] auto schedule_of(chain_actions const& actions) const -> schedule<>;
    /// Time and peak of the runs.  Throws illegal_schedule where they are no plan: an operand is missing, or the
    /// input's gradient is not resident at the end.
    [[nodiscard]] auto replay(chain_actions const& actions) const -> replay_result {
        return repebble::replay(flow_, schedule_of(actions), {.resident_at_end = {gradient_.front()}});
    }

  private:
    struct stage_operations {
        operation_index forward = 0;
        std::vector<operation_index> save{}, backward{};  ///< by tape
    };

    static void check(std::size_t i, bytes workspace);

    dataflow flow_;
    std::vector<stage_operations> runs_;
    std::vector<value_index> value_, gradient_;   // by the stage that reads the value
    std::vector<std::vector<value_index>> rest_;  // by stage and tape
};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/chains/chain_dataflow.ipp>
#endif

#endif
