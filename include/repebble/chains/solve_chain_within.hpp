#ifndef REPEBBLE_CHAINS_SOLVE_CHAIN_WITHIN_HPP
#define REPEBBLE_CHAINS_SOLVE_CHAIN_WITHIN_HPP

// A plan for a chain at one budget, with a proven gap: the dynamic program in slots, with sizes rounded up for plans
// and down for lower bounds, on finer and finer slots.
// Invariant: lower_bound <= least time of a persistent plan <= time.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_action.hpp>
#include <repebble/chains/solve_chain_in_slots.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// A plan for a chain, and a lower bound on the time of all plans within the budget.
template <quantity Time = std::int64_t>
struct bounded_chain_plan {
    Time time{};              ///< of the plan
    Time lower_bound{};       ///< no persistent plan within the budget takes less
    chain_actions actions{};  ///< the plan

    /// The gap between plan and lower bound, as a share of the bound; 0: the plan is optimal.
    [[nodiscard]] auto epsilon() const -> double {
        if (!(lower_bound < time)) return 0;
        return static_cast<double>(time - lower_bound) / static_cast<double>(std::max<Time>(lower_bound, 1));
    }
    friend auto operator==(bounded_chain_plan const&, bounded_chain_plan const&) -> bool = default;
};

namespace detail {

struct solve_chain_within_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(chain<Time> const& of, bytes budget, double epsilon, slot_options options = {}) const
        -> std::optional<bounded_chain_plan<Time>> {
        if (!(epsilon >= 0)) detail::raise(bad_weight("epsilon must not be negative: " + std::to_string(epsilon)));
        constexpr std::size_t most_slots = 8000;
        std::optional<bounded_chain_plan<Time>> best;
        std::optional<Time> bound;
        options.fit_unit = true;
        for (;;) {
            options.round = slot_rounding::down;
            auto const least = chain_frontier_in_slots<Time>(of, budget, options).time_within(budget);
            if (!least) return std::nullopt;  // proven: no plan fits
            bound = bound ? std::max(*bound, *least) : *least;
            options.round = slot_rounding::up;
            chain_frontier_in_slots<Time> const found(of, budget, options);
            if (auto const time = found.time_within(budget); time && (!best || *time < best->time))
                best = {*time, *bound, *found.actions_within(budget)};
            if (best) best->lower_bound = *bound;
            if ((best && best->epsilon() <= epsilon) || options.slots >= most_slots) return best;
            options.slots *= 2;
        }
    }
};

}  // namespace detail

/// A plan for a chain within a budget, and a lower bound on the least time. Sizes are rounded to slots, up for the
/// plan and down for the bound; the two enclose the optimum of `solve_chain`. The number of slots doubles until the gap
/// is at most `epsilon` or there are 8000 slots. The size of a slot is fitted to the chain's sizes, so that few slots
/// suffice where there are few different sizes.
///
/// Takes a chain, a budget in bytes, a tolerance (a share of the time) and the options of the first round. Costs about
/// four times as much as `solve_chain_in_slots` with the last number of slots. Returns nothing where no plan was found;
/// near the least budget `solve_chain` may still find one.
/// Throws bad_weight where epsilon is negative, and as `solve_chain_in_slots`.
inline constexpr detail::solve_chain_within_fn solve_chain_within{};

}  // namespace repebble::inline v0

#endif
