#ifndef REPEBBLE_PLANNER_TECHNIQUE_HPP
#define REPEBBLE_PLANNER_TECHNIQUE_HPP

// The techniques of the automatic planner by name: each can be switched off (`plan_options::without`), and an observer
// hears afterwards what each brought and cost. Used by `plan --explain` and by benchmarks/technique_tables.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace repebble::inline v0 {

/// A technique of the automatic planner.
enum class technique : std::uint8_t {
    no_recomputation,     ///< everything is computed once
    eviction,             ///< greedy eviction in the graph's order (Kirisame et al. 2021)
    one_cut,              ///< relaxation at the first run of one operation: a closure knapsack by minimum cuts
    one_cut_search,       ///< branch and bound on that relaxation
    baselines,            ///< greedy_eviction, save_set, chain_plan on small training graphs; decomposition_plan
    canonical_schedule,   ///< the best canonical schedule of training graphs of up to 600 operations
    best_first_pebbling,  ///< best-first search of up to 64 operations
    several_cuts,         ///< relaxation at a sequence of cuts, branch and bound on it
    max_sat,              ///< core-guided lower bound
    annealing,            ///< simulated annealing of the sequence of computations
    memetic,              ///< annealing of a population of sequences that cross
    forward_repair,       ///< relaxed sequences made to fit the budget step by step
    fill_capacity,        ///< relaxed choices at one cut that leave room keep more
    violated_cuts,        ///< a chain of cuts grows where the relaxed sequence exceeds the budget
    run_branching,        ///< branching on whether an operation runs between two cuts
    crossover,            ///< children of two members of the population
    perturbation,         ///< children that lack one recomputation
    success_rates,        ///< rules of moves drawn by how often they succeeded
    hot_walks,            ///< walks that begin at high temperature
    values_only,          ///< moves that discard values without their inputs
    bring_forward,        ///< moves that recompute earlier what is recomputed later anyway
    order_of_least_peak,  ///< forward graphs in the order of least peak, and eviction along it
    disjoint_windows,     ///< one cut in each of many windows of the order: their bounds add up, their choices are a start
};
inline constexpr std::size_t technique_count = 23;

namespace detail {
inline constexpr std::array<std::string_view, technique_count> technique_names{
    "no_recomputation",    "eviction",      "one_cut",       "one_cut_search",     "baselines",    "canonical_schedule",
    "best_first_pebbling", "several_cuts",  "max_sat",       "annealing",          "memetic",      "forward_repair",
    "fill_capacity",       "violated_cuts", "run_branching", "crossover",          "perturbation", "success_rates",
    "hot_walks",           "values_only",   "bring_forward", "order_of_least_peak", "disjoint_windows"};
}  // namespace detail

/// Its name, as in the enumeration.
[[nodiscard]] constexpr auto to_string(technique t) -> std::string_view {
    return detail::technique_names[static_cast<std::size_t>(t)];
}
/// The technique of that name; nothing where there is none.
[[nodiscard]] constexpr auto technique_by_name(std::string_view name) -> std::optional<technique> {
    for (std::size_t k = 0; k < technique_count; ++k)
        if (detail::technique_names[k] == name) return static_cast<technique>(k);
    return std::nullopt;
}

/// A set of techniques.
struct technique_set {
    std::uint32_t bits = 0;  ///< bit k: the k-th technique

    /// Whether the technique is in the set.
    [[nodiscard]] constexpr auto contains(technique t) const noexcept -> bool {
        return (bits >> static_cast<unsigned>(t) & 1U) != 0;
    }
    /// Adds the technique.
    constexpr void insert(technique t) noexcept { bits |= std::uint32_t{1} << static_cast<unsigned>(t); }

    friend constexpr auto operator==(technique_set const&, technique_set const&) -> bool = default;
};

/// What a technique brought to a plan, and cost.
struct technique_report {
    technique what{};               ///< whose report this is
    double seconds = 0;             ///< CPU seconds of the calling thread
    std::size_t plans = 0;          ///< how often it improved the plan
    std::size_t bounds = 0;         ///< how often it raised the lower bound
    std::int64_t bound_raised = 0;  ///< by how many time units in all
    bool found_plan = false;        ///< it found the plan that is returned

    friend auto operator==(technique_report const&, technique_report const&) -> bool = default;
};

}  // namespace repebble::inline v0

#endif
