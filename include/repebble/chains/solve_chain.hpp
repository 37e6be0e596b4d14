#ifndef REPEBBLE_CHAINS_SOLVE_CHAIN_HPP
#define REPEBBLE_CHAINS_SOLVE_CHAIN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_action.hpp>
#include <repebble/chains/detail/frontier/pareto_curve.hpp>
#include <repebble/chains/detail/frontier/pareto_table.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// From so many bytes on, so little time.
template <quantity Time = std::int64_t>
struct budget_and_time {
    bytes budget = 0;
    Time time{};

    friend auto operator==(budget_and_time const&, budget_and_time const&) -> bool = default;
};

namespace detail {

template <quantity Time>
[[nodiscard]] auto time_at(std::vector<budget_and_time<Time>> const& curve, bytes budget) -> std::optional<Time> {
    auto const after =
        std::partition_point(curve.begin(), curve.end(), [&](auto const& p) { return p.budget <= budget; });
    if (after == curve.begin()) return std::nullopt;
    return std::prev(after)->time;
}

}  // namespace detail

/// What is asked of plans for a chain.
struct chain_options {
    memory_test test = memory_test::tight;
    /// A stage that is saved may lose its input, which is computed again just before the stage runs backward. Costs
    /// about twice to three times the work.
    bool drop_saved_inputs = false;
    std::optional<bytes> budget{};  ///< more is of no interest
    /// What a plan may take longer than the best, as a share of its time; 0: nothing. Helps where there are very many
    /// different sizes.
    double epsilon = 0;
    std::size_t point_limit = 100'000'000;  ///< of all curves together, 16 bytes each
};

/// The least times of a chain for all budgets, and plans that have them.
template <quantity Time = std::int64_t>
class chain_frontier {
  public:
    chain_frontier(chain<Time> of, chain_options const& options)
        : chain_(std::make_unique<chain<Time> const>(std::move(of))),
          sums_(std::make_unique<detail::chain_sums<Time> const>(*chain_)) {
        if (!(options.epsilon >= 0))
            detail::raise(bad_weight("epsilon must not be negative: " + std::to_string(options.epsilon)));
        if (options.budget && *options.budget < 0)
            detail::raise(bad_weight("the budget must not be negative: " + std::to_string(*options.budget)));
        detail::pareto_table_options asked{.test = options.test,
                                           .drop_saved_inputs = options.drop_saved_inputs,
                                           .most = (options.budget ? *options.budget : most_bytes) - chain_->input,
                                           .point_limit = options.point_limit};
        // With a tolerance, too: curves are long where there are very many different sizes only.
        auto const exact_limit = options.epsilon > 0 ? options.point_limit / 3 : options.point_limit;
        try {
            asked.point_limit = exact_limit;
            table_ = std::make_unique<detail::pareto_table<Time> const>(*sums_, asked);
            curve_ = curve_of(*table_);
            return;
        } catch (limit_reached const&) {
            if (options.epsilon == 0) throw;
        }
        asked.point_limit = options.point_limit;
        for (asked.loss = options.epsilon / 2;; asked.loss /= 3) {
            asked.round = detail::rounding::down;
            below_ = curve_of(detail::pareto_table<Time>(*sums_, asked));
            asked.round = detail::rounding::up;
            table_ = std::make_unique<detail::pareto_table<Time> const>(*sums_, asked);
            curve_ = curve_of(*table_);
            epsilon_ = largest_gap();
            if (epsilon_ <= options.epsilon) return;
        }
    }

    /// Budgets, the chain's input included, ascending, with descending times; empty where no budget that is of interest
    /// suffices.
    [[nodiscard]] auto curve() const noexcept -> std::vector<budget_and_time<Time>> const& { return curve_; }
    /// Nothing where no plan fits.
    [[nodiscard]] auto time_within(bytes budget) const -> std::optional<Time> {
        return detail::time_at(curve_, budget);
    }
    /// No plan takes less time, of those that are of the kind searched; nothing where none fits.
    [[nodiscard]] auto lower_bound(bytes budget) const -> std::optional<Time> {
        return detail::time_at(epsilon_ > 0 ? below_ : curve_, budget);
    }
    /// The runs of stages of a plan that takes `time_within`. Nothing where no plan fits.
    [[nodiscard]] auto actions_within(bytes budget) const -> std::optional<chain_actions> {
        if (!time_within(budget)) return std::nullopt;
        return table_->actions_within(std::min(budget, curve_.back().budget) - chain_->input);
    }
    /// The largest share by which a time of the curve is above its lower bound; 0: all are the least.
    [[nodiscard]] auto epsilon() const noexcept -> double { return epsilon_; }

  private:
    static constexpr bytes most_bytes = std::numeric_limits<bytes>::max() - 1;

    [[nodiscard]] auto curve_of(detail::pareto_table<Time> const& table) const -> std::vector<budget_and_time<Time>> {
        std::vector<budget_and_time<Time>> all;
        for (auto const& p : table.root()) all.push_back({p.memory + chain_->input, sums_->time_once() + p.overhead});
        return all;
    }
    [[nodiscard]] auto largest_gap() const -> double {
        double gap = 0;
        auto const look = [&](bytes budget) {
            auto const least = detail::time_at(below_, budget);
            auto const found = detail::time_at(curve_, budget);
            if (found && *found > *least)
                gap =
                    std::max(gap, static_cast<double>(*found - *least) / std::max(1e-300, static_cast<double>(*least)));
        };
        for (auto const& p : curve_) look(p.budget);
        for (auto const& p : below_) look(p.budget);
        return gap;
    }

    std::unique_ptr<chain<Time> const> chain_;              // what the sums refer to
    std::unique_ptr<detail::chain_sums<Time> const> sums_;  // what the table refers to
    std::unique_ptr<detail::pareto_table<Time> const> table_;
    std::vector<budget_and_time<Time>> curve_, below_;
    double epsilon_ = 0;
};

namespace detail {

struct solve_chain_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(chain<Time> of, chain_options const& options = {}) const -> chain_frontier<Time> {
        return {std::move(of), options};
    }
};

}  // namespace detail

/// The least time of training a chain, for all budgets at once and without rounding of bytes: Beaumont et al. 2019,
/// section 4, on curves of Pareto points. Optimal among persistent schedules: what is kept is kept until its stage has
/// run backward, but for inputs of saved stages where `drop_saved_inputs`; such an input is made again only when all
/// stages behind have run backward. Parts of equal stages are solved once.
///
/// Takes L stages; O(L³ p) time in the worst case and O(L² p) space, p the points of a curve, of which most are passed
/// over; with k kinds of stages in runs O(k² L) parts instead of L². With `epsilon` p is small, and all is solved
/// twice. Throws bad_graph where there is no stage, bad_weight where a size, time, budget or epsilon is negative or a
/// sum does not fit in 64 bits, limit_reached where curves are too long.
inline constexpr detail::solve_chain_fn solve_chain{};

}  // namespace repebble::inline v0

#endif
