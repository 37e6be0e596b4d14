#ifndef REPEBBLE_PIPELINES_CUT_NETWORK_HPP
#define REPEBBLE_PIPELINES_CUT_NETWORK_HPP

// Parts of a network in a row, for the ranks of a pipeline: it is cut where one value is all that passes from what was
// computed to what follows.

#include <cstdint>
#include <vector>

#include <repebble/io/network.hpp>

namespace repebble::inline v0::io {

/// The first nodes of the smallest parts, ascending from 0: behind each cut one node is read of those before it, which
/// has one output, owns its storage, and is no input. A network without nodes has none.  O((n + m) log n).
/// Throws bad_graph, naming the node, where one reads a later one, is of a backward pass or writes over what it reads.
[[nodiscard]] auto find_cuts(network const& net) -> std::vector<std::uint32_t>;

/// The nodes from `begin` to before `end` as a network, behind a node that stands for the value that passes the cut
/// before them: it takes no time and its bytes, arrives once, and has a gradient, which is sent back. Of the network's
/// field `parameters` it has those that its nodes name.  O(nodes and edges of the network).  Throws bad_graph where a
/// node names a parameter that is not there.
/// Requires: `begin` is one of `find_cuts`, `end` another or the number of nodes.
[[nodiscard]] auto part_of(network const& net, std::uint32_t begin, std::uint32_t end) -> network;

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/cut_network.ipp>
#endif

#endif
