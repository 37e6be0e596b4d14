#ifndef REPEBBLE_CHAINS_CHAIN_SOLUTION_HPP
#define REPEBBLE_CHAINS_CHAIN_SOLUTION_HPP

// What the solver for chains of stages answers for one budget: a plan, what is proven of it, and its copies.
// Invariant: lower_bound <= least time of a persistent plan <= time.

#include <algorithm>
#include <cstdint>
#include <optional>

#include <repebble/chains/chain_action.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// The copies of a plan for a chain whose values may wait in host memory.
struct chain_copies {
    schedule<> plan{};           ///< of the chain's `chain_dataflow`, copies included
    std::int64_t serial_time{};  ///< the least time of a persistent plan whose copies stop computations, in the slots

    friend auto operator==(chain_copies const&, chain_copies const&) -> bool = default;
};

/// A plan for a chain within a budget.
struct chain_solution {
    std::int64_t time{};  ///< of the plan; with a link, on its lanes
    bytes peak = 0;       ///< in the device pool: the greatest bytes of resident values and the workspace of a run
    /// No plan of the kind searched within the budget takes less. Nothing with a link, and in slots without `epsilon`.
    std::optional<std::int64_t> lower_bound{};
    chain_actions actions{};               ///< the plan; empty with a link
    std::optional<bytes> slot{};           ///< the bytes of a slot, where memory was counted in slots
    std::optional<chain_copies> copies{};  ///< the plan, with a link only

    /// The gap between plan and lower bound, as a share of the bound; 0: the plan is optimal. Nothing without a bound.
    [[nodiscard]] auto epsilon() const -> std::optional<double> {
        if (!lower_bound) return std::nullopt;
        if (!(*lower_bound < time)) return 0;
        return static_cast<double>(time - *lower_bound) / static_cast<double>(std::max<std::int64_t>(*lower_bound, 1));
    }
    friend auto operator==(chain_solution const&, chain_solution const&) -> bool = default;
};

}  // namespace repebble::inline v0

#endif
