#ifndef REPEBBLE_IMPL_TRACES_GREEDY_SWAPS_IPP
#define REPEBBLE_IMPL_TRACES_GREEDY_SWAPS_IPP

#include <repebble/traces/greedy_swaps.hpp>

#include <algorithm>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto greedy_swaps_fn::operator()(swap_problem const& problem, swap_options const& options) const
    -> judged_swaps {
    auto best = descend(problem, options, {swap_choice::offload, swap_choice::remove});
    keep_better(best, descend(problem, options, {swap_choice::offload}));
    keep_better(best, descend(problem, options, {swap_choice::remove}));
    while (best.result.feasible && improve(problem, options, best)) {
    }
    return best;
}

REPEBBLE_INLINE auto greedy_swaps_fn::improve(swap_problem const& problem, swap_options const& options,
                                              judged_swaps& best) -> bool {
    bool is_better = false;
    for (std::size_t i = 0; i < best.plan.size(); ++i) {
        if (best.plan[i] == swap_choice::keep) continue;
        for (auto const choice : {swap_choice::keep, swap_choice::offload, swap_choice::remove}) {
            if (choice == best.plan[i]) continue;
            if (choice == swap_choice::remove && !problem.intervals()[i].is_removable) continue;
            auto plan = best.plan;
            plan[i] = choice;
            auto result = simulate_swaps(problem, plan, options);
            if (!result.feasible || result.overhead >= best.result.overhead) continue;
            best = {std::move(plan), std::move(result)};
            is_better = true;
        }
    }
    return is_better;
}

REPEBBLE_INLINE auto greedy_swaps_fn::descend(swap_problem const& problem, swap_options const& options,
                                              std::vector<swap_choice> const& choices) -> judged_swaps {
    auto now = judge_swaps(problem, problem.keep_all(), options);
    while (!now.result.feasible) {
        auto next = cheapest_step(problem, options, now, choices);
        if (!next) break;
        now = std::move(*next);
    }
    return now;
}

REPEBBLE_INLINE auto greedy_swaps_fn::trials(swap_problem const& problem, swap_options const& options,
                                             judged_swaps const& now, std::vector<swap_choice> const& choices)
    -> std::vector<trial> {
    std::vector<trial> all;
    auto const& rows = problem.iteration().rows;
    for (std::size_t i = 0; i < now.plan.size(); ++i) {
        auto const& interval = problem.intervals()[i];
        if (now.plan[i] != swap_choice::keep || !interval.may_be_absent(now.result.fullest_row)) continue;
        auto const size = static_cast<double>(problem.size(interval));
        for (auto const choice : choices) {
            if (choice == swap_choice::remove && !interval.is_removable) continue;
            auto apart = rows[interval.next_use].begin - rows[interval.last_use].begin;
            if (interval.wraps) apart += problem.iteration().duration;
            auto const time =
                choice == swap_choice::remove
                    ? static_cast<double>(problem.at(interval.producer).time)
                    : std::max(0.0, 2 * static_cast<double>(options.link.copy_time(problem.size(interval))) -
                                        static_cast<double>(apart));
            all.push_back({time / size, i, choice});
        }
    }
    std::ranges::stable_sort(
        all, {}, [&](trial const& t) { return std::pair(t.price, -problem.size(problem.intervals()[t.interval])); });
    for (auto const choice : choices) {
        std::size_t seen = 0;
        std::erase_if(all, [&](trial const& t) { return t.choice == choice && ++seen > most_trials; });
    }
    return all;
}

REPEBBLE_INLINE auto greedy_swaps_fn::cheapest_step(swap_problem const& problem, swap_options const& options,
                                                    judged_swaps const& now, std::vector<swap_choice> const& choices)
    -> std::optional<judged_swaps> {
    std::optional<judged_swaps> best;
    double least = 0;
    auto const excess = now.result.least_limit - options.limit;
    auto plan = now.plan;
    for (auto const& t : trials(problem, options, now, choices)) {
        plan[t.interval] = t.choice;
        auto result = simulate_swaps(problem, plan, options);
        auto const cost = static_cast<double>(result.overhead - now.result.overhead) /
                          static_cast<double>(std::min(problem.size(problem.intervals()[t.interval]), excess));
        if (result.least_limit <= now.result.least_limit && (!best || cost < least)) {
            least = cost;
            best = judged_swaps{plan, std::move(result)};
        }
        plan[t.interval] = swap_choice::keep;
        if (best && least <= 0) break;
    }
    return best;
}

}  // namespace repebble::inline v0::detail

#endif
