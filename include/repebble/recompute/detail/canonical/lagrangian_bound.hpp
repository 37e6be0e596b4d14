#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_LAGRANGIAN_BOUND_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_LAGRANGIAN_BOUND_HPP

// Lagrangian relaxation of the budget: a lower bound on the overhead of all canonical schedules, from the values that
// are resident when the first gradient runs. canonical_search starts its windows at it; segment_arcs and segment_growth
// prune by its reduced costs.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include <repebble/detail/position_bits.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/detail/canonical/positional_values.hpp>

namespace repebble::inline v0::detail {

/// A lower bound on the overhead of every canonical schedule within a budget.
///
/// When the first gradient runs, every operation that feeds gradients is recomputed later, or its outputs that
/// gradients read are resident; and an operation is recomputed only if each of its inputs is recomputed or resident
/// too. For any multiplier λ ≥ 0 of a resident byte, overhead ≥ overhead + λ · (resident − budget), and that has a
/// bound which separates by operation: it costs g = min(λ · its bytes, its time + the costs of its inputs), where
/// operations that feed no gradient share their g among their readers, which may each have to pay for them, and the
/// others are paid for by themselves. The sum of g over the operations that feed gradients, less λ · budget, is the
/// bound. A lower set that is completed costs its actual overhead and λ · its cache; the rest is bounded as before.
class lagrangian_bound {
  public:
    using word = position_bits::word;

    /// Chooses the multiplier with the greatest bound, by ternary search. Refers to `values`. O(n + m).
    lagrangian_bound(positional_values const& values, bytes budget)
        : values_(&values),
          budget_(static_cast<double>(budget)),
          kept_bytes_(values.size(), 0),
          shares_(values.size(), 1),
          cost_(values.size(), 0),
          reduced_(values.size(), 0) {
        for (std::size_t p = 0; p < values.size(); ++p) {
            kept_bytes_[p] = static_cast<double>(bytes_if_kept(p));
            auto const readers = values.problem().graph().successors(p).size();
            shares_[p] = static_cast<double>(std::max<std::size_t>(1, readers * values.writes(p).size()));
        }
        std::vector<word> const nothing(values.words(), 0);
        double low = 0;
        double high = greatest_multiplier();
        constexpr int halvings = 80;
        for (int k = 0; k < halvings; ++k) {
            double const third = (high - low) / 3;
            if (least_at(low + third, nothing.data()) < least_at(high - third, nothing.data())) {
                low += third;
            } else {
                high -= third;
            }
        }
        multiplier_ = (low + high) / 2;
        if (least_at(multiplier_, nothing.data()) < 0) multiplier_ = 0;
    }

    /// Lower bound on the overhead within the budget; at most T(V).
    [[nodiscard]] auto overhead() -> std::int64_t {
        std::vector<word> const nothing(values_->words(), 0);
        double const least = after(nothing.data()) * (1 - 1e-9);
        std::int64_t const whole = values_->time();
        return least < static_cast<double>(whole) ? static_cast<std::int64_t>(std::max(0.0, least)) : whole;
    }
    /// Multiplier of a resident byte, in time units.
    [[nodiscard]] auto multiplier() const -> double { return multiplier_; }
    /// Lower bound on the overhead of the remaining segments after a lower set plus λ · the bytes that they cache, less
    /// λ · budget. O(n + m).
    [[nodiscard]] auto after(word const* set) -> double { return least_at(multiplier_, set); }
    /// Rise of the last bound if p is recomputed (its reduced cost).
    [[nodiscard]] auto rise(std::size_t p) const -> double { return reduced_[p]; }

  private:
    [[nodiscard]] auto bytes_if_kept(std::size_t p) const -> bytes {
        if (values_->feeds_gradients(p)) return values_->bytes_for_gradients(p);
        std::optional<bytes> least;
        for (auto const x : values_->writes(p))
            least = std::min(least.value_or(values_->bytes_of(x)), values_->bytes_of(x));
        return least.value_or(0);
    }
    /// A multiplier beyond which recomputing every operation is cheaper.
    [[nodiscard]] auto greatest_multiplier() const -> double {
        double whole = 0;
        double least = 0;
        for (std::size_t p = 0; p < values_->size(); ++p) {
            whole += static_cast<double>(values_->time(p));
            if (kept_bytes_[p] > 0) least = least > 0 ? std::min(least, kept_bytes_[p]) : kept_bytes_[p];
        }
        return least > 0 ? whole / least : 0;
    }
    auto least_at(double multiplier, word const* set) -> double {
        double sum = 0;
        for (std::size_t p = 0; p < values_->size(); ++p) {
            reduced_[p] = cost_[p] = 0;
            if (position_bits::has(set, p)) continue;
            auto again = static_cast<double>(values_->time(p));
            for (auto const x : values_->reads(p)) {
                auto const q = values_->home(x);
                if (!values_->feeds_gradients(q)) again += cost_[q] / shares_[q];
            }
            double const keep = multiplier * kept_bytes_[p];
            cost_[p] = values_->problem().pinned(p) ? keep : std::min(keep, again);
            if (!values_->feeds_gradients(p)) continue;
            sum += cost_[p];
            reduced_[p] = std::max(0.0, again - keep);
        }
        // Both are rounded, and may be far greater than their difference.
        constexpr double rounding = 1e-12;
        return sum - multiplier * budget_ - rounding * (sum + multiplier * std::abs(budget_));
    }

    positional_values const* values_;
    double budget_;
    double multiplier_ = 0;
    std::vector<double> kept_bytes_, shares_, cost_, reduced_;  // per position
};

}  // namespace repebble::inline v0::detail

#endif
