#ifndef REPEBBLE_ALLOCATE_FIND_RACE_HPP
#define REPEBBLE_ALLOCATE_FIND_RACE_HPP

// The checker of plans for parallel steps: it proves by ancestor sets that every two users of a byte are ordered. It
// takes nothing from the planners, neither how blocks were shared nor which edges were added. Tests and
// `find_sharing_dependencies`' users call it.

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/step_graph.hpp>
#include <repebble/graph/csr_graph.hpp>

namespace repebble::inline v0 {

/// A data race of a plan of offsets under parallel execution: two buffers share bytes, and a step that touches the
/// first need not end before one that touches the second starts.
struct race {
    std::size_t first = 0;        ///< the buffer that begins first
    std::size_t second = 0;       ///< the other buffer
    std::size_t first_step = 0;   ///< touches `first`
    std::size_t second_step = 0;  ///< touches `second`
    std::string message{};        ///< the whole race in one sentence
    friend auto operator==(race const&, race const&) -> bool = default;
};

namespace detail {

[[nodiscard]] inline auto describe(std::size_t i, std::size_t j, std::size_t s, std::size_t t, std::string const& why)
    -> race {
    return {i, j, s, t, "buffers " + std::to_string(i) + " and " + std::to_string(j) + " share bytes: " + why};
}

}  // namespace detail

/// Proves that a plan of offsets is safe in every order, parallel ones included, that a step graph with more edges
/// allows, or returns the first race in the schedule. A plan is safe if for any two buffers with a common byte every
/// step that touches the one that begins first is an ancestor of every step that touches the other. The edges may be
/// those of `find_sharing_dependencies` or any others. An overlap in the schedule itself is returned as a race; gaps
/// count as live. O(m n / 64 + n log n + handovers of bytes · touches) time, n²/8 bytes for n steps other than
/// discards. Requires: an offset for each buffer.  Throws bad_buffer if a buffer is not touched or touched outside its
/// lifetime, or its offset is invalid by itself; bad_graph if an edge names no step; not_a_dag if the edges have a
/// cycle.
[[nodiscard]] auto find_race(step_graph const& steps, std::span<buffer const> buffers, std::span<bytes const> offsets,
                             std::span<csr_graph::edge const> more = {}) -> std::optional<race>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/find_race.ipp>
#endif

#endif
