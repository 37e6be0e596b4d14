#ifndef REPEBBLE_IMPL_ALLOCATE_ARENA_IPP
#define REPEBBLE_IMPL_ALLOCATE_ARENA_IPP

#include <repebble/allocate/arena.hpp>

#include <utility>

#include <repebble/allocate/live_bytes.hpp>
#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto make_arena(schedule_lifetimes of, offset_options const& options) -> arena {
    arena a{.lifetimes = std::move(of)};
    auto const& buffers = a.lifetimes.buffers;
    a.peak = find_live_bytes(buffers).most;
    auto found = assign_offsets(buffers, options);
    a.size = found.height;
    a.lower_bound = found.lower_bound;
    a.proof = found.proof;
    a.offsets = std::move(found.offsets);
    return a;
}

}  // namespace repebble::inline v0

#endif
