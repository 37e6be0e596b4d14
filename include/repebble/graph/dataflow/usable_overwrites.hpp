#ifndef REPEBBLE_GRAPH_DATAFLOW_USABLE_OVERWRITES_HPP
#define REPEBBLE_GRAPH_DATAFLOW_USABLE_OVERWRITES_HPP

// The overwrites that a plan can count on: of the overwrites that a dataflow allows, those of a storage that is read by
// one name, by an output of the storage's size. `make_schedule` writes them, and the planner's loads count them.
// Invariant: at most one output of a run is written in place, the first in the list whose storage ends with that run.

#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>

namespace repebble::inline v0 {

namespace detail {

/// Returns, by value, the first value of its storage: itself or, where mutations wrote it over another one, the first
/// of those. The storage has the bytes of that.  O(values + mutations).
[[nodiscard]] auto firsts_in_storage(dataflow const& flow) -> std::vector<value_index>;

}  // namespace detail

/// Returns, by operation, the usable overwrites, those of the largest outputs first.  O(values + overwrites).
[[nodiscard]] auto find_usable_overwrites(dataflow const& flow) -> detail::jagged_array<overwrite>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/graph/dataflow/usable_overwrites.ipp>
#endif

#endif
