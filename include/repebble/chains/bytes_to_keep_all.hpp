#ifndef REPEBBLE_CHAINS_BYTES_TO_KEEP_ALL_HPP
#define REPEBBLE_CHAINS_BYTES_TO_KEEP_ALL_HPP

// The budget at which a chain needs no recomputation, by one backward pass over the stages instead of a whole curve.
// The upper end of the budgets that are worth solving for: examples/chain and benchmarks/chain_growth start from it.

#include <repebble/chains/chain.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// The least budget, in bytes, with which every stage of a chain runs forward only once, with its fastest tape. The
/// curve of `solve_chain` ends there, unless a plan recomputes a value in no time.  O(stages + tapes).
/// Throws as `solve_chain` for an invalid chain.
[[nodiscard]] auto bytes_to_keep_all(chain const& of, memory_test test = memory_test::tight) -> bytes;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/chains/bytes_to_keep_all.ipp>
#endif

#endif
