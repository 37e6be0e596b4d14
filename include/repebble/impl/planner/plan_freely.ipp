#ifndef REPEBBLE_IMPL_PLANNER_PLAN_FREELY_IPP
#define REPEBBLE_IMPL_PLANNER_PLAN_FREELY_IPP

#include <repebble/planner/detail/plan_freely.hpp>

#include <algorithm>
#include <limits>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/planner/detail/budget_planner.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/swap_planner.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto ascending(std::span<bytes const> budgets) -> std::vector<std::size_t> {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < budgets.size(); ++k) order.push_back(k);
    sort_by(order, [&](std::size_t a, std::size_t b) { return budgets[a] < budgets[b]; });
    return order;
}

REPEBBLE_INLINE void raise_smaller_bounds(std::vector<automatic_plan<>>& all, std::span<std::size_t const> ascending) {
    for (std::size_t i = ascending.size(); i-- > 1;) {
        auto& less = all[ascending[i - 1]];
        auto const& more = all[ascending[i]];
        if (!more.plan && more.proven) less.proven = true;
        less.base_order_bound = std::max(less.base_order_bound, more.base_order_bound);
        if (!(less.lower_bound < more.lower_bound)) continue;
        less.lower_bound = more.lower_bound;
        if (less.plan && !(less.lower_bound < less.plan->cost.overhead)) less.proven = true;
    }
}

inline constexpr auto any_gap = std::numeric_limits<double>::max();

REPEBBLE_INLINE auto for_any_plan(plan_options options) -> plan_options {
    options.limits = {.work = options.effort.halving_moves};
    options.gap = any_gap;
    return options;
}

/// Ends a search that is late.
struct late_observer {
    deadline const& clock;
    [[nodiscard]] auto cancelled() const -> bool { return clock.is_late(); }
};

/// True where a value may be copied to the host: one with bytes, or one that a mutation ends.
[[nodiscard]] inline auto can_copy(dataflow const& flow, plan_options const& options) -> bool {
    if (!options.link) return false;
    if (!options.host_budget) return true;
    auto const has_room = [&](value_index x) { return flow.size(x) <= *options.host_budget; };
    for (value_index x = 0; x < flow.value_count(); ++x)
        if (!flow.is_view(x) && flow.size(x) > 0 && has_room(x)) return true;
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        for (auto const& m : flow.mutations(v))
            if (std::ranges::any_of(flow.owners(m.over), has_room)) return true;
    return false;
}

REPEBBLE_INLINE auto plan_freely(dataflow const& flow, training_graph const* training, std::span<bytes const> budgets,
                                 plan_options const& options, listener const& hears, policy_marks const* marks)
    -> std::vector<automatic_plan<>> {
    auto const order = ascending(budgets);
    std::vector<automatic_plan<>> all(budgets.size());
    std::vector<operation_index> known;
    // What one budget leaves of the seconds is the others'.
    deadline const clock(options.limits.seconds, hears);
    auto const seconds_of = [&](std::size_t number) {
        auto seconds = clock.left();
        if (seconds) *seconds /= static_cast<double>(order.size() - number);
        return seconds;
    };
    late_observer const late{clock};
    listener const any_until(late);
    double prepared = 0;  // seconds that it took to make a planner
    auto const take_any = [&](automatic_plan<>& now, bytes budget) {
        if (now.plan || now.proven || options.gap >= any_gap || clock.is_late(prepared)) return;
        auto any = plan_freely(flow, training, std::span(&budget, 1), for_any_plan(options), any_until, marks);
        now.plan = std::move(any.front().plan);
        now.strategy = std::move(any.front().strategy);
        now.proven = now.plan ? !(now.lower_bound < now.plan->cost.overhead) : any.front().proven;
    };
    if (can_copy(flow, options)) {
        swap_planner planner(flow, training, options, hears, marks);
        prepared = clock.seconds();
        for (std::size_t i = 0; i < order.size(); ++i) {
            auto& now = all[order[i]];
            now = planner.plan(budgets[order[i]], seconds_of(i), known, i > 0 ? &all[order[i - 1]] : nullptr);
            take_any(now, budgets[order[i]]);
        }
    } else {
        budget_planner planner(flow, training, options, hears);
        prepared = clock.seconds();
        for (std::size_t i = 0; i < order.size(); ++i) {
            auto& now = all[order[i]];
            now = planner.plan(budgets[order[i]], seconds_of(i), known);
            if (i > 0) take_faster(now, all[order[i - 1]].plan);
            if (now.plan) now.proven = !(now.lower_bound < now.plan->cost.overhead);
            if (options.link) now.base_order_bound = now.lower_bound;
            take_any(now, budgets[order[i]]);
        }
    }
    raise_smaller_bounds(all, order);
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
