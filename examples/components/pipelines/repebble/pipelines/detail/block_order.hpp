#ifndef REPEBBLE_PIPELINES_DETAIL_BLOCK_ORDER_HPP
#define REPEBBLE_PIPELINES_DETAIL_BLOCK_ORDER_HPP

// Orders by a block that repeats: when each stage's passes would run for a microbatch, and the same for the next one a
// period later (Qi, Wan, Amar, Lin, "Pipeline parallelism with controllable memory", 2024). Passes of a block may
// overlap here: a rank runs them by these times one after the other, so that blocks fit times that are not equal.

#include <cstddef>
#include <vector>

#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/pipeline_schedule.hpp>

namespace repebble::inline v0::detail {

/// A block: how much later than its end of the pass before each pass begins. Groups of stages with a factor of their
/// own: those that one walk through the ranks has, and those where the next walk begins.
struct pass_block {
    std::vector<double>
        forward;  ///< by group: begins of neighbours' forward passes differ by so often the first's time
    std::vector<double> backward;  ///< the same of gradients of inputs
    double turn = 1;               ///< of the last stage's gradients, in its forward passes
    double period = 1;             ///< of the longest work of a rank for a microbatch
};

/// The number of groups: factors in `forward`, and in `backward`.
[[nodiscard]] auto block_groups(pipeline const& p) -> std::size_t;

/// Forward passes and gradients of inputs of each rank in the order of a block's times. No passes wait for each other.
/// Requires: factors are not negative.  O(passes · log passes).
[[nodiscard]] auto make_block_order(pipeline const& p, pass_block const& block) -> pass_orders;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/block_order.ipp>
#endif

#endif
