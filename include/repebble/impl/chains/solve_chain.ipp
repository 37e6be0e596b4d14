#ifndef REPEBBLE_IMPL_CHAINS_SOLVE_CHAIN_IPP
#define REPEBBLE_IMPL_CHAINS_SOLVE_CHAIN_IPP

#include <repebble/chains/solve_chain.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>

#include <repebble/chains/chain_dataflow.hpp>
#include <repebble/chains/detail/chain_options_check.hpp>
#include <repebble/chains/detail/solve_offloaded.hpp>
#include <repebble/chains/slot_costs.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

/// A plan and a lower bound, on finer and finer slots, until they meet the tolerance.
[[nodiscard]] inline auto solve_within(chain const& of, bytes budget, chain_options const& asked)
    -> std::optional<chain_solution> {
    constexpr std::size_t most_slots = 8000;
    limit_test ask(asked.limits);
    auto options = asked;
    options.epsilon = 0;
    options.fit_slots = true;
    options.last_budget = budget;
    options.limits = {.stop = std::ref(ask)};  // one clock for all rounds
    std::optional<chain_solution> best;
    std::optional<std::int64_t> bound;
    auto const ended = [&] {
        if (!best) raise_limit(options, ask);
        return best;
    };
    for (;;) {
        options.round = slot_rounding::down;
        auto const below = chain_frontier::within_limits(of, options);
        if (!below) return ended();
        auto const least = below->time_within(budget);
        if (!least) return std::nullopt;  // proven: no plan fits
        bound = bound ? std::max(*bound, *least) : *least;
        if (best) best->lower_bound = *bound;
        options.round = slot_rounding::up;
        auto const found = chain_frontier::within_limits(of, options);
        if (!found) return ended();
        if (auto const time = found->time_within(budget); time && (!best || *time < best->time))
            best = {
                .time = *time, .lower_bound = *bound, .actions = *found->actions_within(budget), .slot = found->slot()};
        if ((best && *best->epsilon() <= asked.epsilon) || *options.slots >= most_slots) return best;
        *options.slots *= 2;
    }
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

namespace detail {

/// Without the peak, where the plan has no copies.
[[nodiscard]] inline auto solve_within_budget(chain const& of, bytes budget, chain_options const& options)
    -> std::optional<chain_solution> {
    check_chain_options(options);
    static_cast<void>(budget_in_bytes(budget));
    if (options.last_budget)
        detail::raise(bad_option("chain_options: last_budget is the end of a curve, and a budget is given"));
    if (options.link) return solve_offloaded(of, budget, options);
    if (options.slots && options.epsilon > 0) return solve_within(of, budget, options);
    auto asked = options;
    asked.last_budget = budget;
    chain_frontier const solved(of, asked);
    auto const time = solved.time_within(budget);
    if (!time) return std::nullopt;
    return chain_solution{.time = *time,
                          .lower_bound = solved.lower_bound(budget),
                          .actions = *solved.actions_within(budget),
                          .slot = solved.slot()};
}

/// The greatest bytes of the resident values and the workspace of a run.  Requires: a plan.
[[nodiscard]] inline auto peak_of(chain const& of, chain_actions const& actions) -> bytes {
    // A dataflow has no negative workspaces: all are raised by as many bytes as the least is below 0.
    bytes least = 0;
    auto raised = of;
    auto const each_workspace = [&](auto&& f) {
        for (auto& stage : raised.stages) {
            f(stage.workspace);
            for (auto& tape : stage.tapes) {
                f(tape.forward_workspace);
                f(tape.backward_workspace);
            }
        }
    };
    each_workspace([&](bytes workspace) { least = std::min(least, workspace); });
    if (least < 0) each_workspace([&](bytes& workspace) { workspace = checked_add(workspace, -least, "workspaces"); });
    return chain_dataflow(raised).replay(actions).peak + least;
}

}  // namespace detail

REPEBBLE_INLINE auto solve_chain(chain const& of, bytes budget, chain_options const& options)
    -> std::optional<chain_solution> {
    auto found = detail::solve_within_budget(of, budget, options);
    if (found && !found->copies) found->peak = detail::peak_of(of, found->actions);
    return found;
}

}  // namespace repebble::inline v0

#endif
