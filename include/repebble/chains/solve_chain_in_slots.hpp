#ifndef REPEBBLE_CHAINS_SOLVE_CHAIN_IN_SLOTS_HPP
#define REPEBBLE_CHAINS_SOLVE_CHAIN_IN_SLOTS_HPP

// The solver for chains whose memory is counted in slots: the dynamic program of Beaumont et al. 2019, section 4, over
// rows of slots in SIMD lanes, without a table of decisions (detail/slots). Used by solve_chain_within and by
// recompute's chain baseline (detail/chain_stages) on long chains.
// Invariant: with sizes rounded up every plan fits its budget, with sizes rounded down every time is a lower bound.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/chains/budget_and_time.hpp>
#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_action.hpp>
#include <repebble/chains/detail/slots/slot_table.hpp>
#include <repebble/chains/detail/slots/slot_unit.hpp>
#include <repebble/chains/slot_costs.hpp>
#include <repebble/graph/error.hpp>
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
template <quantity Time = std::int64_t>
class chain_frontier_in_slots {
  public:
    /// Solves the chain for all budgets up to this one.
    chain_frontier_in_slots(chain<Time> of, bytes budget, slot_options const& options)
        : chain_(std::make_unique<chain<Time> const>(std::move(of))),
          sums_(std::make_unique<detail::chain_sums<Time> const>(*chain_)) {
        if (budget < 0) detail::raise(bad_weight("the budget must not be negative: " + std::to_string(budget)));
        if (options.slots == 0 || options.slots > most_slots)
            detail::raise(bad_weight("memory cannot be counted in " + std::to_string(options.slots) + " slots"));
        unit_ = std::max<bytes>(1, budget / static_cast<bytes>(options.slots));
        if (budget / unit_ > static_cast<bytes>(options.slots)) ++unit_;  // else some of the budget is in no slot
        if (options.fit_unit) unit_ = detail::slot_unit(*sums_, options.round).best_from(unit_);
        auto const slots = static_cast<detail::slot_count>(budget / unit_);
        costs_ = std::make_unique<detail::slot_costs<Time> const>(*sums_, options.test, options.round, unit_, slots);
        auto const worst = checked_add(sums_->worst_overhead(), sums_->forward_time(0, sums_->size()), "times");
        if constexpr (std::same_as<Time, double>) {
            table_.template emplace<table<double>>(*sums_, *costs_, slots, options.threads);
        } else if (worst < std::numeric_limits<std::int32_t>::max() / 4) {
            table_.template emplace<table<std::int32_t>>(*sums_, *costs_, slots, options.threads);
        } else if (worst < std::numeric_limits<std::int64_t>::max() / 4) {
            table_.template emplace<table<std::int64_t>>(*sums_, *costs_, slots, options.threads);
        } else {
            detail::raise(bad_weight("the times of the chain are too long: " + std::to_string(worst)));
        }
        for (detail::slot_count s = 0; s <= slots; ++s) {
            auto const overhead = visit([&](auto const& t) { return t.overhead(s); });
            if (overhead && (curve_.empty() || sums_->time_once() + *overhead < curve_.back().time))
                curve_.push_back({s * unit_, sums_->time_once() + *overhead});
        }
    }

    /// Bytes of a slot.
    [[nodiscard]] auto unit() const noexcept -> bytes { return unit_; }
    /// Breakpoints of ascending budgets, the chain's input included, and descending times; empty where no plan fits.
    [[nodiscard]] auto curve() const noexcept -> std::vector<budget_and_time<Time>> const& { return curve_; }
    /// The time of the plan for a budget; nothing where no plan fits. O(log points).
    [[nodiscard]] auto time_within(bytes budget) const -> std::optional<Time> {
        return detail::time_at(curve_, budget);
    }
    /// A plan that takes `time_within(budget)`; nothing where no plan fits.
    [[nodiscard]] auto actions_within(bytes budget) const -> std::optional<chain_actions> {
        if (!time_within(budget)) return std::nullopt;
        auto const slots = static_cast<detail::slot_count>(std::min(budget, curve_.back().budget) / unit_);
        return visit([&](auto const& t) { return t.actions_within(slots); });
    }

  private:
    static constexpr std::size_t most_slots = 10'000'000;
    template <class Lane>
    using table = detail::slot_table<Time, Lane>;

    template <class F>
    [[nodiscard]] auto visit(F const& f) const {
        if constexpr (std::same_as<Time, double>)
            return f(std::get<table<double>>(table_));
        else
            return table_.index() == 1 ? f(std::get<1>(table_)) : f(std::get<2>(table_));
    }

    std::unique_ptr<chain<Time> const> chain_;
    std::unique_ptr<detail::chain_sums<Time> const> sums_;
    bytes unit_ = 1;
    std::unique_ptr<detail::slot_costs<Time> const> costs_;
    std::conditional_t<std::same_as<Time, double>, std::variant<std::monostate, table<double>>,
                       std::variant<std::monostate, table<std::int32_t>, table<std::int64_t>>>
        table_;
    std::vector<budget_and_time<Time>> curve_;
};

namespace detail {

struct solve_chain_in_slots_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(chain<Time> of, bytes budget, slot_options const& options = {}) const
        -> chain_frontier_in_slots<Time> {
        return {std::move(of), budget, options};
    }
};

}  // namespace detail

/// Least time to train a chain within a budget, with memory counted in slots (Beaumont et al. 2019, section 4). Sizes
/// are rounded up to whole slots, so that plans fit; some plans that would fit, too, are missed. Equal subchains are
/// solved once.
///
/// Takes L stages and S slots; O(L³ S) time, and 2 L² S bytes and 1024 S more a thread, twice that where times are
/// long. `solve_chain` does not round and is often faster; the cost of this one does not depend on the sizes.
/// Returns a chain_frontier_in_slots. Throws bad_graph where there is no stage, bad_weight where a size, time or the
/// budget is negative, a sum does not fit in 64 bits, or there is no slot.
inline constexpr detail::solve_chain_in_slots_fn solve_chain_in_slots{};

}  // namespace repebble::inline v0

#endif
