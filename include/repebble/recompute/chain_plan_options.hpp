#ifndef REPEBBLE_RECOMPUTE_CHAIN_PLAN_OPTIONS_HPP
#define REPEBBLE_RECOMPUTE_CHAIN_PLAN_OPTIONS_HPP

// Options of `chain_plan`, apart from it, so that detail/chain_stages/ can use them.

#include <cstddef>

#include <repebble/graph/quantity.hpp>
#include <repebble/graph/limits.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/recompute/plan_mirrors.hpp>
#include <repebble/recompute/segment_cuts.hpp>

namespace repebble::inline v0 {

/// Options of a plan by the stages of a chain.
struct chain_plan_options {
    objective goal = objective::time;  ///< memory: the least peak, which must fit the budget
    bool nearest = false;              ///< where no plan fits, return the one of least peak
    segment_candidates candidates{};   ///< where stages may end
    bool narrow_places = false;        ///< tries stages that end at narrow places, too
    std::size_t tapes = 16;           ///< greatest number of tapes (choices of saved values) of a stage
    bool drop_saved_inputs = true;    ///< as in `chain_options`; unused where memory is counted in slots
    /// Greatest number of stages solved exactly; longer chains are solved in slots.
    std::size_t exact_stages = 150;
    std::size_t slots = 2000;       ///< at most; as few as half where sizes are then whole multiples of a slot
    std::size_t most_stages = 400;  ///< of more cuts a subset is used, at equal distances
    /// Number of stage lengths (in cuts) that are tried: from 1 on, or from the least that `most_stages` allows.
    std::size_t most_cuts = 5;
    order_rule order = order_rule::by_index;        ///< of the forward operations
    std::size_t threads = 1;                        ///< the plan does not depend on it
    repebble::limits limits{};                      ///< at whose end no other stages are tried; `work` is not counted
};

}  // namespace repebble::inline v0

#endif
