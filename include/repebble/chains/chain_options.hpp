#ifndef REPEBBLE_CHAINS_CHAIN_OPTIONS_HPP
#define REPEBBLE_CHAINS_CHAIN_OPTIONS_HPP

// What is asked of the solver for chains of stages, beside the chain and a budget: which plans are searched, in bytes
// or in slots, how close to the least time, over which link, within which limits.

#include <cstddef>
#include <optional>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/slot_costs.hpp>
#include <repebble/graph/limits.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/host_link.hpp>

namespace repebble::inline v0 {

/// Options of `solve_chain`.
struct chain_options {
    memory_test test = memory_test::tight;  ///< how the bytes of a plan are counted
    /// The input of a stage with a tape may be discarded, and is recomputed just before the stage runs backward. The
    /// search takes two to three times longer. Not in slots, nor with a link.
    bool drop_saved_inputs = false;
    /// Tolerance: how much longer than the least time a plan may take, as a share of it; 0: exact, but for slots. Helps
    /// chains with very many different sizes. In slots, with a budget: their number doubles until the gap between the
    /// plan and a lower bound is at most this share, or there are 8000.
    double epsilon = 0;
    /// Memory is counted in at most so many equal shares of the budget, each of whole bytes: the cost then does not
    /// depend on the sizes. Nothing: bytes are not rounded; with a link, 100 slots.
    std::optional<std::size_t> slots{};
    slot_rounding round = slot_rounding::up;  ///< how sizes become slots
    /// Slots may be up to twice as large, so that the sizes of the chain are nearly multiples of a slot: networks have
    /// few different sizes. Always so with slots and `epsilon`.
    bool fit_slots = false;
    /// What a stage stores may wait in host memory, at the other end of this link, beside recomputation.
    std::optional<host_link> link{};
    /// Of a curve: it ends at this budget. Nothing: it is whole, and in slots ends at `bytes_to_keep_all`.
    std::optional<bytes> last_budget{};
    std::size_t threads = 1;  ///< of a search in slots; does not change the result
    /// Work: curves of subchains, and points on all of them together, of 16 bytes each; by default 100 million; in
    /// slots and with a link it has no meaning and is refused.
    repebble::limits limits{};
};

}  // namespace repebble::inline v0

#endif
