#ifndef REPEBBLE_IMPL_PLANNER_ANNEALING_ANNEALER_IPP
#define REPEBBLE_IMPL_PLANNER_ANNEALING_ANNEALER_IPP

#include <repebble/planner/detail/annealing/annealer.hpp>

#include <algorithm>
#include <cmath>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE annealer::annealer(planning_model const& m, std::span<operation_index const> start, bytes budget,
                                   std::uint64_t seed, move_rules const& rules)
    : effort_(m.effort), moves_(m, start, budget, seed, rules), excess_(moves_.now().excess()) {
    auto const n = std::max<std::size_t>(1, m.operation_count());
    mean_ = std::max(1.0, static_cast<double>(m.time_once) / static_cast<double>(n));
    penalty_ = mean_ / std::max(1.0, static_cast<double>(budget) / effort_.penalty_part);
    keep_best();
}

REPEBBLE_INLINE void annealer::run(std::size_t moves, temperature_range const& temperatures, double share) {
    auto const window = effort_.penalty_window;
    auto const of_window = [&](double part) { return static_cast<std::size_t>(part * static_cast<double>(window)); };
    auto const most_outside = of_window(effort_.most_outside), least_outside = of_window(effort_.least_outside);
    double const temperature = mean_ * temperatures.hot * std::pow(temperatures.cold / temperatures.hot, share);
    for (std::size_t k = 0; k < moves; ++k) {
        move(temperature);
        if (excess_ > 0) ++outside_;
        if (++in_window_ < window) continue;
        if (outside_ > most_outside) penalty_ *= effort_.penalty_factor;
        if (outside_ < least_outside) penalty_ /= effort_.penalty_factor;
        in_window_ = outside_ = 0;
    }
    since_copy_ = moves_.now().size();
    keep_best();
}

REPEBBLE_INLINE void annealer::move(double temperature) {
    // The acceptance limit is drawn before the move, so that a slow move can end early.
    double const most = cost(excess_) - temperature * std::log(1 - moves_.random().fraction());
    if (!moves_.make(excess_ > 0, most)) return;
    auto const excess = moves_.now().excess();
    if (cost(excess) > most) {
        moves_.undo();
        return;
    }
    excess_ = excess;
    keep_best();
}

REPEBBLE_INLINE void annealer::keep_best() {
    ++since_copy_;
    if (excess_ > 0 || moves_.now().time() >= best_time_) return;
    auto const steps = moves_.now().size();
    if (since_copy_ * effort_.copy_part < steps && steps > effort_.long_sequence) return;
    since_copy_ = 0;
    best_time_ = moves_.now().time();
    best_ = moves_.now().operations();
}

}  // namespace repebble::inline v0::detail

#endif
