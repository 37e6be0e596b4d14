#ifndef REPEBBLE_PIPELINES_PIPELINE_SCHEDULE_HPP
#define REPEBBLE_PIPELINES_PIPELINE_SCHEDULE_HPP

// A schedule of a pipeline: the passes of each rank in their order, and the choice of each stage and microbatch. What
// every order makes and the judge takes.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace repebble::inline v0 {

/// What a pass of a stage computes for a microbatch.
enum class pass_kind : std::uint8_t {
    forward,          ///< its values
    input_gradient,   ///< the gradients of its inputs: the stage before it waits for them
    weight_gradient,  ///< the gradients of its weights, for which no stage waits
    backward,         ///< both as one pass
};

[[nodiscard]] constexpr auto to_string(pass_kind kind) -> char const* {
    switch (kind) {
        case pass_kind::forward:
            return "forward";
        case pass_kind::input_gradient:
            return "input gradient";
        case pass_kind::weight_gradient:
            return "weight gradient";
        case pass_kind::backward:
            return "backward";
    }
    return "unknown";
}

/// The kind as files and Python write it: "input_gradient".
[[nodiscard]] constexpr auto field_of(pass_kind kind) -> char const* {
    switch (kind) {
        case pass_kind::input_gradient:
            return "input_gradient";
        case pass_kind::weight_gradient:
            return "weight_gradient";
        case pass_kind::forward:
        case pass_kind::backward:
            break;
    }
    return to_string(kind);
}

/// A pass of a stage for a microbatch.
struct pipeline_pass {
    pass_kind kind = pass_kind::forward;  ///< what it computes
    std::uint32_t stage = 0;              ///< of the pipeline
    std::uint32_t microbatch = 0;         ///< from 0

    friend constexpr auto operator==(pipeline_pass const&, pipeline_pass const&) -> bool = default;
};

/// The pass in words: "forward of stage 1, microbatch 3".
[[nodiscard]] inline auto to_string(pipeline_pass const& pass) -> std::string {
    return std::string(to_string(pass.kind)) + " of stage " + std::to_string(pass.stage) + ", microbatch " +
           std::to_string(pass.microbatch);
}

/// The passes of each rank, in the order in which it runs them.
using pass_orders = std::vector<std::vector<pipeline_pass>>;

/// A schedule of a pipeline. Legal or not; `verify_pipeline` decides.
struct pipeline_schedule {
    pass_orders orders{};                  ///< by rank
    std::vector<std::uint32_t> choices{};  ///< of stage s and microbatch k: at s · microbatches + k

    friend auto operator==(pipeline_schedule const&, pipeline_schedule const&) -> bool = default;
};

}  // namespace repebble::inline v0

#endif
