#ifndef REPEBBLE_IMPL_CHAINS_CHAIN_DATAFLOW_IPP
#define REPEBBLE_IMPL_CHAINS_CHAIN_DATAFLOW_IPP

#include <repebble/chains/chain_dataflow.hpp>

#include <cstdint>
#include <string>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pebbling/make_schedule.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE chain_dataflow::chain_dataflow(chain const& of) {
    detail::chain_sums const sums(of);
    auto const n = sums.size();
    dataflow_builder builder;
    auto const input = builder.add_operation(std::int64_t{}, 0, false);
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

REPEBBLE_INLINE auto chain_dataflow::operation_of(chain_action const& a) const -> operation_index {
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

REPEBBLE_INLINE auto chain_dataflow::schedule_of(chain_actions const& actions) const -> schedule<> {
    std::vector<operation_index> all{0};
    for (auto const& a : actions) all.push_back(operation_of(a));
    return make_schedule(flow_, all, std::vector<value_index>{gradient_.front()});
}

REPEBBLE_INLINE void chain_dataflow::check(std::size_t i, bytes workspace) {
    if (workspace < 0)
        detail::raise(
            bad_weight("stage " + std::to_string(i) + ": a negative workspace: " + std::to_string(workspace)));
}

}  // namespace repebble::inline v0

#endif
