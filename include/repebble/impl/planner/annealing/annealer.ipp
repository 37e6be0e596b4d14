#ifndef REPEBBLE_IMPL_PLANNER_ANNEALING_ANNEALER_IPP
#define REPEBBLE_IMPL_PLANNER_ANNEALING_ANNEALER_IPP

#include <repebble/planner/detail/annealing/annealer.hpp>

#include <algorithm>
#include <cmath>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE annealer::annealer(planning_model const& m, std::span<operation_index const> start, bytes budget,
                                   std::uint64_t seed, move_rules const& rules)
    : moves_(m, start, budget, seed, rules), excess_(moves_.now().excess()) {
    auto const n = std::max<std::size_t>(1, m.operation_count());
    mean_ = std::max(1.0, static_cast<double>(m.time_once) / static_cast<double>(n));
    penalty_ = mean_ / std::max(1.0, static_cast<double>(budget) / 200);
    keep_best();
}

REPEBBLE_INLINE void annealer::run(std::size_t moves, temperature_range const& temperatures, double share) {
    constexpr std::size_t window = 256;
    double const temperature = mean_ * temperatures.hot * std::pow(temperatures.cold / temperatures.hot, share);
    for (std::size_t k = 0; k < moves; ++k) {
        move(temperature);
        if (excess_ > 0) ++outside_;
        if (++in_window_ < window) continue;
        if (outside_ > window * 6 / 10) penalty_ *= 1.1;
        if (outside_ < window * 3 / 10) penalty_ /= 1.1;
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
    if (since_copy_ * 64 < moves_.now().size() && moves_.now().size() > 4096) return;
    since_copy_ = 0;
    best_time_ = moves_.now().time();
    best_ = moves_.now().operations();
}

}  // namespace repebble::inline v0::detail

#endif
