#ifndef REPEBBLE_CHAINS_DETAIL_SOLVE_OFFLOADED_HPP
#define REPEBBLE_CHAINS_DETAIL_SOLVE_OFFLOADED_HPP

// Chains of stages with a second level of memory: what a stage stores may wait in host memory, beside recomputation
// (the problem of O. Beaumont, L. Eyraud-Dubois, A. Shilova: Efficient combination of rematerialization and offloading
// for training DNNs, NeurIPS 2021). The dynamic program of offload_table.hpp is exact where copies stop computations;
// plans at several prices of a copy are then replayed with the copies beside the computations, and the fastest is
// taken. Used by solve_chain where there is a link.

#include <optional>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_options.hpp>
#include <repebble/chains/chain_solution.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// A plan with copies; nothing where no plan fits.  Requires: a link, and options that have been checked.
[[nodiscard]] auto solve_offloaded(chain const& of, bytes budget, chain_options const& options)
    -> std::optional<chain_solution>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/chains/solve_offloaded.ipp>
#endif

#endif
