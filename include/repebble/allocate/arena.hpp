#ifndef REPEBBLE_ALLOCATE_ARENA_HPP
#define REPEBBLE_ALLOCATE_ARENA_HPP

// From a schedule to addresses: `lifetimes` followed by `assign_offsets` for one pool. Executors take the arena beside
// the schedule.
// Invariant: `verify_offsets(lifetimes.buffers, offsets)` accepts every arena.

#include <utility>
#include <vector>

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/live_bytes.hpp>
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

/// Options of `plan_arena`.
struct arena_options {
    bytes alignment = 1;        ///< of every offset
    pool where = pool::device;  ///< which pool becomes a block of memory
    offset_options offsets{};   ///< of the search for offsets
};

namespace detail {
struct plan_arena_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, schedule<> const& plan,
                                  arena_options const& options = {}) const -> arena {
        return (*this)(lifetimes(flow, plan, options.alignment, options.where), options.offsets);
    }
    [[nodiscard]] auto operator()(schedule_lifetimes of, offset_options const& options = {}) const -> arena {
        arena a{.lifetimes = std::move(of)};
        auto const& buffers = a.lifetimes.buffers;
        a.peak = greatest_live_bytes(buffers).most;
        auto found = assign_offsets(buffers, options);
        a.size = found.height;
        a.lower_bound = found.lower_bound;
        a.proof = found.proof;
        a.offsets = std::move(found.offsets);
        return a;
    }
};
}  // namespace detail

/// Returns an arena for a schedule: the lifetimes of its storages and workspaces, and offsets by `assign_offsets` in
/// one block of memory, as small as it can find or, with a capacity in `options.offsets`, within that. An overload
/// takes the lifetimes themselves, with options for the offsets.
/// Throws illegal_schedule if the schedule breaks a rule, and everything that `lifetimes` and `assign_offsets` throw.
inline constexpr detail::plan_arena_fn plan_arena{};

}  // namespace repebble::inline v0

#endif
