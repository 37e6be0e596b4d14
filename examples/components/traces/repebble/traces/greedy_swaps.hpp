#ifndef REPEBBLE_TRACES_GREEDY_SWAPS_HPP
#define REPEBBLE_TRACES_GREEDY_SWAPS_HPP

// A greedy planner in the simulator: at the fullest row, the choice that costs least for each byte that it frees there,
// by simulation. No learning; the measure of what learning is worth.

#include <cstddef>
#include <optional>
#include <vector>

#include <repebble/traces/judged_swaps.hpp>
#include <repebble/traces/simulate_swaps.hpp>
#include <repebble/traces/swap_problem.hpp>

namespace repebble::inline v0 {

namespace detail {

struct greedy_swaps_fn {
    [[nodiscard]] auto operator()(swap_problem const& problem, swap_options const& options) const -> judged_swaps;

  private:
    /// Takes back or exchanges single choices, where that is faster; whether one was.
    [[nodiscard]] static auto improve(swap_problem const& problem, swap_options const& options, judged_swaps& best)
        -> bool;

    static constexpr std::size_t most_trials = 32;  // of offloads, and of removals, for one choice

    struct trial {
        double price = 0;  // time for each byte, estimated
        std::size_t interval = 0;
        swap_choice choice = swap_choice::keep;
    };

    [[nodiscard]] static auto descend(swap_problem const& problem, swap_options const& options,
                                      std::vector<swap_choice> const& choices) -> judged_swaps;
    /// The choices at the fullest row that seem cheapest: computing again costs its time, copies what of their time
    /// does not fit into the interval.
    [[nodiscard]] static auto trials(swap_problem const& problem, swap_options const& options, judged_swaps const& now,
                                     std::vector<swap_choice> const& choices) -> std::vector<trial>;
    [[nodiscard]] static auto cheapest_step(swap_problem const& problem, swap_options const& options,
                                            judged_swaps const& now, std::vector<swap_choice> const& choices)
        -> std::optional<judged_swaps>;
};

}  // namespace detail

/// Chooses until all fits: at the row that needs most, the offload or removal that adds the least overhead for each
/// byte of what is too much there, by simulation of the 32 of each that seem cheapest; the first that costs nothing.
/// Done with both, with offloads only and with removals only; of the best of the three single choices are taken back or
/// exchanged while that is faster. Where nothing is left to choose, the plan does not fit. Heuristic; deterministic.
/// O(choices) times up to 64 simulations.  Throws as `simulate_swaps` does.
inline constexpr detail::greedy_swaps_fn greedy_swaps{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/greedy_swaps.ipp>
#endif

#endif
