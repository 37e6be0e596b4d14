#ifndef REPEBBLE_CHAINS_SOLVE_CHAIN_OFFLOADED_HPP
#define REPEBBLE_CHAINS_SOLVE_CHAIN_OFFLOADED_HPP

// Chains of stages with a second level of memory: what a stage stores may wait in host memory, beside recomputation
// (the problem of O. Beaumont, L. Eyraud-Dubois, A. Shilova: Efficient combination of rematerialization and offloading
// for training DNNs, NeurIPS 2021). The dynamic program of detail/offload_table.hpp is exact where copies stop
// computations; plans at several prices of a copy are then replayed with the copies beside the computations, and the
// fastest is taken.

#include <cstddef>
#include <cstdint>
#include <optional>

#include <repebble/chains/chain.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// A plan for a chain and two levels of memory.
struct offloaded_chain_plan {
    std::int64_t time{};  ///< of the plan, on the link's lanes
    std::int64_t
        serial_time{};   ///< the least time of a persistent plan whose copies stop computations, in the slots given
    bytes peak = 0;      ///< in the device pool
    schedule<> plan{};   ///< of the chain's `chain_dataflow`

    friend auto operator==(offloaded_chain_plan const&, offloaded_chain_plan const&) -> bool = default;
};

/// A plan to train a chain within a budget of device memory where values may wait in host memory, over a link.
/// `serial_time` is the least among persistent plans in which a copy stops all computations: exact where there is a
/// slot for each byte of the budget, else with sizes rounded up to slots. `time` is that of the fastest of four plans,
/// made for copies at their full, half and quarter price and for nothing, with copies moved beside computations: a
/// heuristic, and never above `serial_time`. The latter is, but for rounding where times are double, never above the time of
/// `solve_chain` where there is a slot for each byte. Host memory has no limit.
///
/// Takes L stages. O(L³ slots) time, 8 L² slots bytes; slots beyond those in which every plan fits are left out.
/// Returns nothing where no plan fits. Throws bad_graph where there is no stage, bad_weight where a size, a time or the
/// budget is negative, a workspace is, there is no slot, a sum does not fit in 64 bits, or the slots take more than
/// 8 GiB.
[[nodiscard]] auto solve_chain_offloaded(chain const& of, bytes budget, host_link const& via, std::size_t slots = 100)
    -> std::optional<offloaded_chain_plan>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/chains/solve_chain_offloaded.ipp>
#endif

#endif
