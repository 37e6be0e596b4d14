#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_DUAL_ASCENT_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_DUAL_ASCENT_IPP

#include <repebble/planner/detail/bounds/several_cuts/dual_ascent.hpp>

#include <numeric>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto dual_optimum::most_fractional(planning_model const& m, multi_cut_relaxation const& chain) const
    -> std::optional<std::size_t> {
    std::optional<std::size_t> found;
    double most = -1;
    for (std::size_t h = 0; h < kept_fraction.size(); ++h) {
        auto const size = static_cast<double>(m.sizes[chain.checkpoints()[h].value]);
        auto const worth = size * kept_fraction[h] * (m.effort.fraction_above_one - kept_fraction[h]);
        if (worth <= most) continue;
        most = worth;
        found = h;
    }
    return found;
}

REPEBBLE_INLINE auto dual_ascent::by_subgradients(std::vector<double> multipliers, std::size_t steps, target_ref target,
                                   see_ref visit, stop_test stop) -> dual_optimum {
    auto const memory = effort_.kept_memory;
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
        if (!keep(value, multipliers, now)) patience *= effort_.ascent_patience;
        auto const steep = std::inner_product(slope.begin(), slope.end(), slope.begin(), 0.0);
        if (steep <= 0) break;
        auto const length = patience * missing(target(), value) / steep;
        for (std::size_t r = 0; r < slope.size(); ++r) multipliers[r] = limited(multipliers[r] + length * slope[r]);
    }
    for (auto& share : top_.kept_fraction) share /= weight;
    return std::move(top_);
}

REPEBBLE_INLINE auto dual_ascent::evaluate(std::span<double const> multipliers, see_ref visit) -> relaxed_choice {
    auto now = choice_at(capacities_, chain_, multipliers, scale_);
    ++flows_;
    top_.feasible = now.choice.feasible;
    if (!top_.feasible) return now;
    visit(now);
    if (now.lower_bound > 0) top_.bound = std::max(top_.bound, scale_.rounded_up(now.lower_bound));
    return now;
}

REPEBBLE_INLINE auto dual_ascent::keep(double value, std::vector<double> const& multipliers, relaxed_choice& now) -> bool {
    if (value <= top_.value) return false;
    top_.value = value;
    top_.multipliers = multipliers;
    top_.choice = std::move(now.choice);
    return true;
}

}  // namespace repebble::inline v0::detail

#endif
