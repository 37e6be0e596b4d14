#include "solution.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include <repebble/chains/bytes_to_keep_all.hpp>
#include <repebble/chains/chain_dataflow.hpp>
#include <repebble/chains/solve_chain.hpp>
#include <repebble/graph/error.hpp>

#include "command_line/run_program.hpp"

namespace chain_program {

using namespace repebble;

namespace {

constexpr double fallback_epsilon = 0.01;

/// The curve that was asked for: all of it, or at the budget.
void take_from(chain_frontier const& solved, bool actions, solution& result) {
    if (!result.budget) {
        result.curve = solved.curve();
        return;
    }
    if (auto const time = solved.time_within(*result.budget)) result.curve = {{*result.budget, *time}};
    if (actions) result.actions = solved.actions_within(*result.budget);
}

auto solve_without_slots(chain const& of, arguments const& asked, std::optional<bytes> budget) -> chain_frontier {
    chain_options options{.test = asked.test,
                          .drop_saved_inputs = asked.drop_saved_inputs,
                          .epsilon = asked.epsilon,
                          .last_budget = budget,
                          .limits = {.work = asked.point_limit}};
    try {
        return solve_chain(of, options);
    } catch (limit_reached const& e) {
        if (options.epsilon > 0) throw;
        command_line::complain(
            fmt::format("{}: plans are within {} % of the least time", e.what(), 100 * fallback_epsilon));
        options.epsilon = fallback_epsilon;
        options.limits.work.reset();
        return solve_chain(of, options);
    }
}

/// A chain that takes the exact program seconds is bounded in slots, for one budget.
auto is_bounded_in_slots(chain const& of, arguments const& asked) -> bool {
    constexpr std::size_t long_chain = 100;
    return asked.budget && asked.epsilon > 0 && !asked.drop_saved_inputs && of.stages.size() > long_chain;
}

void take_from(chain_solution const& found, bool actions, solution& result) {
    result.curve = {{*result.budget, found.time}};
    result.epsilon = *found.epsilon();
    if (actions) result.actions = found.actions;
}

auto has_negative_workspace(chain const& of) -> bool {
    return std::ranges::any_of(of.stages, [](chain_stage const& s) {
        return s.workspace < 0 || std::ranges::any_of(s.tapes, [](stage_tape const& tape) {
                   return tape.forward_workspace < 0 || tape.backward_workspace < 0;
               });
    });
}

/// The peak of the plan. What it promises is checked, but for the published test, which may miss some bytes; within a
/// tolerance a plan may be faster than its point of the curve.
auto replayed_peak(chain const& of, chain_actions const& actions, budget_and_time const& promised, memory_test test)
    -> bytes {
    auto const cost = chain_dataflow(of).replay(actions);
    bool const exceeds = test == memory_test::tight && cost.peak > promised.budget;
    if (exceeds || cost.time > promised.time)
        throw std::logic_error(fmt::format("the plan promises time {} within {} bytes, but takes {} and peaks at {}",
                                           promised.time, promised.budget, cost.time, cost.peak));
    return cost.peak;
}

}  // namespace

auto solve(chain const& of, arguments const& asked) -> solution {
    solution result{.keep_all = bytes_to_keep_all(of, asked.test)};
    if (asked.budget) result.budget = parse_budget(*asked.budget, result.keep_all);
    if (asked.slots) {
        auto const solved = solve_chain(
            of, {.test = asked.test, .slots = asked.slots, .last_budget = result.budget, .threads = asked.threads});
        result.unit = solved.slot();
        take_from(solved, asked.actions, result);
    } else if (auto const found =
                   is_bounded_in_slots(of, asked)
                       ? solve_chain(
                             of, *result.budget,
                             {.test = asked.test, .epsilon = asked.epsilon, .slots = 500, .threads = asked.threads})
                       : std::nullopt;
               found && *found->epsilon() <= asked.epsilon) {
        take_from(*found, asked.actions, result);
    } else {
        auto const solved = solve_without_slots(of, asked, result.budget);
        result.epsilon = solved.epsilon();
        take_from(solved, asked.actions, result);
    }
    if (result.actions && !has_negative_workspace(of))
        result.peak = replayed_peak(of, *result.actions, result.curve.front(), asked.test);
    return result;
}

}  // namespace chain_program
