#ifndef REPEBBLE_PLANNER_FIND_LEAST_BUDGET_HPP
#define REPEBBLE_PLANNER_FIND_LEAST_BUDGET_HPP

// The least budget with a plan.

#include <utility>

#include <repebble/graph/no_progress.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0 {

/// Two budgets of a problem: what is proven to be needed, and the least for which a plan was found.
template <class Vertex = operation_index>
struct least_budget {
    memory_floor<Vertex> needed{};  ///< no schedule needs less
    bytes found = 0;  ///< `plan` with the same options finds a plan within it; not less than `needed.size`
    automatic_plan<Vertex> plan{};  ///< a plan within `found`; its peak may be below

    friend auto operator==(least_budget const&, least_budget const&) -> bool = default;
};

namespace detail {

[[nodiscard]] auto least_budget_of(problem const& p, plan_options const& options, listener const& hears)
    -> least_budget<>;

struct find_least_budget_fn {
    template <planning_observer Observer = no_progress>
    [[nodiscard]] auto operator()(problem const& p, plan_options const& options = {}, Observer&& observer = {}) const
        -> least_budget<> {
        static_assert(
            !requires { observer.cancelled(); }, "plan_options::limits.stop ends a search");
        return least_budget_of(p, options, listener(observer));
    }
    template <class Vertex, planning_observer Observer = no_progress>
    [[nodiscard]] auto operator()(named_problem<Vertex> const& p, plan_options const& options = {},
                                  Observer&& observer = {}) const -> least_budget<Vertex> {
        problem const& unnamed = p;
        auto least = (*this)(unnamed, options, observer);
        return {in_names(least.needed, p), least.found, in_names(std::move(least.plan), p)};
    }
};

}  // namespace detail

/// The least budget for which a plan is found: by halving between the memory floor and what keeping everything takes,
/// with 20,000 moves for each of at most twelve budgets, then a plan for it by all the work that the options allow.
/// With a limit of seconds the halving takes at most half of them. Without a plan at all (a stop before the first),
/// `found` is 0. `plan` tries within any budget what the halving does, so that it finds a plan within `found`, whatever
/// its work, but where values must be recomputed or its seconds are over. Observers, costs and errors as of `plan`.
inline constexpr detail::find_least_budget_fn find_least_budget{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/find_least_budget.ipp>
#endif

#endif
