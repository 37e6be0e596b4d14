#ifndef REPEBBLE_GRAPH_TRAINING_CONVENTION_HPP
#define REPEBBLE_GRAPH_TRAINING_CONVENTION_HPP

// The three conventions by which gradients become operations of a training graph, and the mark of joint graphs.

#include <cstdint>

namespace repebble::inline v0 {

/// How gradients become operations.
enum class convention : std::uint8_t {
    /// As in Kusumoto et al. 2019: one gradient per forward operation v, of time 2 T_v and as large as the first output
    /// of v that has a gradient. It reads, for each consumer w of v, the gradient of w and the forward values that w's
    /// gradient needs; a sink's gradient reads the sink.
    value_grad,
    /// One backward operation per forward operation v, of time 2 T_v and as large as the gradients of all inputs of v
    /// together. It reads the backward operations of the consumers of v, and the forward values that its gradient
    /// needs.
    op_backward,
    /// The executable one: a backward operation per forward operation with one output per input's gradient, and
    /// additions that accumulate the gradients of a value with several readers as they arrive, last reader first,
    /// whatever the schedule: right after the backward operation, before the gradients of its parameters. Additions
    /// have time 0.
    executable,
    /// The backward pass came from a framework (a joint graph); no gradients were built.
    joint,
};

[[nodiscard]] constexpr auto to_string(convention c) -> char const* {
    switch (c) {
        case convention::value_grad:
            return "value_grad";
        case convention::op_backward:
            return "op_backward";
        case convention::executable:
            return "executable";
        case convention::joint:
            return "joint";
    }
    return "unknown";
}

}  // namespace repebble::inline v0

#endif
