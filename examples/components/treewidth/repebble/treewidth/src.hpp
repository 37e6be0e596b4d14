#ifndef REPEBBLE_TREEWIDTH_SRC_HPP
#define REPEBBLE_TREEWIDTH_SRC_HPP

// The bodies of the component, to be compiled once, as `repebble/src.hpp` those of the library and
// `repebble/io/src.hpp` those of files, which these call. The CMake target repebble::compiled_treewidth does so.

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#error "repebble: define REPEBBLE_SEPARATE_COMPILATION for every source file of the program"
#endif

#include <repebble/impl/treewidth/best_elimination.ipp>
#include <repebble/impl/treewidth/connected_parts.ipp>
#include <repebble/impl/treewidth/elimination_order_of.ipp>
#include <repebble/impl/treewidth/elimination_searcher.ipp>
#include <repebble/impl/treewidth/join_orders.ipp>
#include <repebble/impl/treewidth/local_improvement.ipp>
#include <repebble/impl/treewidth/make_minimal.ipp>
#include <repebble/impl/treewidth/minor_bound.ipp>
#include <repebble/impl/treewidth/nested_dissection.ipp>
#include <repebble/impl/treewidth/nice_decomposition.ipp>
#include <repebble/impl/treewidth/pace_decomposition.ipp>
#include <repebble/impl/treewidth/pace_graph.ipp>
#include <repebble/impl/treewidth/path_decomposition.ipp>
#include <repebble/impl/treewidth/safe_reductions.ipp>
#include <repebble/impl/treewidth/safe_separators.ipp>
#include <repebble/impl/treewidth/starting_orders.ipp>
#include <repebble/impl/treewidth/treewidth.ipp>
#include <repebble/impl/treewidth/treewidth_at_most.ipp>
#include <repebble/impl/treewidth/verify_decomposition.ipp>
#include <repebble/impl/treewidth/width_bounds.ipp>

#endif
