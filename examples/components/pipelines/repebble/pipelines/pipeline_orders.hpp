#ifndef REPEBBLE_PIPELINES_PIPELINE_ORDERS_HPP
#define REPEBBLE_PIPELINES_PIPELINE_ORDERS_HPP

// Orders of passes from the literature, which need no times: 1F1B, interleaved or not, and one microbatch after the
// other. `plan_pipeline` starts from them; those that hang on times and budgets it makes itself.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/pipeline_schedule.hpp>

namespace repebble::inline v0 {

/// How an order of 1F1B is made.
struct one_forward_one_backward_options {
    pass_kind backward = pass_kind::backward;  ///< or input_gradient: gradients of weights are left out
    std::size_t slope = 1;                     ///< forward passes more before the first backward pass, rank by rank
    /// Most of them: less memory, and more idle time.
    std::size_t most_in_flight = std::numeric_limits<std::size_t>::max();
};

/// 1F1B: rank i of p runs p - i forward passes, then backward and forward passes in turn (Narayanan et al., PipeDream-
/// Flush, 2021); with v stages a rank, which go round the ranks, interleaved: 2 (p - i - 1) + (v - 1) p + 1 forward
/// passes first, in groups of p microbatches (Narayanan et al. 2021, section 2.2). Empty where stages do not lie so, or
/// where they are interleaved and the microbatches are no multiple of the ranks. O(passes).
[[nodiscard]] auto make_one_forward_one_backward(pipeline const& p,
                                                 one_forward_one_backward_options const& options = {})
    -> std::optional<pass_orders>;

/// One microbatch after the other: no order needs fewer bytes on any rank, and few take longer.  O(passes).
[[nodiscard]] auto make_one_at_a_time(pipeline const& p) -> pass_orders;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/pipeline_orders.ipp>
#endif

#endif
