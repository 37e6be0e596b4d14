#ifndef REPEBBLE_CHAINS_SOLVE_CHAIN_HPP
#define REPEBBLE_CHAINS_SOLVE_CHAIN_HPP

// The exact solver for chains of stages: the dynamic program of Beaumont et al. 2019, section 4, over Pareto curves of
// memory and overhead in place of a table of memory slots (detail/frontier). Used by recompute's chain baseline
// (detail/chain_stages) on short chains.
// Invariant: curves have ascending budgets and strictly descending times.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/chains/budget_and_time.hpp>
#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_action.hpp>
#include <repebble/chains/detail/frontier/pareto_curve.hpp>
#include <repebble/chains/detail/frontier/pareto_table.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// Options of `solve_chain`.
struct chain_options {
    memory_test test = memory_test::tight;  ///< how the bytes of a plan are counted
    /// The input of a stage with a tape may be discarded, and is recomputed just before the stage runs backward. The
    /// search takes two to three times longer.
    bool drop_saved_inputs = false;
    std::optional<bytes> budget{};  ///< the curve ends here
    /// Tolerance: how much longer than the least time a plan may take, as a share of it; 0: exact. Helps chains with
    /// very many different sizes.
    double epsilon = 0;
    std::size_t point_limit = 100'000'000;  ///< on all curves, and on their points together, 16 bytes each
};

/// The trade-off curve of a chain, time by budget, with a plan for each of its points.
class chain_frontier {
  public:
    /// Solves the chain for all budgets.
    chain_frontier(chain of, chain_options const& options);
    /// Nothing where the curves have more points than the options allow, or where stop(), asked after each curve,
    /// returns true.
    [[nodiscard]] static auto within(chain of, chain_options const& options,
                                     detail::stop_test stop = detail::never_stop{}) -> std::optional<chain_frontier>;
    /// The breakpoints; budgets include the chain's input. Empty where no plan fits.
    [[nodiscard]] auto curve() const noexcept -> std::vector<budget_and_time> const& { return curve_; }
    /// The time of the plan for a budget; nothing where no plan fits. O(log points).
    [[nodiscard]] auto time_within(bytes budget) const -> std::optional<std::int64_t> {
        return detail::time_at(curve_, budget);
    }
    /// A lower bound on the time of all plans of the kind searched; nothing where none fits.
    [[nodiscard]] auto lower_bound(bytes budget) const -> std::optional<std::int64_t> {
        return detail::time_at(epsilon_ > 0 ? below_ : curve_, budget);
    }
    /// A plan that takes `time_within(budget)`; nothing where no plan fits.
    [[nodiscard]] auto actions_within(bytes budget) const -> std::optional<chain_actions> {
        if (!time_within(budget)) return std::nullopt;
        return table_->actions_within(std::min(budget, curve_.back().budget) - chain_->input);
    }
    /// The largest gap between a time of the curve and its lower bound, as a share of the bound; 0: the curve is exact.
    [[nodiscard]] auto epsilon() const noexcept -> double { return epsilon_; }

  private:
    explicit chain_frontier(chain of)
        : chain_(std::make_unique<chain const>(std::move(of))),
          sums_(std::make_unique<detail::chain_sums const>(*chain_)) {}

    /// Returns false where curves have more points than the options allow, or where it was stopped.
    [[nodiscard]] auto solve(chain_options const& options, detail::stop_test stop) -> bool;

    static constexpr bytes most_bytes = std::numeric_limits<bytes>::max() - 1;

    [[nodiscard]] auto curve_of(detail::pareto_table const& table) const -> std::vector<budget_and_time>;
    [[nodiscard]] auto largest_gap() const -> double;

    std::unique_ptr<chain const> chain_;              // read by sums_
    std::unique_ptr<detail::chain_sums const> sums_;  // read by table_
    std::unique_ptr<detail::pareto_table const> table_;
    std::vector<budget_and_time> curve_, below_;
    double epsilon_ = 0;
};

/// Least time to train a chain, for all budgets at once and without rounding of bytes (Beaumont et al. 2019, section
/// 4). Optimal among persistent schedules: a checkpoint is kept until its stage has run backward. Inputs of stages with
/// a tape are the exception where `drop_saved_inputs`; such an input is recomputed only when all later stages have run
/// backward.
///
/// Takes L stages. Worst case O(L³ p) time and O(L² p) space, where p is the number of points of a curve; most points
/// are skipped. Equal subchains are solved once: with k runs of equal stages O(k² L) subchains instead of L². With
/// `epsilon`, p is small and the program runs twice.
/// Returns a chain_frontier. Throws bad_graph where there is no stage, bad_weight where a size, time, budget or epsilon
/// is negative or a sum does not fit in 64 bits, limit_reached where the curves have more than `point_limit` points.
[[nodiscard]] inline auto solve_chain(chain of, chain_options const& options = {}) -> chain_frontier {
    return {std::move(of), options};
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/chains/solve_chain.ipp>
#endif

#endif
