#ifndef REPEBBLE_CHAINS_CHAIN_DATAFLOW_HPP
#define REPEBBLE_CHAINS_CHAIN_DATAFLOW_HPP

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

/// A chain as a dataflow, so that plans for it can be judged: operation 0 has the input there, the others are runs of
/// stages.
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
        std::vector<value_index> value{builder.add_value(input, of.input)};
        std::vector<std::vector<value_index>> rest(n);
        for (std::size_t i = 0; i < n; ++i) {
            auto const& s = of.stages[i];
            check(i, s.workspace);
            runs_.push_back({builder.add_operation(s.forward_time, s.workspace), {}, {}});
            value.push_back(builder.add_value(runs_[i].forward, s.output));
            builder.add_read(runs_[i].forward, value[i]);
            for (auto const& saving : s.tapes) {
                check(i, saving.forward_workspace);
                auto const save = builder.add_operation(s.forward_time, saving.forward_workspace);
                builder.add_read(save, value[i]);
                builder.add_producer(save, value[i + 1]);
                rest[i].push_back(builder.add_value(save, saving.saved - s.output));
                runs_[i].save.push_back(save);
            }
        }
        for (std::size_t i = n; i-- > 0;)
            for (std::size_t how = 0; how < of.stages[i].tapes.size(); ++how) {
                auto const& saving = of.stages[i].tapes[how];
                check(i, saving.backward_workspace);
                auto const back = builder.add_operation(
                    checked_add(of.stages[i].backward_time, saving.extra_time, "times"), saving.backward_workspace);
                if (how == 0) {
                    auto const gradient = builder.add_value(back, sums.gradient(i));
                    if (i == 0) input_gradient_ = gradient;
                } else {
                    builder.add_producer(back, builder.output(runs_[i].backward.front(), 0));
                }
                builder.add_read(back, value[i]);
                builder.add_read(back, value[i + 1]);
                builder.add_read(back, rest[i][how]);
                if (i + 1 < n) builder.add_read(back, builder.output(runs_[i + 1].backward.front(), 0));
                runs_[i].backward.push_back(back);
            }
        flow_ = std::move(builder).build();
    }

    [[nodiscard]] auto flow() const noexcept -> dataflow<Time> const& { return flow_; }

    /// The runs as a schedule of `flow()`, with everything dropped after its last use.  O(runs).
    /// Throws bad_graph where one names a stage or saving that there is not.
    [[nodiscard]] auto schedule_of(chain_actions const& actions) const -> schedule<> {
        std::vector<operation_index> all{0};
        for (auto const& a : actions) all.push_back(operation_of(a));
        return liveness(flow_, all, std::vector<value_index>{input_gradient_});
    }
    /// What the runs cost.  Throws illegal_schedule where they are no plan: the input's gradient must be there at last.
    [[nodiscard]] auto replay(chain_actions const& actions) const -> replay_result<Time> {
        return repebble::replay(flow_, schedule_of(actions), {.resident_at_end = {input_gradient_}});
    }

  private:
    struct stage_memory {
        operation_index forward = 0;
        std::vector<operation_index> save{}, backward{};  ///< by saving
    };

    static void check(std::size_t i, bytes workspace) {
        if (workspace < 0)
            detail::raise(
                bad_weight("stage " + std::to_string(i) + ": a negative workspace: " + std::to_string(workspace)));
    }
    [[nodiscard]] auto operation_of(chain_action const& a) const -> operation_index {
        if (a.stage >= runs_.size() || a.saving >= runs_[a.stage].save.size())
            detail::raise(bad_graph("a run of stage " + std::to_string(a.stage) + " with saving " +
                                    std::to_string(a.saving) + ", which the chain does not have"));
        auto const& of = runs_[a.stage];
        switch (a.what) {
            case chain_action::kind::forward:
                return of.forward;
            case chain_action::kind::save:
                return of.save[a.saving];
            case chain_action::kind::backward:
                break;
        }
        return of.backward[a.saving];
    }

    dataflow<Time> flow_;
    std::vector<stage_memory> runs_;
    value_index input_gradient_ = no_value;
};

}  // namespace repebble::inline v0

#endif
