#include "planning.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/execute/bind_schedule.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/byte_size.hpp>
#include <repebble/io/json_schedule.hpp>
#include <repebble/io/network_in_place.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/verify_schedule.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/traces/with_views.hpp>

#include "plan/arenas.hpp"
#include "plan/arguments.hpp"
#include "plan/schedule_source.hpp"

namespace train {

using namespace repebble;

namespace {

/// Each search for offsets may take as long again as that for the plan.
auto place(training_graph const& training, std::string strategy, recompute_plan<> plan, bytes alignment,
           arguments const& asked) -> placed_plan {
    arena_options const options{.alignment = alignment,
                                .offsets = {.limits = {.seconds = asked.automatic.limits.seconds}}};
    auto bound = bind_schedule(training.flow, plan.schedule, options);
    return {std::move(strategy), std::move(plan), std::move(bound), std::nullopt};
}

auto rule_of(arguments const& asked, io::network const& net, training_graph const& training)
    -> std::optional<overwrite_table> {
    if (!asked.in_place) return std::nullopt;
    return io::find_overwrites(net, training);
}

/// The plan that the arguments ask for, within a budget of the pebble game.
auto plan_within(arguments const& asked, io::network const& net, training_graph const& training, bytes alignment,
                 std::optional<bytes> budget, plan::time_limit const& limit) -> placed_plan {
    plan::arguments wanted;
    wanted.strategies = {asked.strategy};
    wanted.automatic = asked.automatic;
    auto rows = plan::run_strategies(net, training, wanted, budget, rule_of(asked, net, training), limit);
    auto& found = rows.front();
    if (!found.plan) throw no_plan_fits("there is no plan by " + asked.strategy + ": " + found.note);
    if (!found.feasible)
        throw no_plan_fits("the plan by " + asked.strategy + " that needs least needs " +
                           io::format_bytes(found.plan->cost.peak) + ", and the budget is " +
                           io::format_bytes(budget.value_or(0)));
    auto placed = place(training, found.strategy, *std::move(found.plan), alignment, asked);
    placed.proof = found.proof;
    return placed;
}

/// What a smaller budget proves does not hold for a larger one: what is proven of the first holds, and of the plan that
/// came out it says so much.
void prove_by(plan::certificate const& first, placed_plan& found) {
    found.proof->lower_bound = first.lower_bound;
    auto const& cost = found.plan.cost;
    auto const above = static_cast<double>(cost.overhead - first.lower_bound);
    found.proof->time_least = above <= 0;
    found.proof->gap = above <= 0 ? 0 : above / (static_cast<double>(cost.time) - above);
}

/// True where a view that is no result is there at the end of a schedule, and its storage with it.
auto leaves_views(dataflow const& flow, schedule<> const& steps) -> bool {
    std::vector<bool> left(flow.value_count(), false);
    for (auto const& s : steps.steps)
        if (s.what == action::compute)
            for (auto const x : flow.writes(s.vertex)) left[x] = flow.is_view(x) && !flow.is_result(x);
        else if (s.what == action::discard && s.from != pool::host)
            left[flow.writes(s.vertex)[s.output]] = false;
    return std::ranges::find(left, true) != left.end();
}

}  // namespace

auto keep_everything(arguments const& asked, io::network const& net, training_graph const& training, bytes alignment)
    -> placed_plan {
    auto plan = keep_all(training);
    if (auto const rule = rule_of(asked, net, training)) plan::make_in_place(plan, training, *rule);
    return place(training, "keep_all", std::move(plan), alignment, {});  // the same whatever is asked
}

auto budget_as_asked(arguments const& asked, bytes keep_all) -> std::optional<bytes> {
    return plan::parse_budget(asked.budget, keep_all);
}

auto budget_of_arena(std::optional<bytes> budget, bytes resident, bytes of_program) -> std::optional<bytes> {
    if (!budget) return std::nullopt;
    if (*budget < resident || *budget - resident < of_program)
        throw no_plan_fits("parameters, velocities and inputs alone need " + io::format_bytes(resident) +
                           ", the program itself " + io::format_bytes(of_program) + ", and the budget for all is " +
                           io::format_bytes(*budget));
    return *budget - resident - of_program;
}

auto plan_as_asked(arguments const& asked, io::network const& net, training_graph const& training, bytes alignment,
                   std::optional<bytes> budget) -> placed_plan {
    // The budget is for the arena, which alignment can make larger than the peak of the pebble game: then once more
    // within less, in the time that was kept for it.
    constexpr int most_tries = 4;
    auto const share_of = [&](int tries) { return !budget ? 1.0 : tries == 0 ? 0.8 : 0.2 / (most_tries - 1); };
    auto for_values = budget;
    std::optional<plan::certificate> first;
    for (int tries = 0; tries < most_tries; ++tries) {
        auto const whole = plan::time_limit(asked.automatic.limits.seconds).left();  // none once it is interrupted
        plan::time_limit const own(whole ? std::optional(*whole * share_of(tries)) : std::nullopt);
        auto found = plan_within(asked, net, training, alignment, for_values, own);
        if (tries == 0) first = found.proof;
        if (tries > 0 && first && found.proof) prove_by(*first, found);
        auto const size = found.bound.size(pool::device);
        if (!budget || size <= *budget) return found;
        if (!for_values || size - *budget > *for_values) break;
        *for_values -= size - *budget;
    }
    throw no_plan_fits("the plans by " + asked.strategy + " within " + io::format_bytes(*budget) +
                       " are larger than that where they lie in memory");
}

auto given_plan(arguments const& asked, training_graph const& training, bytes alignment) -> placed_plan {
    auto const& file = *asked.schedule_in;
    auto const given = io::read_schedule(file);
    auto const copies = [](auto const& s) { return s.what == action::offload || s.what == action::prefetch; };
    if (!asked.automatic.link && std::ranges::any_of(given.schedule.steps, copies))
        throw bad_file(file, "it copies values to the host: --link must say over what");
    auto const judged = [&](schedule<> const& steps) {
        return asked.automatic.link ? verify_schedule(training.flow, steps, {}, lanes_clock(*asked.automatic.link))
                                    : verify_schedule(training.flow, steps);
    };
    recompute_plan<> plan{.schedule = plan::schedule_of(file, given.schedule, training)};
    auto verdict = judged(plan.schedule);
    if (!verdict || leaves_views(training.flow, plan.schedule)) {  // those of traces know no views
        plan.schedule = with_views(training.flow, plan.schedule);
        verdict = judged(plan.schedule);
    }
    if (!verdict) throw bad_file(file, verdict.message());
    plan.cost = std::move(verdict.result);
    return place(training, given.header.strategy, std::move(plan), alignment, asked);
}

auto inference_plan(training_graph const& forward, bytes alignment) -> bound_schedule {
    return bind_schedule(forward.flow, make_schedule(forward.flow), {.alignment = alignment});
}

}  // namespace train
