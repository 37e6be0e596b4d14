#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_TIGHTEN_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_TIGHTEN_HPP

// Propose, judge, tighten: a plan may need more where it is carried out than its planner counts, since arenas have
// gaps, views hold storages, and policies insert operations. Then a plan within less is asked for, by the excess.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// How the bytes that are asked for go from attempt to attempt.
struct tightening {
    std::size_t attempts;             ///< at most
    bytes least = 0;                  ///< less is not asked for
    std::optional<bytes> too_much{};  ///< nor so much, or more
    bool twice = false;               ///< whether the excess is taken off twice
    std::optional<bytes>
        tolerance{};  ///< more is asked for while it is more by so much; none: a plan that fits ends it
};

/// `attempt(asked)` proposes a plan within so many bytes, judges it, and returns the bytes that it needs; nothing where
/// it finds none. The whole budget is asked for first. Where more than that is needed, less is asked for, by the
/// excess; where bytes are left, more, by these or half the way to what was too much; else the middle between what was
/// too much and what was not. `stop()`, asked between attempts, ends it.
inline void tighten(bytes budget, tightening const& how, function_ref<std::optional<bytes>(bytes)> attempt,
                    stop_test stop) {
    bytes asked = budget, enough = how.least - 1;
    auto too_much = how.too_much;
    for (std::size_t k = 0; k < how.attempts && asked > enough && (k == 0 || !stop()); ++k) {
        auto const needed = attempt(asked);
        bytes next = asked;
        if (needed && *needed > budget) {
            bytes const excess = *needed - budget;
            too_much = asked;
            next -= excess;
            if (how.twice && next > excess) next -= excess;
        } else {
            if (needed ? !how.tolerance : !too_much) return;
            enough = asked;
            if (needed) next += std::min(budget - *needed, std::numeric_limits<bytes>::max() - next);
            if (too_much) next = std::max(next, asked + (*too_much - asked) / 2);
            if ((too_much ? *too_much : next) - asked <= how.tolerance.value_or(0)) return;
        }
        if (too_much && (next <= enough || next >= *too_much)) next = enough + (*too_much - enough) / 2;
        asked = next;
    }
}

}  // namespace repebble::inline v0::detail

#endif
