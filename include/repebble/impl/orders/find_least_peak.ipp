#ifndef REPEBBLE_IMPL_ORDERS_FIND_LEAST_PEAK_IPP
#define REPEBBLE_IMPL_ORDERS_FIND_LEAST_PEAK_IPP

#include <repebble/orders/find_least_peak.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/orders/detail/granule.hpp>
#include <repebble/orders/detail/pebbling_search.hpp>
#include <repebble/orders/detail/small_game.hpp>
#include <repebble/pebbling/detail/expand_views.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto find_least_peak_fn::operator()(dataflow const& flow, optimal_options const& options) const
    -> peak_bounds<> {
    auto const contracted = contract_views(flow);
    auto const& merged = contracted.flow();
    // With all times 0 the search decides feasibility only, and recomputation is free.
    small_game const game(edit(merged, {.times = std::vector<std::int64_t>(merged.operation_count(), 0)}));
    bool const tells_all = game.has_all_moves() && !may_overwrite_viewed(flow);
    auto best = make_schedule(merged);
    peak_bounds<> result{.lower = 0, .upper = replay(merged, best).peak, .schedule = {}};
    for_each_bit(game.demanded(0), [&](std::size_t v) { result.lower = std::max(result.lower, game.needed_by(v)); });
    no_progress silent;
    deadline_observer watch(silent, options.limits);
    auto const stop = [&] { return watch.is_over(); };
    bytes const unit = granule(merged);  // every peak is a multiple of it
    for (bytes low = result.lower; low < result.upper && !watch.is_over();) {
        bytes const budget = low + (result.upper - low) / 2 / unit * unit;
        pebbling_search search(game, budget);
        auto const end = search.run(options.limits.work.value_or(optimal_search::default_states), stop);
        if (end == pebbling_end::found) {
            auto made = make_schedule(merged, search.computations());
            // The schedule may not fit where sets do not tell all.
            if (auto const peak = replay(merged, made).peak; peak <= budget) {
                best = std::move(made);
                result.upper = peak;
                continue;
            }
        }
        low = budget + unit;
        if (end == pebbling_end::impossible && tells_all) result.lower = low;
    }
    result.schedule = expand_views(flow, contracted, std::move(best));
    return result;
}

}  // namespace repebble::inline v0::detail

#endif
