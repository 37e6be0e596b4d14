#ifndef REPEBBLE_PLANNER_STRATEGIES_HPP
#define REPEBBLE_PLANNER_STRATEGIES_HPP

// The registry of strategies: the name, the needs and the function of each, for programs, benchmarks and bindings. Who
// adds a strategy adds its row here.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/limits.hpp>
#include <repebble/graph/optional_budget.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/recompute/lower_set_plan_options.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

/// What a strategy may be told. Each heeds what it knows: the limits as its own options say.
struct any_strategy_options {
    objective goal = objective::time;        ///< memory: the least peak, which must fit the budget
    bool nearest = false;                    ///< where no plan fits, return the one nearest to the budget
    judged_by judge = judged_by::replayed;   ///< of lower sets
    bool keep_last = false;                  ///< of lower sets
    std::optional<double> epsilon{};         ///< of lower sets
    std::size_t kept = 1;                    ///< of recursive segments: the cuts that divide each part
    std::size_t threads = 1;                 ///< plans do not depend on it where the seconds are not limited
    repebble::limits limits{};               ///< `work`: in steps of the strategy
    std::function<void(double)> progress{};  ///< called now and then with the share of the work that is done
};

/// A strategy: a name, and a function from a problem and a budget to a plan.
struct strategy {
    std::string_view name;     ///< of the function of the library or, where one function has several, of the algorithm
    std::string_view summary;  ///< in one line
    bool takes_budget;         ///< the others have one plan only, whatever the budget: it may be above it
    bool needs_gradients;      ///< throws bad_graph where the problem has none
    bool is_slow;              ///< beyond small graphs
    /// Nothing where no plan is found within the budget. Throws as the function of that name.
    std::optional<recompute_plan<>> (*plan)(problem const&, std::optional<bytes> budget, any_strategy_options const&);

    /// Its plan of a problem: `find_strategy("save_set")(p, budget)`.
    /// Throws bad_weight where the budget is negative, bad_option where there is no thread or the seconds are negative
    /// or not a number, also where the strategy heeds none of them.
    [[nodiscard]] auto operator()(problem const& p, optional_budget budget = {},
                                  any_strategy_options const& options = {}) const -> std::optional<recompute_plan<>> {
        detail::check_threads(options.threads);
        static_cast<void>(detail::checked_seconds(options.limits));
        return plan(p, budget, options);
    }
};

/// All strategies: those of the literature, by growing quality, and the automatic planner, the last.
[[nodiscard]] auto strategies() -> std::span<strategy const>;

/// The strategy of that name.  Throws bad_option, with all names, where there is none.
[[nodiscard]] auto find_strategy(std::string_view name) -> strategy const&;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/strategies.ipp>
#endif

#endif
