#ifndef REPEBBLE_RECOMPUTE_CHAIN_PLAN_OPTIONS_HPP
#define REPEBBLE_RECOMPUTE_CHAIN_PLAN_OPTIONS_HPP

/// Options of `chain_plan`.

#include <cstddef>
#include <optional>

#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/mirror_counts.hpp>
#include <repebble/recompute/segment_cuts.hpp>

namespace repebble::inline v0 {

/// What is asked of a plan by the stages of a chain.
struct chain_plan_options {
    std::optional<bytes> budget{};    ///< least overhead within so many bytes of replayed peak; none: the least peak
    bool nearest = false;             ///< where no plan fits, return the one that needs least
    segment_candidates candidates{};  ///< where stages may end
    std::size_t tapes = 16;           ///< ways in which a stage may save, tried beside one another
    bool drop_saved_inputs = true;    ///< as of `chain_options`; not where memory is counted in slots
    /// Chains of more stages are solved in slots.
    std::size_t exact_stages = 150;
    std::size_t slots = 2000;       ///< at most: down to half of them where sizes are whole numbers of those then
    std::size_t most_stages = 400;  ///< of more cuts some are left out, at equal distances
    /// So many lengths of stages are tried beside one another: from one cut on, or as few as `most_stages` allows.
    std::size_t most_cuts = 5;
    forward_order order = forward_order::by_index;
    std::size_t threads = 1;  ///< the plan is the same for any number
};

}  // namespace repebble::inline v0

#endif
