#include "planning.hpp"

#include <utility>

#include <repebble/allocate/in_place.hpp>
#include <repebble/execute/bind_schedule.hpp>
#include <repebble/io/network_in_place.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "plan/arguments.hpp"
#include "plan/strategies.hpp"

namespace train {

using namespace repebble;

namespace {

constexpr arena_options cache_lines{.alignment = 64};

auto place(training_graph<> const& training, std::string strategy, recompute_plan<> plan) -> placed_plan {
    auto bound = bind_schedule(training.flow, plan.schedule, cache_lines);
    return {std::move(strategy), std::move(plan), std::move(bound)};
}

auto rule_of(arguments const& asked, io::network const& net, training_graph<> const& training)
    -> std::optional<overwrite_table> {
    if (!asked.in_place) return std::nullopt;
    return io::overwrites_of(net, training);
}

}  // namespace

auto keep_everything(arguments const& asked, io::network const& net, training_graph<> const& training) -> placed_plan {
    auto plan = keep_all(training);
    if (auto const rule = rule_of(asked, net, training)) {
        plan.schedule = write_in_place(training.flow, plan.schedule, *rule);
        plan.cost = replay(training.flow, plan.schedule);
    }
    return place(training, "keep_all", std::move(plan));
}

auto plan_as_asked(arguments const& asked, io::network const& net, training_graph<> const& training,
                   bytes keep_all_peak) -> std::optional<placed_plan> {
    plan::arguments wanted;
    wanted.strategy = asked.strategy;
    auto const budget = plan::parse_budget(asked.budget, keep_all_peak);
    auto rows = plan::run_strategies(training, wanted, budget, rule_of(asked, net, training));
    auto& found = rows.front();
    if (!found.plan || !found.feasible) return std::nullopt;
    return place(training, found.strategy, *std::move(found.plan));
}

auto inference_plan(training_graph<> const& forward) -> bound_schedule {
    return bind_schedule(forward.flow, liveness(forward.flow), cache_lines);
}

}  // namespace train
