#include "planning.hpp"

#include <optional>
#include <utility>

#include <repebble/execute/bind_schedule.hpp>
#include <repebble/io/byte_size.hpp>
#include <repebble/io/network_in_place.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "plan/arenas.hpp"
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
        plan::make_in_place(plan, training, *rule);
    }
    return place(training, "keep_all", std::move(plan));
}

auto plan_as_asked(arguments const& asked, io::network const& net, training_graph<> const& training,
                   bytes keep_all_peak) -> placed_plan {
    plan::arguments wanted;
    wanted.strategy = asked.strategy;
    auto const budget = plan::parse_budget(asked.budget, keep_all_peak);
    auto rows = plan::run_strategies(training, wanted, budget, rule_of(asked, net, training));
    auto& found = rows.front();
    if (!found.plan) throw no_plan_fits("there is no plan by " + asked.strategy + ": " + found.note);
    if (!found.feasible)
        throw no_plan_fits("the plan by " + asked.strategy + " that needs least needs " +
                           io::format_bytes(found.plan->cost.peak) + ", and the budget is " +
                           io::format_bytes(budget.value_or(0)) + " (keep_all needs " +
                           io::format_bytes(keep_all_peak) + ")");
    return place(training, found.strategy, *std::move(found.plan));
}

auto inference_plan(training_graph<> const& forward) -> bound_schedule {
    return bind_schedule(forward.flow, liveness(forward.flow), cache_lines);
}

}  // namespace train
