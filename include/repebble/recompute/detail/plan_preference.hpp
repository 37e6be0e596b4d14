#ifndef REPEBBLE_RECOMPUTE_DETAIL_PLAN_PREFERENCE_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_PLAN_PREFERENCE_HPP

// The order in which strategies prefer time_and_peak plans, so that all break ties alike. Kusumoto et al. 2019, section
// 4.4, for the memory-centric objective by formula.

#include <optional>

#include <repebble/graph/quantity.hpp>
#include <repebble/lower_sets/objective.hpp>

namespace repebble::inline v0::detail {

/// Compares two candidates, by replay or by formula. Without a budget, and among candidates over the budget, prefers
/// less peak; within the budget the objective decides.
struct plan_preference {
    struct time_and_peak {
        std::int64_t time{};
        bytes peak = 0;
    };

    std::optional<bytes> budget{};
    objective goal = objective::time;
    bool by_formula = false;

    [[nodiscard]] auto fits(time_and_peak const& c) const -> bool { return !budget || c.peak <= *budget; }

    [[nodiscard]] auto operator()(time_and_peak const& a, time_and_peak const& b) const -> bool {
        if (fits(a) != fits(b)) return fits(a);
        bool const memory = goal == objective::memory;
        bool const by_peak = !budget || !fits(a) || (memory && !by_formula);
        bool const more_time = memory && by_formula;  // section 4.4: the greatest overhead within the budget
        if (by_peak && a.peak != b.peak) return a.peak < b.peak;
        if (a.time < b.time) return !more_time;
        if (b.time < a.time) return more_time;
        return a.peak < b.peak;
    }
};

}  // namespace repebble::inline v0::detail

#endif
