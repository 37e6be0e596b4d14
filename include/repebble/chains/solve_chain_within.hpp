#ifndef REPEBBLE_CHAINS_SOLVE_CHAIN_WITHIN_HPP
#define REPEBBLE_CHAINS_SOLVE_CHAIN_WITHIN_HPP

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

/// A plan for a chain, and what is proven of all.
template <quantity Time = std::int64_t>
struct bounded_chain_plan {
    Time time{};
    Time lower_bound{};  ///< no persistent plan within the budget takes less
    chain_actions actions{};

    /// The share by which the plan may be above the least; 0: it is the least.
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
            auto const least = chain_slots<Time>(of, budget, options).time_within(budget);
            if (!least) return std::nullopt;  // that is proven
            bound = bound ? std::max(*bound, *least) : *least;
            options.round = slot_rounding::up;
            chain_slots<Time> const found(of, budget, options);
            if (auto const time = found.time_within(budget); time && (!best || *time < best->time))
                best = {*time, *bound, *found.actions_within(budget)};
            if (best) best->lower_bound = *bound;
            if ((best && best->epsilon() <= epsilon) || options.slots >= most_slots) return best;
            options.slots *= 2;
        }
    }
};

}  // namespace detail

/// A plan for a chain within a budget, and a bound that proves how near it is to the least time: memory is counted in
/// slots, once rounded up and once down, which bounds the exact dynamic program of `solve_chain` from both sides; and
/// in twice as many, until the two are within `epsilon` of one another or slots are 8000. Slots fit the chain's sizes,
/// so that few suffice where these are of few kinds.
///
/// Takes a chain, a budget, a tolerance (a share of the time) and with which slots to begin. Costs what
/// `solve_chain_in_slots` costs, about four times for the last number of slots. Nothing where no plan was found: look
/// whether `solve_chain` knows one where the budget is near the least.
/// Throws bad_weight where epsilon is negative, and as `solve_chain_in_slots`.
inline constexpr detail::solve_chain_within_fn solve_chain_within{};

}  // namespace repebble::inline v0

#endif
