// The bodies behind `find_treewidth`, compiled once: not all of the component, whose files need zlib.
#include <repebble/impl/treewidth/best_elimination.ipp>
#include <repebble/impl/treewidth/connected_parts.ipp>
#include <repebble/impl/treewidth/elimination_searcher.ipp>
#include <repebble/impl/treewidth/join_orders.ipp>
#include <repebble/impl/treewidth/local_improvement.ipp>
#include <repebble/impl/treewidth/minor_bound.ipp>
#include <repebble/impl/treewidth/nested_dissection.ipp>
#include <repebble/impl/treewidth/safe_reductions.ipp>
#include <repebble/impl/treewidth/safe_separators.ipp>
#include <repebble/impl/treewidth/starting_orders.ipp>
#include <repebble/impl/treewidth/treewidth.ipp>
#include <repebble/impl/treewidth/treewidth_at_most.ipp>
#include <repebble/impl/treewidth/width_bounds.ipp>
