#ifndef REPEBBLE_RECOMPUTE_FORWARD_ONLY_HPP
#define REPEBBLE_RECOMPUTE_FORWARD_ONLY_HPP

// The schedule of inference: no backward pass, hence no checkpoints. It shows the memory that training adds ("nearly
// O(1)" on a chain: T. Chen, B. Xu, C. Zhang, C. Guestrin: Training deep nets with sublinear memory cost, 2016, section
// 3).

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

/// Plan of inference: every operation of a forward dataflow once, in its order, every value until its last use, and the
/// outputs of sinks until the end. For a training graph, pass its `forward_part`. O(n + m).
[[nodiscard]] auto forward_only(dataflow const& forward) -> recompute_plan<>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/forward_only.ipp>
#endif

#endif
