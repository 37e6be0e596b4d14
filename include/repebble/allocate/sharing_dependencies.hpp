#ifndef REPEBBLE_ALLOCATE_SHARING_DEPENDENCIES_HPP
#define REPEBBLE_ALLOCATE_SHARING_DEPENDENCIES_HPP

// Edges that make an existing plan of offsets safe under parallel execution, minimal by transitive reduction: MXNet's
// note "Squeeze the memory consumption of deep learning", section "Stay safe and correct first". For plans of blocks
// and of offsets alike; `find_race` checks the result.

#include <span>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/step_graph.hpp>
#include <repebble/graph/csr_graph.hpp>

namespace repebble::inline v0 {

/// The edges that a plan of offsets adds to a step graph: from the steps that touch a buffer to the first step that
/// touches the next buffer on some of the same bytes. With them every order that the graph allows runs the plan
/// correctly. No edge is redundant: those that the graph and the other edges imply are left out, and without any one of
/// them there is a race. All follow the schedule, so that there is no cycle. Gaps count as live.
/// O(n log n + (m + edges) n / 64) time, n²/8 bytes for n steps other than discards.
/// Requires: the step graph of the schedule whose lifetimes the buffers are, an offset for each.  Throws bad_buffer if
/// a buffer is not touched or touched outside its lifetime, or if the offsets are no valid plan; bad_graph if an edge
/// of the step graph leads back.
[[nodiscard]] auto find_sharing_dependencies(step_graph const& steps, std::span<buffer const> buffers,
                                             std::span<bytes const> offsets) -> std::vector<csr_graph::edge>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/sharing_dependencies.ipp>
#endif

#endif
