#ifndef REPEBBLE_PLANNER_PLAN_OPTIONS_HPP
#define REPEBBLE_PLANNER_PLAN_OPTIONS_HPP

// Options of the automatic planner.

#include <cstddef>
#include <cstdint>
#include <optional>

#include <repebble/graph/error.hpp>
#include <repebble/graph/limits.hpp>
#include <repebble/graph/training/value_policies.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/planner/effort.hpp>
#include <repebble/planner/technique.hpp>

namespace repebble::inline v0 {

/// Options of `plan`.
struct plan_options {
    /// `seconds`, of all budgets together: then the best plan so far is returned; where there is none yet, 0.35 s and a
    /// twentieth of them more, at most a second, are spent on a first one. Without them and without `work`, the exact
    /// search of up to 64 operations goes on to 4·10⁶ states (some 20 s, 0.5 GB), where there is no plan to 16·10⁶.
    /// `work`: moves of the annealing in each attempt, to which all other work is in proportion; none: as many as the
    /// seconds allow or, without them, 40,000 for each operation, from 2·10⁵ to 3·10⁶, and 10⁶ from 3,000 operations on.
    /// `stop`: the best plan so far, which of more than some thousand operations may be none; then nothing is claimed.
    repebble::limits limits{};
    double gap = 0;          ///< good enough: a plan whose time is within this share of the proven least
    std::uint64_t seed = 1;  ///< of the annealing
    bool arena = false;      ///< the arena of the schedule is within the budget, too
    /// Where it has a value, plans may copy to the host over this link, in the caller's time units, and are judged by
    /// lanes: `cost` is that of `replay` with a `lanes_clock`, bounds hold for schedules with copies, too.
    std::optional<host_link> link{};
    std::optional<bytes> host_budget{};  ///< with a link: bytes in the host pool at most
    technique_set without{};             ///< techniques that are switched off: for measurements of what each brings
    /// Threads, the caller's among them. Without seconds the plan is the same for any number. With them, the others
    /// anneal while the caller's computes bounds; where `work` is given, the late bounds only.
    std::size_t threads = 1;
    /// Values that must be kept or recomputed; others are free. Throws bad_graph, naming the vertex, where they
    /// contradict each other or the graph (`mark_policies`), where a value that must be kept has several producers, or
    /// where a recomputation would run an operation again that runs once. Where values must be recomputed, half of the
    /// seconds is spent on the bound: that of free values, or the time of what surely runs again. Over a link, what
    /// must be kept is not copied; where values must be recomputed, a plan copies others only if the plan of free
    /// values recomputes them anyway.
    value_policies policies{};
    repebble::effort effort{};  ///< constants of the search: for measurements of what each brings (`effort_constants`)
    /// More threads than these hardly help.
    static constexpr std::size_t most_threads = 6;

    /// As many threads as this machine runs at once, at most `most_threads`.
    [[nodiscard]] static auto threads_here() -> std::size_t;
};

namespace detail {

/// Throws bad_option, naming the option, where one is negative, not a number, no thread, or has no meaning.
void check_options(plan_options const& options);

}  // namespace detail

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/plan_options.ipp>
#endif

#endif
