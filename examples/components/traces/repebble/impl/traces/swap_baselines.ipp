#ifndef REPEBBLE_IMPL_TRACES_SWAP_BASELINES_IPP
#define REPEBBLE_IMPL_TRACES_SWAP_BASELINES_IPP

#include <repebble/traces/swap_baselines.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto evict_least_recent(swap_problem const& problem, swap_plan plan, swap_options const& options)
    -> judged_swaps {
    auto const& intervals = problem.intervals();
    for (;;) {
        auto now = judge_swaps(problem, plan, options);
        if (now.result.feasible) return now;
        auto const row = now.result.first_overfull;
        std::optional<std::size_t> oldest;
        auto const last_use = [&](std::size_t i) {  // before the row
            auto const use = static_cast<std::int64_t>(intervals[i].last_use);
            return intervals[i].wraps && row < intervals[i].next_use
                       ? use - static_cast<std::int64_t>(problem.row_count())
                       : use;
        };
        for (std::size_t i = 0; i < intervals.size(); ++i)
            if (plan[i] == swap_choice::keep && intervals[i].may_be_absent(row) &&
                (!oldest || last_use(i) < last_use(*oldest)))
                oldest = i;
        if (!oldest) return now;
        plan[*oldest] = swap_choice::offload;
    }
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto memonger_swaps(swap_problem const& problem, swap_options const& options) -> judged_swaps {
    auto const crosses = detail::crosses_peak(problem);
    std::vector<std::size_t> removable;
    for (std::size_t i = 0; i < problem.intervals().size(); ++i)
        if (problem.intervals()[i].is_removable && crosses(problem.intervals()[i])) removable.push_back(i);
    std::ranges::stable_sort(removable, {}, [&](auto i) { return problem.intervals()[i].producer; });
    auto best = judge_swaps(problem, problem.keep_all(), options);
    for (std::size_t length = 2; length <= removable.size() + 1; length += 1 + length / 8) {
        auto plan = problem.keep_all();
        for (std::size_t k = 0; k < removable.size(); ++k)
            if ((k + 1) % length != 0) plan[removable[k]] = swap_choice::remove;
        detail::keep_better(best, judge_swaps(problem, std::move(plan), options));
    }
    return best;
}

REPEBBLE_INLINE auto tflms_swaps(swap_problem const& problem, swap_options const& options) -> judged_swaps {
    auto const& intervals = problem.intervals();
    std::vector<std::size_t> longest;
    for (std::size_t i = 0; i < intervals.size(); ++i) longest.push_back(i);
    auto const length = [&](std::size_t i) {
        auto const& rows = problem.iteration().rows;
        auto const apart = rows[intervals[i].next_use].begin - rows[intervals[i].last_use].begin;
        return intervals[i].wraps ? apart + problem.iteration().duration : apart;
    };
    std::ranges::stable_sort(longest, std::ranges::greater{}, length);
    // The number of variables is set by hand there: here the least with which it fits, as more cost more.
    auto const plan_of = [&](std::size_t count) {
        auto plan = problem.keep_all();
        for (std::size_t k = 0; k < count; ++k) plan[longest[k]] = swap_choice::offload;
        return plan;
    };
    auto const fits = [&](std::size_t count) { return simulate_swaps(problem, plan_of(count), options).feasible; };
    std::size_t low = 0, high = longest.size();
    while (low < high) {
        auto const middle = low + (high - low) / 2;
        fits(middle) ? high = middle : low = middle + 1;
    }
    judged_swaps best;
    for (auto const lookahead : std::array<std::size_t, 4>{1, 4, 16, 64}) {
        auto with = options;
        with.lookahead = lookahead;
        detail::keep_better(best, judge_swaps(problem, plan_of(low), with));
    }
    return best;
}

}  // namespace repebble::inline v0

#endif
