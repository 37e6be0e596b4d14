#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_DUAL_ASCENT_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_DUAL_ASCENT_HPP

// Maximizes the Lagrangian dual of several cuts over the multipliers of their capacities, by subgradients (Held, Karp
// 1971). Each step is one maximum flow. The bound is that of integer multipliers, and exact.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp>
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
        -> std::optional<std::size_t>;
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
        : effort_(capacities.decided().model().effort),
          capacities_(capacities),
          chain_(chain),
          scale_(scale),
          flows_(flows) {}

    /// Subgradient method with Polyak's step length towards the target. Fractions are exponential averages. The first
    /// step is made in any case.
    [[nodiscard]] auto by_subgradients(std::vector<double> multipliers, std::size_t steps, target_ref target,
                                       see_ref visit, stop_test stop) -> dual_optimum;

  private:
    void begin() {
        top_ = {};
        top_.kept_fraction.assign(chain_.checkpoints().size(), 0.0);
    }
    auto evaluate(std::span<double const> multipliers, see_ref visit) -> relaxed_choice;
    /// Stores the multipliers, if their value is the best so far; returns whether it is.
    auto keep(double value, std::vector<double> const& multipliers, relaxed_choice& now) -> bool;
    [[nodiscard]] auto missing(std::int64_t target, double value) const -> double {
        return std::max(1.0, std::min(static_cast<double>(target) - value, scale_.time / effort_.ascent_most_part));
    }
    [[nodiscard]] auto limited(double multiplier) const -> double {
        return std::clamp(multiplier, 0.0, effort_.ascent_highest * scale_.time);
    }

    effort const& effort_;
    capacity_rows const& capacities_;
    multi_cut_relaxation const& chain_;
    multiplier_scale const& scale_;
    std::size_t& flows_;
    dual_optimum top_;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/several_cuts/dual_ascent.ipp>
#endif

#endif
