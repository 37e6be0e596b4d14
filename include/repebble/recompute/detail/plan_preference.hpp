#ifndef REPEBBLE_RECOMPUTE_DETAIL_PLAN_PREFERENCE_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_PLAN_PREFERENCE_HPP

#include <utility>

#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/strategy_options.hpp>

namespace repebble::inline v0::detail {

/// Which of two candidates a strategy prefers, replayed or by formula. Without a budget, and among candidates over the
/// budget, the one of less peak; within it the objective decides.
template <quantity Time>
struct plan_preference {
    struct candidate {
        Time time{};
        bytes peak = 0;
    };

    strategy_options const& options;
    bool by_formula;

    [[nodiscard]] auto fits(candidate const& c) const -> bool { return !options.budget || c.peak <= *options.budget; }

    [[nodiscard]] auto operator()(candidate const& a, candidate const& b) const -> bool {
        if (fits(a) != fits(b)) return fits(a);
        bool const memory = options.goal == objective::memory;
        bool const by_peak = !options.budget || !fits(a) || (memory && !by_formula);
        bool const more_time = memory && by_formula;  // section 4.4: the greatest overhead within the budget
        if (by_peak && a.peak != b.peak) return a.peak < b.peak;
        if (a.time != b.time) return more_time ? a.time > b.time : a.time < b.time;
        return a.peak < b.peak;
    }
};

}  // namespace repebble::inline v0::detail

#endif
