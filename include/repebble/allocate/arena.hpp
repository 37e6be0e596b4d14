#ifndef REPEBBLE_ALLOCATE_ARENA_HPP
#define REPEBBLE_ALLOCATE_ARENA_HPP

// From a schedule to addresses: `find_lifetimes` followed by `assign_offsets` for one pool. Executors take the arena
// beside the schedule. Invariant: `verify_offsets(lifetimes.buffers, offsets)` accepts every arena.

#include <vector>

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// A pool of a schedule, most often the device pool, laid out as one block of memory, with the offset of every storage
/// and workspace. A view lies in the storage of its owner; an in-place computation, or a mutation, writes into
/// the storage that it takes over.
struct arena {
    bytes size = 0;                           ///< the end of the highest buffer
    bytes peak = 0;                           ///< greatest live bytes, as `replay` reports them
    bytes lower_bound = 0;                    ///< on the size; alignment or a proof can raise it above the peak
    offset_proof proof = offset_proof::none;  ///< whether it is proven that no arena is smaller
    std::vector<bytes> offsets{};             ///< of every buffer; multiples of the alignment
    schedule_lifetimes lifetimes{};           ///< the buffers and their uses
    friend auto operator==(arena const&, arena const&) -> bool = default;
};

/// Options of `make_arena`.
struct arena_options {
    bytes alignment = 1;        ///< of every offset
    pool where = pool::device;  ///< which pool becomes a block of memory
    offset_options offsets{};   ///< of the search for offsets
};

/// Returns an arena for the lifetimes of a schedule: offsets by `assign_offsets` in one block of memory, as small as it
/// can find or, with a capacity, within that.  Throws what `assign_offsets` throws.
[[nodiscard]] auto make_arena(schedule_lifetimes of, offset_options const& options = {}) -> arena;

/// Returns an arena for a schedule: the lifetimes of its storages and workspaces, and offsets by `assign_offsets` in
/// one block of memory, as small as it can find or, with a capacity in `options.offsets`, within that.
/// Throws illegal_schedule if the schedule breaks a rule, and everything that `find_lifetimes` and `assign_offsets`
/// throw.
[[nodiscard]] inline auto make_arena(dataflow const& flow, schedule<> const& plan, arena_options const& options = {})
    -> arena {
    return make_arena(find_lifetimes(flow, plan, options.alignment, options.where), options.offsets);
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/arena.ipp>
#endif

#endif
