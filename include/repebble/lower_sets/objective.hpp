#ifndef REPEBBLE_LOWER_SETS_OBJECTIVE_HPP
#define REPEBBLE_LOWER_SETS_OBJECTIVE_HPP

#include <cstdint>

namespace repebble::inline v0 {

/// What a lower-set strategy is for (Kusumoto et al. 2019, section 4.4).
enum class objective : std::uint8_t {
    time,    ///< time-centric: the least overhead
    memory,  ///< memory-centric: the greatest overhead, for liveness to gain most from
};

}  // namespace repebble::inline v0

#endif
