#ifndef REPEBBLE_LOWER_SETS_OBJECTIVE_HPP
#define REPEBBLE_LOWER_SETS_OBJECTIVE_HPP

// The two goals of lower-set strategies, Kusumoto et al. 2019, section 4.4. An option of all searches in this room and
// of the strategies in recompute/.

#include <cstdint>

namespace repebble::inline v0 {

/// The goal of a lower-set strategy.
enum class objective : std::uint8_t {
    time,    ///< time-centric: the least overhead
    memory,  ///< memory-centric: the greatest overhead, from which liveness analysis gains most
};

}  // namespace repebble::inline v0

#endif
