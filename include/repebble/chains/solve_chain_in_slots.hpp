#ifndef REPEBBLE_CHAINS_SOLVE_CHAIN_IN_SLOTS_HPP
#define REPEBBLE_CHAINS_SOLVE_CHAIN_IN_SLOTS_HPP

// The solver for chains whose memory is counted in slots: the dynamic program of Beaumont et al. 2019, section 4, over
// rows of slots in SIMD lanes, without a table of decisions (detail/slots). Used by solve_chain_within and by
// recompute's chain baseline (detail/chain_stages) on long chains.
// Invariant: with sizes rounded up every plan fits its budget, with sizes rounded down every time is a lower bound.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/chains/budget_and_time.hpp>
#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_action.hpp>
#include <repebble/chains/detail/slots/slot_table.hpp>
#include <repebble/chains/slot_costs.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// Options of `solve_chain_in_slots`.
struct slot_options {
    std::size_t slots = 500;                  ///< at most so many equal shares of the budget, each of whole bytes
    memory_test test = memory_test::tight;    ///< how the bytes of a plan are counted
    slot_rounding round = slot_rounding::up;  ///< how sizes become slots
    /// Slots may be up to twice as large, so that the sizes of the chain are nearly multiples of a slot: networks have
    /// few different sizes.
    bool fit_unit = false;
    std::size_t threads = 1;  ///< does not change the result
};

/// The trade-off curve of a chain, time by budget, for multiples of a slot up to a budget, with plans.
class chain_frontier_in_slots {
    template <class Lane>
    using table = detail::slot_table<Lane>;
    template <class F>
    [[nodiscard]] auto visit(F const& f) const {
        return table_.index() == 1 ? f(std::get<1>(table_)) : f(std::get<2>(table_));
    }

  public:
    /// Solves the chain for all budgets up to this one.
    chain_frontier_in_slots(chain of, bytes budget, slot_options const& options);

    /// Bytes of a slot.
    [[nodiscard]] auto unit() const noexcept -> bytes { return unit_; }
    /// Breakpoints of ascending budgets, the chain's input included, and descending times; empty where no plan fits.
    [[nodiscard]] auto curve() const noexcept -> std::vector<budget_and_time> const& { return curve_; }
    /// The time of the plan for a budget; nothing where no plan fits. O(log points).
    [[nodiscard]] auto time_within(bytes budget) const -> std::optional<std::int64_t> {
        return detail::time_at(curve_, budget);
    }
    /// A plan that takes `time_within(budget)`; nothing where no plan fits.
    [[nodiscard]] auto actions_within(bytes budget) const -> std::optional<chain_actions>;

  private:
    static constexpr std::size_t most_slots = 10'000'000;
    std::unique_ptr<chain const> chain_;
    std::unique_ptr<detail::chain_sums const> sums_;
    bytes unit_ = 1;
    std::unique_ptr<detail::slot_costs const> costs_;
    std::variant<std::monostate, table<std::int32_t>, table<std::int64_t>> table_;
    std::vector<budget_and_time> curve_;
};

/// Least time to train a chain within a budget, with memory counted in slots (Beaumont et al. 2019, section 4). Sizes
/// are rounded up to whole slots, so that plans fit; some plans that would fit, too, are missed. Equal subchains are
/// solved once.
///
/// Takes L stages and S slots; O(L³ S) time, and 2 L² S bytes and 1024 S more a thread, twice that where times are
/// long. `solve_chain` does not round and is often faster; the cost of this one does not depend on the sizes.
/// Returns a chain_frontier_in_slots. Throws bad_graph where there is no stage, bad_weight where a size, time or the
/// budget is negative, a sum does not fit in 64 bits, or there is no slot.
[[nodiscard]] inline auto solve_chain_in_slots(chain of, bytes budget, slot_options const& options = {})
    -> chain_frontier_in_slots {
    return {std::move(of), budget, options};
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/chains/solve_chain_in_slots.ipp>
#endif

#endif
