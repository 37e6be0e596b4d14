#ifndef REPEBBLE_IMPL_CHAINS_SOLVE_CHAIN_WITHIN_IPP
#define REPEBBLE_IMPL_CHAINS_SOLVE_CHAIN_WITHIN_IPP

#include <repebble/chains/solve_chain_within.hpp>

#include <cstddef>
#include <string>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto solve_chain_within(chain const& of, bytes budget, double epsilon, slot_options options)
    -> std::optional<bounded_chain_plan> {
    if (!(epsilon >= 0)) detail::raise(bad_weight("epsilon must not be negative: " + std::to_string(epsilon)));
    constexpr std::size_t most_slots = 8000;
    std::optional<bounded_chain_plan> best;
    std::optional<std::int64_t> bound;
    options.fit_unit = true;
    for (;;) {
        options.round = slot_rounding::down;
        auto const least = chain_frontier_in_slots(of, budget, options).time_within(budget);
        if (!least) return std::nullopt;  // proven: no plan fits
        bound = bound ? std::max(*bound, *least) : *least;
        options.round = slot_rounding::up;
        chain_frontier_in_slots const found(of, budget, options);
        if (auto const time = found.time_within(budget); time && (!best || *time < best->time))
            best = {*time, *bound, *found.actions_within(budget)};
        if (best) best->lower_bound = *bound;
        if ((best && best->epsilon() <= epsilon) || options.slots >= most_slots) return best;
        options.slots *= 2;
    }
}

}  // namespace repebble::inline v0

#endif
