#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_TEMPERATURE_RANGE_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_TEMPERATURE_RANGE_HPP

// How hot a walk of the annealer (`annealer.hpp`) begins and ends.

namespace repebble::inline v0::detail {

/// Temperatures of a walk; they fall exponentially.
struct temperature_range {
    double hot;   ///< first temperature, in mean times of an operation
    double cold;  ///< last temperature
};

}  // namespace repebble::inline v0::detail

#endif
