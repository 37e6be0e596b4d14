#ifndef REPEBBLE_ALLOCATE_ARENA_HPP
#define REPEBBLE_ALLOCATE_ARENA_HPP

#include <utility>
#include <vector>

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/live_bytes.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// A pool of a schedule, most often the device's, as one block of memory: where in it every storage and every workspace
/// lies. What an executor needs beside the schedule: views lie in the storage of their owner, and an in-place
/// computation writes where the storage that it takes over lies.
struct arena {
    bytes size = 0;         ///< the end of the highest buffer
    bytes peak = 0;         ///< most bytes in use at a time: what the replay says
    bytes lower_bound = 0;  ///< of the size: by alignment, or proof, it can be above the peak
    offset_proof proof = offset_proof::none;
    std::vector<bytes> offsets{};    ///< of every buffer; multiples of the alignment
    schedule_lifetimes lifetimes{};  ///< the buffers, and what each of them holds
    friend auto operator==(arena const&, arena const&) -> bool = default;
};

/// What is asked of an arena.
struct arena_options {
    bytes alignment = 1;        ///< of every offset
    pool where = pool::device;  ///< which pool becomes a block of memory
    offset_options offsets{};
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

/// From a schedule to addresses: the lifetimes of its storages and workspaces, and offsets for them that
/// `assign_offsets` finds, in one block of memory as small as can be, or with a capacity in `options.offsets` as small
/// as that. `verify_offsets(lifetimes.buffers, offsets)` checks it. Who has the lifetimes gives them, with options for
/// the offsets. Throws illegal_schedule where the schedule breaks a rule, and what `lifetimes` and `assign_offsets`
/// throw.
inline constexpr detail::plan_arena_fn plan_arena{};

}  // namespace repebble::inline v0

#endif
