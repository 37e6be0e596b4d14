#ifndef REPEBBLE_CHAINS_CHAIN_FRONTIER_HPP
#define REPEBBLE_CHAINS_CHAIN_FRONTIER_HPP

// The solved chain of stages, of which any budget may be asked: the dynamic program of Beaumont et al. 2019, section 4,
// either exactly, over Pareto curves of memory and overhead in place of a table of memory slots (detail/frontier), or
// over rows of slots in SIMD lanes, without a table of decisions (detail/slots). Made by `solve_chain`; used by
// recompute's chain baseline (detail/chain_stages).
// Invariants: curves have ascending budgets and strictly descending times; with sizes rounded up every plan fits its
// budget, with sizes rounded down every time is a lower bound.

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/chains/budget_and_time.hpp>
#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_action.hpp>
#include <repebble/chains/chain_options.hpp>
#include <repebble/chains/detail/frontier/pareto_table.hpp>
#include <repebble/chains/detail/slots/slot_table.hpp>
#include <repebble/chains/slot_costs.hpp>
#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// The trade-off curve of a chain, time by budget, with a plan for each of its points.
class chain_frontier {
  public:
    /// Solves the chain for all budgets, or those up to `last_budget`, as `solve_chain` does.
    explicit chain_frontier(chain of, chain_options const& options = {});
    /// Nothing where the limits end the search.
    [[nodiscard]] static auto within_limits(chain of, chain_options const& options) -> std::optional<chain_frontier>;

    /// The breakpoints; budgets include the chain's input, and in slots are multiples of one. Empty where no plan fits.
    [[nodiscard]] auto curve() const noexcept -> std::vector<budget_and_time> const& { return curve_; }
    /// The time of the plan for a budget; nothing where no plan fits. O(log points).
    [[nodiscard]] auto time_within(bytes budget) const -> std::optional<std::int64_t> {
        return detail::time_at(curve_, budget);
    }
    /// A lower bound on the time of all plans of the kind searched; nothing where none fits, or in slots where sizes
    /// are not rounded down.
    [[nodiscard]] auto lower_bound(bytes budget) const -> std::optional<std::int64_t>;
    /// A plan that takes `time_within(budget)`; nothing where no plan fits.
    [[nodiscard]] auto actions_within(bytes budget) const -> std::optional<chain_actions>;
    /// The largest gap between a time of the curve and its lower bound, as a share of the bound; 0: the curve is exact,
    /// but for slots.
    [[nodiscard]] auto epsilon() const noexcept -> double { return epsilon_; }
    /// Bytes of a slot; nothing where bytes are not rounded.
    [[nodiscard]] auto slot() const noexcept -> std::optional<bytes> { return slot_; }

  private:
    template <class Lane>
    using in_slots = std::unique_ptr<detail::slot_table<Lane> const>;

    explicit chain_frontier(chain of, chain_options const& options, detail::limit_test& ask);
    void solve_in_bytes(chain_options const& options, detail::limit_test& ask);
    void solve_in_slots(chain_options const& options, detail::limit_test& ask);
    [[nodiscard]] auto curve_of(detail::pareto_table const& table) const -> std::vector<budget_and_time>;
    [[nodiscard]] auto largest_gap() const -> double;
    template <class F>
    [[nodiscard]] auto visit_slots(F const& f) const {
        return table_.index() == 2 ? f(*std::get<2>(table_)) : f(*std::get<3>(table_));
    }

    std::unique_ptr<chain const> chain_;               // read by sums_
    std::unique_ptr<detail::chain_sums const> sums_;   // read by table_
    std::unique_ptr<detail::slot_costs const> costs_;  // read by table_
    std::variant<std::monostate, std::unique_ptr<detail::pareto_table const>, in_slots<std::int32_t>,
                 in_slots<std::int64_t>>
        table_;
    std::vector<budget_and_time> curve_, below_;
    double epsilon_ = 0;
    std::optional<bytes> slot_{};
    slot_rounding round_ = slot_rounding::up;
    bool complete_ = false;  // else the limits ended the search
};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/chains/chain_frontier.ipp>
#endif

#endif
