#ifndef REPEBBLE_GRAPH_TRAINING_TRAINING_VERTEX_HPP
#define REPEBBLE_GRAPH_TRAINING_TRAINING_VERTEX_HPP

// Operations of a training graph in terms of the forward graph: schedules for a user's graph name these.

#include <compare>
#include <cstdint>

namespace repebble::inline v0 {

/// The part of training to which an operation belongs.
enum class pass : std::uint8_t {
    forward,     ///< computes values
    backward,    ///< computes gradients
    accumulate,  ///< adds up gradients of one value, in an order fixed by the graph
    parameter,   ///< adds the gradient of a parameter at one user to the sum over those before
};

[[nodiscard]] constexpr auto to_string(pass p) -> char const* {
    switch (p) {
        case pass::forward:
            return "forward";
        case pass::backward:
            return "backward";
        case pass::accumulate:
            return "accumulate";
        case pass::parameter:
            return "parameter";
    }
    return "unknown";
}

/// An operation of a training graph, named by its forward vertex, its pass and its part.
template <class Vertex>
struct training_vertex {
    Vertex vertex{};                                ///< of the forward graph
    repebble::pass pass = repebble::pass::forward;  ///< which of its operations
    std::uint32_t part = 0;                         ///< accumulate: which addition; parameter: which one; 0 otherwise

    friend constexpr auto operator==(training_vertex const&, training_vertex const&) -> bool = default;
};

}  // namespace repebble::inline v0

#endif
