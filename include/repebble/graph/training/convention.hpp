#ifndef REPEBBLE_GRAPH_TRAINING_CONVENTION_HPP
#define REPEBBLE_GRAPH_TRAINING_CONVENTION_HPP

#include <cstdint>

namespace repebble::inline v0 {

/// How gradients are made operations.
enum class convention : std::uint8_t {
    /// The papers': one gradient per forward operation v, of time 2 T_v and as large as output 0 of v. It reads, for
    /// each consumer w of v, the gradient of w and what w's gradient needs; a sink's gradient reads the sink.
    value_grad,
    /// One backward operation per forward operation v, of time 2 T_v and as large as the gradients of all inputs of v
    /// together. It reads the backward operations of the consumers of v, and what its gradient needs.
    op_backward,
    /// What can be run: a backward operation per forward operation with one output per input's gradient, and additions
    /// that accumulate the gradients of a value with several readers, last reader first, whatever the schedule.
    /// Additions take no time units of their own here.
    executable,
    /// It came ready made, from a framework.
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
