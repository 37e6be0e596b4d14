#ifndef REPEBBLE_IMPL_LOWER_SETS_LEAST_CACHED_IPP
#define REPEBBLE_IMPL_LOWER_SETS_LEAST_CACHED_IPP

#include <repebble/lower_sets/detail/least_cached.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/lower_sets/detail/lattice/block_arcs.hpp>
#include <repebble/lower_sets/detail/lattice/lattice_segments.hpp>
#include <repebble/lower_sets/detail/lattice/lower_set_lattice.hpp>
#include <repebble/lower_sets/detail/lattice/overhead_cutoff.hpp>
#include <repebble/lower_sets/detail/lattice/serial_steps.hpp>
#include <repebble/lower_sets/positional_problem.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto least_cached(lower_set_problem const& problem, bytes budget, std::size_t limit)
    -> std::optional<lower_set_sequence> {
    auto lattice = std::make_shared<lower_set_lattice const>(positional_problem(problem), limit);
    lattice->require_complete();
    overhead_cutoff const cutoff(lattice->time(lattice->full()), budget);
    constexpr auto unlimited = std::numeric_limits<std::size_t>::max();
    block_arcs arcs(*lattice, cutoff, unlimited, unlimited);
    return least_cached_of(
        lattice_segments(std::move(lattice), std::move(arcs), serial_steps(), cutoff, objective::time, false), budget);
}

}  // namespace repebble::inline v0::detail

#endif
