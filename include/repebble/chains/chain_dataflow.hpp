#ifndef REPEBBLE_CHAINS_CHAIN_DATAFLOW_HPP
#define REPEBBLE_CHAINS_CHAIN_DATAFLOW_HPP

// The judge of plans for a chain: the chain as a dataflow, on which pebbling/replay.hpp counts time and peak. The tests
// of all chain solvers and examples/chain replay their plans here.
// Invariant: operation 0 is the source of the chain's input; all others are runs of stages.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_action.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// A chain as a dataflow, with one forward operation for each stage, and one recording and one backward operation for
/// each of its tapes.
template <quantity Time = std::int64_t>
class chain_dataflow {
  public:
    /// O(stages + tapes). Throws bad_graph and bad_weight as `solve_chain`, and bad_weight where a workspace is
    /// negative: operations have none.
    explicit chain_dataflow(chain<Time> const& of) {
        detail::chain_sums<Time> const sums(of);
        auto const n = sums.size();
        dataflow_builder<Time> builder;
        auto const input = builder.add_operation(Time{}, 0, false);
        value_.push_back(builder.add_value(input, of.input));
        rest_.resize(n), gradient_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            auto const& s = of.stages[i];
            check(i, s.workspace);
            runs_.push_back({builder.add_operation(s.forward_time, s.workspace), {}, {}});
            value_.push_back(builder.add_value(runs_[i].forward, s.output));
            builder.add_read(runs_[i].forward, value_[i]);
            for (auto const& tape : s.tapes) {
                check(i, tape.forward_workspace);
                auto const save = builder.add_operation(s.forward_time, tape.forward_workspace);
                builder.add_read(save, value_[i]);
                builder.add_producer(save, value_[i + 1]);
                rest_[i].push_back(builder.add_value(save, tape.saved - s.output));
                runs_[i].save.push_back(save);
            }
        }
        for (std::size_t i = n; i-- > 0;)
            for (std::size_t index = 0; index < of.stages[i].tapes.size(); ++index) {
                auto const& tape = of.stages[i].tapes[index];
                check(i, tape.backward_workspace);
                auto const back = builder.add_operation(
                    checked_add(of.stages[i].backward_time, tape.extra_time, "times"), tape.backward_workspace);
                if (index == 0) {
                    gradient_[i] = builder.add_value(back, sums.gradient(i));
                } else {
                    builder.add_producer(back, gradient_[i]);
                }
                builder.add_read(back, value_[i]);
                builder.add_read(back, value_[i + 1]);
                builder.add_read(back, rest_[i][index]);
                if (i + 1 < n) builder.add_read(back, gradient_[i + 1]);
                runs_[i].backward.push_back(back);
            }
        flow_ = std::move(builder).build();
    }

    /// The chain's operations and values.
    [[nodiscard]] auto flow() const noexcept -> dataflow<Time> const& { return flow_; }

    /// The operation of a run.  O(1).  Throws bad_graph where the chain has no such stage or tape.
    [[nodiscard]] auto operation_of(chain_action const& a) const -> operation_index {
        if (a.stage >= runs_.size() || a.tape >= runs_[a.stage].save.size())
            detail::raise(bad_graph("a run of stage " + std::to_string(a.stage) + " with tape " +
                                    std::to_string(a.tape) + ", which the chain does not have"));
        auto const& of = runs_[a.stage];
        switch (a.what) {
            case chain_action::kind::forward:
                return of.forward;
            case chain_action::kind::save:
                return of.save[a.tape];
            case chain_action::kind::backward:
                break;
        }
        return of.backward[a.tape];
    }
    /// The value that stage i reads; for the number of stages, the last output.  O(1).
    [[nodiscard]] auto value(std::size_t i) const -> value_index { return value_[i]; }
    /// Value of the rest of stage i's tape, beside the stage's output.  O(1).
    [[nodiscard]] auto rest(std::size_t i, std::size_t tape) const -> value_index { return rest_[i][tape]; }
    /// The gradient of the value that stage i reads.  O(1).
    [[nodiscard]] auto gradient(std::size_t i) const -> value_index { return gradient_[i]; }

    /// The runs as a schedule of `flow()`, where each value is discarded after its last reader.  O(runs).
    /// Throws bad_graph where a run names a stage or tape that the chain does not have.
    [[nodiscard]] auto schedule_of(chain_actions const& actions) const -> schedule<> {
        std::vector<operation_index> all{0};
        for (auto const& a : actions) all.push_back(operation_of(a));
        return liveness(flow_, all, std::vector<value_index>{gradient_.front()});
    }
    /// Time and peak of the runs.  Throws illegal_schedule where they are no plan: an operand is missing, or the
    /// input's gradient is not resident at the end.
    [[nodiscard]] auto replay(chain_actions const& actions) const -> replay_result<Time> {
        return repebble::replay(flow_, schedule_of(actions), {.resident_at_end = {gradient_.front()}});
    }

  private:
    struct stage_operations {
        operation_index forward = 0;
        std::vector<operation_index> save{}, backward{};  ///< by tape
    };

    static void check(std::size_t i, bytes workspace) {
        if (workspace < 0)
            detail::raise(
                bad_weight("stage " + std::to_string(i) + ": a negative workspace: " + std::to_string(workspace)));
    }

    dataflow<Time> flow_;
    std::vector<stage_operations> runs_;
    std::vector<value_index> value_, gradient_;   // by the stage that reads the value
    std::vector<std::vector<value_index>> rest_;  // by stage and tape
};

}  // namespace repebble::inline v0

#endif
