#ifndef REPEBBLE_IO_NETWORK_POLICIES_HPP
#define REPEBBLE_IO_NETWORK_POLICIES_HPP

// Policies of a network's values: the fields `must_keep` and `must_recompute` of the file's nodes, for
// `plan_options::policies` and `verify_policies`.

#include <repebble/graph/training/forward_part.hpp>
#include <repebble/graph/training/value_policies.hpp>
#include <repebble/io/network.hpp>

namespace repebble::inline v0::io {

/// What the file says must be kept or recomputed, for plans of `make_training_graph(net)` in any convention: its
/// operations have the ids of the nodes, and come before built gradients.  O(n + outputs).
[[nodiscard]] auto find_policies(network const& net) -> value_policies;

/// The same for its forward graph, where nothing is recomputed for a backward pass: what must be kept.
/// O(n + outputs).  Requires: the forward graph was made of the network, as by `make_forward_dataflow`.
[[nodiscard]] auto find_policies(network const& net, forward_dataflow const& forward) -> value_policies;

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/network_policies.ipp>
#endif

#endif
