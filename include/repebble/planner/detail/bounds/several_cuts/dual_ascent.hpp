#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_DUAL_ASCENT_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_DUAL_ASCENT_HPP

// Maximizes the Lagrangian dual of several cuts over the multipliers of their capacities, by subgradients (Held, Karp
// 1971). Each step is one maximum flow. The bound is that of integer multipliers, and exact.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/bounds/several_cuts/capacity_rows.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multiplier_scale.hpp>
#include <repebble/planner/detail/bounds/several_cuts/relaxed_choice.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// The best multipliers, and the solutions met on the way.
struct dual_optimum {
    bool feasible = true;
    std::int64_t bound = 0;  ///< on the overhead, in whole time units
    double value = -std::numeric_limits<double>::infinity();
    std::vector<double> multipliers{};  ///< multiplier of the whole capacity of each cut; empty where no step was made
    multi_cut_relaxation::answer choice{};  ///< the relaxed solution at these multipliers
    std::vector<double> kept_fraction{};    ///< by checkpoint of the relaxation: how often it is kept, a share

    /// Returns the checkpoint of a large value with a share near a half; nothing where there is none.  O(checkpoints).
    [[nodiscard]] auto most_fractional(planning_model const& m, multi_cut_relaxation const& chain) const
        -> std::optional<std::size_t> {
        std::optional<std::size_t> found;
        double most = -1;
        for (std::size_t h = 0; h < kept_fraction.size(); ++h) {
            auto const size = static_cast<double>(m.sizes[chain.checkpoints()[h].value]);
            auto const worth = size * kept_fraction[h] * (1.001 - kept_fraction[h]);
            if (worth <= most) continue;
            most = worth;
            found = h;
        }
        return found;
    }
};

/// One ascent: at most `steps` steps, until the bound is target(), or until `stop()` returns true. Calls visit(choice)
/// for each relaxed solution.
class dual_ascent {
  public:
    using target_ref = function_ref<std::int64_t()>;            ///< returns the bound to reach
    using see_ref = function_ref<void(relaxed_choice const&)>;  ///< is called for each relaxed solution

    /// Refers to all of them.  `flows`: counts the maximum flows.
    dual_ascent(capacity_rows const& capacities, multi_cut_relaxation const& chain, multiplier_scale const& scale,
                std::size_t& flows)
        : capacities_(capacities), chain_(chain), scale_(scale), flows_(flows) {}

    /// Subgradient method with Polyak's step length towards the target. Fractions are exponential averages. The first
    /// step is made in any case.
    [[nodiscard]] auto by_subgradients(std::vector<double> multipliers, std::size_t steps, target_ref target,
                                       see_ref visit, stop_test stop) -> dual_optimum {
        constexpr double memory = 0.8;  // weight of earlier solutions
        begin();
        if (chain_.checkpoints().empty()) multipliers.assign(capacities_.count(), 0);  // no capacity can be exceeded
        std::vector<double> slope(capacities_.count());
        double weight = 0, patience = 1;
        for (std::size_t step = 0; step < steps && (step == 0 || !stop()); ++step) {
            auto now = evaluate(multipliers, visit);
            if (!top_.feasible || top_.bound >= target()) return std::move(top_);
            for (std::size_t r = 0; r < slope.size(); ++r) {
                slope[r] = static_cast<double>(now.choice.used[r]) / capacities_.positive(r) - 1;
                if (slope[r] < 0 && multipliers[r] <= 0) slope[r] = 0;
            }
            weight = weight * memory + 1;
            for (std::size_t h = 0; h < top_.kept_fraction.size(); ++h)
                top_.kept_fraction[h] = top_.kept_fraction[h] * memory + (now.choice.is_kept[h] ? 1 : 0);
            auto const value = scale_.unscaled(now.lower_bound);
            if (!keep(value, multipliers, now)) patience *= 0.9;
            auto const steep = std::inner_product(slope.begin(), slope.end(), slope.begin(), 0.0);
            if (steep <= 0) break;
            auto const length = patience * missing(target(), value) / steep;
            for (std::size_t r = 0; r < slope.size(); ++r) multipliers[r] = limited(multipliers[r] + length * slope[r]);
        }
        for (auto& share : top_.kept_fraction) share /= weight;
        return std::move(top_);
    }

  private:
    void begin() {
        top_ = {};
        top_.kept_fraction.assign(chain_.checkpoints().size(), 0.0);
    }
    auto evaluate(std::span<double const> multipliers, see_ref visit) -> relaxed_choice {
        auto now = choice_at(capacities_, chain_, multipliers, scale_);
        ++flows_;
        top_.feasible = now.choice.feasible;
        if (!top_.feasible) return now;
        visit(now);
        if (now.lower_bound > 0) top_.bound = std::max(top_.bound, scale_.rounded_up(now.lower_bound));
        return now;
    }
    /// Stores the multipliers, if their value is the best so far; returns whether it is.
    auto keep(double value, std::vector<double> const& multipliers, relaxed_choice& now) -> bool {
        if (value <= top_.value) return false;
        top_.value = value;
        top_.multipliers = multipliers;
        top_.choice = std::move(now.choice);
        return true;
    }
    [[nodiscard]] auto missing(std::int64_t target, double value) const -> double {
        return std::max(1.0, std::min(static_cast<double>(target) - value, scale_.time / 8));
    }
    [[nodiscard]] auto limited(double multiplier) const -> double {
        return std::clamp(multiplier, 0.0, 2 * scale_.time);
    }

    capacity_rows const& capacities_;
    multi_cut_relaxation const& chain_;
    multiplier_scale const& scale_;
    std::size_t& flows_;
    dual_optimum top_;
};

}  // namespace repebble::inline v0::detail

#endif
