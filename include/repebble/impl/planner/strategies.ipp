#ifndef REPEBBLE_IMPL_PLANNER_STRATEGIES_IPP
#define REPEBBLE_IMPL_PLANNER_STRATEGIES_IPP

#include <repebble/planner/strategies.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/detail/plan_for_budgets.hpp>
#include <repebble/planner/find_least_budget.hpp>
#include <repebble/planner/plan_options.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/decomposition_plan.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/least_peak_plan.hpp>
#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/save_set.hpp>
#include <repebble/recompute/segment_plan.hpp>
#include <repebble/recompute/segment_recursive.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

namespace repebble::inline v0 {

namespace detail {

using maybe_plan = std::optional<recompute_plan<>>;
using maybe_budget = std::optional<bytes>;

[[nodiscard]] inline auto common(any_strategy_options const& o) -> strategy_options {
    return {.goal = o.goal, .nearest = o.nearest, .limits = o.limits};
}
[[nodiscard]] inline auto by_lower_sets(lower_set_choice sets, problem const& p, maybe_budget budget,
                                        any_strategy_options const& o) -> maybe_plan {
    return lower_set_plan(p, budget,
                          {.sets = sets,
                           .goal = o.goal,
                           .judge = o.judge,
                           .keep_last = o.keep_last,
                           .epsilon = o.epsilon,
                           .nearest = o.nearest,
                           .limits = o.limits,
                           .threads = o.threads,
                           .progress = o.progress});
}
/// Calls a function of progress.
struct progress_listener {
    std::function<void(double)> const& hear;
    void progress(double share) const {
        if (hear) hear(share);
    }
};
[[nodiscard]] inline auto plan_automatically(problem const& p, maybe_budget budget, any_strategy_options const& o)
    -> maybe_plan {
    plan_options const options{.limits = o.limits, .threads = o.threads};
    progress_listener const observer{o.progress};
    if (!budget) return find_least_budget(p, options, observer).plan.plan;
    return std::move(plan_for_budgets(p, std::span(&*budget, 1), options, listener(observer)).front().plan);
}

inline constexpr std::array all_strategies{
    strategy{"keep_all", "everything once", false, false, false,
             [](problem const& p, maybe_budget, any_strategy_options const&) -> maybe_plan { return keep_all(p); }},
    strategy{"least_peak_order", "everything once, in the order of least peak", false, false, false,
             [](problem const& p, maybe_budget, any_strategy_options const& o) -> maybe_plan {
                 return least_peak_plan(p, {.limits = o.limits});
             }},
    strategy{
        "sqrt_segments", "segments of √n operations (Chen et al. 2016)", false, true, false,
        [](problem const& p, maybe_budget, any_strategy_options const&) -> maybe_plan { return sqrt_segments(p); }},
    strategy{"segment_plan", "a search over segments (Chen et al. 2016)", true, true, false,
             [](problem const& p, maybe_budget budget, any_strategy_options const& o) -> maybe_plan {
                 return segment_plan(p, budget,
                                     {.goal = o.goal,
                                      .nearest = o.nearest,
                                      .every_kind = true,
                                      .keep_expensive = true,
                                      .measure = memory_measure::peak,
                                      .threads = o.threads,
                                      .limits = o.limits});
             }},
    strategy{"chain", "stages of a chain, by dynamic programming (Beaumont et al. 2019)", true, true, false,
             [](problem const& p, maybe_budget budget, any_strategy_options const& o) -> maybe_plan {
                 return chain_plan(p, budget,
                                   {.goal = o.goal,
                                    .nearest = o.nearest,
                                    .narrow_places = true,
                                    .threads = o.threads,
                                    .limits = o.limits});
             }},
    strategy{"segment_recursive", "segments in segments (Chen et al. 2016)", false, true, true,
             [](problem const& p, maybe_budget, any_strategy_options const& o) -> maybe_plan {
                 return segment_recursive(p, {.kept = o.kept});
             }},
    strategy{"save_set", "cheap values dropped, each recomputed once", true, true, false,
             [](problem const& p, maybe_budget budget, any_strategy_options const& o) -> maybe_plan {
                 return save_set(p, budget, common(o));
             }},
    strategy{"greedy_eviction", "values evicted as the budget needs it (Kirisame et al. 2021)", true, false, false,
             [](problem const& p, maybe_budget budget, any_strategy_options const& o) -> maybe_plan {
                 return greedy_eviction(p, budget, common(o));
             }},
    strategy{"decomposition_plan", "nested separators of a tree decomposition (Bulatov 2018)", true, false, true,
             [](problem const& p, maybe_budget budget, any_strategy_options const& o) -> maybe_plan {
                 return decomposition_plan(p, budget, common(o));
             }},
    strategy{"lower_set_approximate", "the pruned lower sets (Kusumoto et al. 2019)", true, true, false,
             [](problem const& p, maybe_budget budget, any_strategy_options const& o) -> maybe_plan {
                 return by_lower_sets(lower_set_choice::pruned, p, budget, o);
             }},
    strategy{"lower_set_exact", "all lower sets (Kusumoto et al. 2019)", true, true, false,
             [](problem const& p, maybe_budget budget, any_strategy_options const& o) -> maybe_plan {
                 return by_lower_sets(lower_set_choice::all, p, budget, o);
             }},
    strategy{"forget_all", "ancestors recomputed before each gradient", false, true, false,
             [](problem const& p, maybe_budget, any_strategy_options const& o) -> maybe_plan {
                 return forget_all(p, o.limits);
             }},
    strategy{"lower_set_exhaustive", "every sequence of lower sets", true, true, true,
             [](problem const& p, maybe_budget budget, any_strategy_options const& o) -> maybe_plan {
                 return by_lower_sets(lower_set_choice::every, p, budget, o);
             }},
    strategy{"automatic", "the automatic planner, `plan`", true, false, false, plan_automatically},
};

}  // namespace detail

REPEBBLE_INLINE auto strategies() -> std::span<strategy const> { return detail::all_strategies; }

REPEBBLE_INLINE auto find_strategy(std::string_view name) -> strategy const& {
    auto const found = std::ranges::find(detail::all_strategies, name, &strategy::name);
    if (found != detail::all_strategies.end()) return *found;
    std::string names;
    for (auto const& s : detail::all_strategies) names += (names.empty() ? "" : ", ") + std::string(s.name);
    detail::raise(bad_option("no strategy \"" + std::string(name) + "\": there are " + names));
}

}  // namespace repebble::inline v0

#endif
