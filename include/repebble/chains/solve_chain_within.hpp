#ifndef REPEBBLE_CHAINS_SOLVE_CHAIN_WITHIN_HPP
#define REPEBBLE_CHAINS_SOLVE_CHAIN_WITHIN_HPP

// A plan for a chain at one budget, with a proven gap: the dynamic program in slots, with sizes rounded up for plans
// and down for lower bounds, on finer and finer slots.
// Invariant: lower_bound <= least time of a persistent plan <= time.

#include <algorithm>
#include <cstdint>
#include <optional>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_action.hpp>
#include <repebble/chains/solve_chain_in_slots.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// A plan for a chain, and a lower bound on the time of all plans within the budget.
struct bounded_chain_plan {
    std::int64_t time{};         ///< of the plan
    std::int64_t lower_bound{};  ///< no persistent plan within the budget takes less
    chain_actions actions{};  ///< the plan

    /// The gap between plan and lower bound, as a share of the bound; 0: the plan is optimal.
    [[nodiscard]] auto epsilon() const -> double {
        if (!(lower_bound < time)) return 0;
        return static_cast<double>(time - lower_bound) / static_cast<double>(std::max<std::int64_t>(lower_bound, 1));
    }
    friend auto operator==(bounded_chain_plan const&, bounded_chain_plan const&) -> bool = default;
};

/// A plan for a chain within a budget, and a lower bound on the least time. Sizes are rounded to slots, up for the
/// plan and down for the bound; the two enclose the optimum of `solve_chain`. The number of slots doubles until the gap
/// is at most `epsilon` or there are 8000 slots. The size of a slot is fitted to the chain's sizes, so that few slots
/// suffice where there are few different sizes.
///
/// Takes a chain, a budget in bytes, a tolerance (a share of the time) and the options of the first round. Costs about
/// four times as much as `solve_chain_in_slots` with the last number of slots. Returns nothing where no plan was found;
/// near the least budget `solve_chain` may still find one.
/// Throws bad_weight where epsilon is negative, and as `solve_chain_in_slots`.
[[nodiscard]] auto solve_chain_within(chain const& of, bytes budget, double epsilon, slot_options options = {})
    -> std::optional<bounded_chain_plan>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/chains/solve_chain_within.ipp>
#endif

#endif
