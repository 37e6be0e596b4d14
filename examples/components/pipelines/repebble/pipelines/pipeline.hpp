#ifndef REPEBBLE_PIPELINES_PIPELINE_HPP
#define REPEBBLE_PIPELINES_PIPELINE_HPP

// What is planned: ranks, stages with their passes, and the choices of what each keeps of a microbatch. Invariant, by
// `check_pipeline`: no later choice of a stage needs more bytes at any time, so that the last ones of all need least.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// What a stage keeps of a microbatch, and what it computes again for that: a point of its Pareto curve. Bytes are all
/// that the microbatch takes on the rank at that time, the input of the stage included; where a pass has fewer than
/// what is kept before or after it, it takes that.
struct stage_choice {
    std::int64_t recomputation{};  ///< time units of computing again, right before the gradients of inputs
    bytes kept = 0;                ///< from the end of the forward pass on
    bytes in_forward = 0;          ///< most during the forward pass
    bytes in_backward = 0;         ///< most while values are computed again, and gradients of inputs
    bytes for_weights = 0;         ///< from the end of the gradients of inputs to the end of those of weights

    friend auto operator==(stage_choice const&, stage_choice const&) -> bool = default;
};

/// A part of a network, and the rank on which it lies. Its passes take so long for each microbatch.
struct pipeline_stage {
    std::size_t rank = 0;            ///< where it lies, from 0
    std::int64_t forward{};          ///< time units of the forward pass
    std::int64_t input_gradient{};   ///< of the gradients of its inputs, without what is computed again
    std::int64_t weight_gradient{};  ///< of the gradients of its weights
    std::int64_t transfer{};         ///< until the next stage has its output, and until it has the next one's gradients
    bytes constant = 0;              ///< always there: weights, their gradients, states of the optimizer
    std::vector<stage_choice> choices{stage_choice{}};  ///< from the fastest to the one of least bytes

    friend auto operator==(pipeline_stage const&, pipeline_stage const&) -> bool = default;
};

/// Stages in a row, each of which reads the one before it, on ranks that work at the same time. Every microbatch goes
/// forward through all, then back. What arrives from another rank is counted from the pass on that reads it.
struct pipeline {
    std::size_t ranks = 1;                 ///< devices
    std::size_t microbatches = 1;          ///< in a training step
    std::vector<pipeline_stage> stages{};  ///< in the order of the forward pass

    friend auto operator==(pipeline const&, pipeline const&) -> bool = default;
};

/// The rank of a stage where stages go round the ranks: 0 1 2 0 1 2.  Requires: ranks > 0.
[[nodiscard]] constexpr auto rank_in_loop(std::size_t stage, std::size_t ranks) -> std::size_t { return stage % ranks; }
/// The rank of a stage where stages go there and back: 0 1 2 2 1 0.  Requires: ranks > 0.
[[nodiscard]] constexpr auto rank_in_v(std::size_t stage, std::size_t ranks) -> std::size_t {
    return stage / ranks % 2 == 0 ? stage % ranks : ranks - 1 - stage % ranks;
}

/// Throws bad_weight where a time or a number of bytes is negative or their sums do not fit in 64 bits, bad_graph where
/// there is no rank, stage, microbatch or choice, where a stage lies on no rank, or where a choice needs more bytes
/// than the one before it or less time. The message names the stage.  O(choices).
void check_pipeline(pipeline const& p);

namespace detail {

/// Most bytes of a microbatch while its forward pass runs, and its gradients of inputs.
[[nodiscard]] constexpr auto bytes_in_forward(stage_choice const& c) { return std::max(c.in_forward, c.kept); }
[[nodiscard]] constexpr auto bytes_in_backward(stage_choice const& c) {
    return std::max({c.in_backward, c.kept, c.for_weights});
}

/// Time units of all passes of a stage for a microbatch, nothing computed again.
[[nodiscard]] constexpr auto time_once(pipeline_stage const& s) {
    return s.forward + s.input_gradient + s.weight_gradient;
}

}  // namespace detail

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/pipeline.ipp>
#endif

#endif
