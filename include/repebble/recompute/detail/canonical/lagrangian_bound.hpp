#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_LAGRANGIAN_BOUND_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_LAGRANGIAN_BOUND_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include <repebble/detail/position_bits.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/detail/canonical/positional_values.hpp>

namespace repebble::inline v0::detail {

/// A bound on the overhead of every canonical schedule within a budget, by what lies there when the first gradient
/// runs.
///
/// Every operation that feeds gradients is then computed again, or what gradients read of it is resident; and where one
/// is computed again, so is each that it reads from, or what it reads is resident. For any price ≥ 0 of a resident
/// byte, overhead ≥ overhead + price · (resident − budget), and that has a bound for each operation by itself: it costs
/// g = min(price · its bytes, its time + what it reads costs), where operations that feed no gradient share their g
/// among their readers, which may each have to pay for them, and the others are paid for by themselves. The sum of g
/// over those that feed gradients, less price · budget, is the bound. What lies in a lower set that is done with costs
/// what it cost: its overhead and price · its cache; the rest is as before.
template <quantity Time>
class lagrangian_bound {
  public:
    using word = position_bits::word;

    /// Takes the price for which the bound is greatest. Refers to `values`.  O(n + m).
    lagrangian_bound(positional_values<Time> const& values, bytes budget)
        : values_(&values),
          budget_(static_cast<double>(budget)),
          held_(values.size(), 0),
          shares_(values.size(), 1),
          cost_(values.size(), 0),
          reduced_(values.size(), 0) {
        for (std::size_t p = 0; p < values.size(); ++p) {
            held_[p] = static_cast<double>(bytes_held(p));
            auto const readers = values.problem().graph().successors(p).size();
            shares_[p] = static_cast<double>(std::max<std::size_t>(1, readers * values.writes(p).size()));
        }
        std::vector<word> const nothing(values.words(), 0);
        double low = 0;
        double high = dearest();
        constexpr int halvings = 80;
        for (int k = 0; k < halvings; ++k) {
            double const third = (high - low) / 3;
            if (least_at(low + third, nothing.data()) < least_at(high - third, nothing.data())) {
                low += third;
            } else {
                high -= third;
            }
        }
        price_ = (low + high) / 2;
        if (least_at(price_, nothing.data()) < 0) price_ = 0;
    }

    /// What no schedule within the budget goes below; at most T(V).
    [[nodiscard]] auto overhead() -> Time {
        std::vector<word> const nothing(values_->words(), 0);
        double const least = after(nothing.data()) * (1 - 1e-9);
        Time const whole = values_->time();
        return least < static_cast<double>(whole) ? static_cast<Time>(std::max(0.0, least)) : whole;
    }
    /// Of a resident byte, in time units.
    [[nodiscard]] auto price() const -> double { return price_; }
    /// A bound on the overhead of what follows a lower set, and price · what it caches, less price · budget.  O(n + m).
    [[nodiscard]] auto after(word const* set) -> double { return least_at(price_, set); }
    /// By how much the last bound that was asked for rises where p is computed again.
    [[nodiscard]] auto rise(std::size_t p) const -> double { return reduced_[p]; }

  private:
    [[nodiscard]] auto bytes_held(std::size_t p) const -> bytes {
        if (values_->feeds_gradients(p)) return values_->bytes_for_gradients(p);
        std::optional<bytes> least;
        for (auto const x : values_->writes(p))
            least = std::min(least.value_or(values_->bytes_of(x)), values_->bytes_of(x));
        return least.value_or(0);
    }
    /// A price beyond which all would be computed again.
    [[nodiscard]] auto dearest() const -> double {
        double whole = 0;
        double least = 0;
        for (std::size_t p = 0; p < values_->size(); ++p) {
            whole += static_cast<double>(values_->time(p));
            if (held_[p] > 0) least = least > 0 ? std::min(least, held_[p]) : held_[p];
        }
        return least > 0 ? whole / least : 0;
    }
    auto least_at(double price, word const* set) -> double {
        double sum = 0;
        for (std::size_t p = 0; p < values_->size(); ++p) {
            reduced_[p] = cost_[p] = 0;
            if (position_bits::has(set, p)) continue;
            auto again = static_cast<double>(values_->time(p));
            for (auto const x : values_->reads(p)) {
                auto const q = values_->home(x);
                if (!values_->feeds_gradients(q)) again += cost_[q] / shares_[q];
            }
            double const hold = price * held_[p];
            cost_[p] = values_->problem().pinned(p) ? hold : std::min(hold, again);
            if (!values_->feeds_gradients(p)) continue;
            sum += cost_[p];
            reduced_[p] = std::max(0.0, again - hold);
        }
        // Both are rounded, and may be far greater than their difference.
        constexpr double rounding = 1e-12;
        return sum - price * budget_ - rounding * (sum + price * std::abs(budget_));
    }

    positional_values<Time> const* values_;
    double budget_;
    double price_ = 0;
    std::vector<double> held_, shares_, cost_, reduced_;  // per position
};

}  // namespace repebble::inline v0::detail

#endif
