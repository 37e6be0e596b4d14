#ifndef REPEBBLE_RECOMPUTE_SOLVE_SEGMENTS_HPP
#define REPEBBLE_RECOMPUTE_SOLVE_SEGMENTS_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <repebble/recompute/dense_curve.hpp>
#include <repebble/recompute/frontier_curve.hpp>
#include <repebble/recompute/lower_set_curve.hpp>

namespace repebble::detail {

/// Whether tables for every time unit are small, and exact overheads wanted. Of `Segments` see `dense_curve`.
template <class Segments, quantity Time>
[[nodiscard]] auto has_small_tables(Segments const& segments, lower_set_options<Time> const& options) -> bool {
    if constexpr (std::same_as<Time, std::int64_t>) {
        constexpr std::size_t most_cells = std::size_t{1} << 24;
        auto const most = std::min(options.overhead.value_or(segments.time()), segments.time());
        return options.goal == objective::time && options.resolution == 0 && most >= 0 && !segments.has_passages() &&
               dense_curve<Segments>::cell_count(segments, most) <= most_cells;
    }
    return false;
}

/// The curve that segments make possible: with tables where these are small, else with frontiers.
template <quantity Time, class Segments, class Observer>
[[nodiscard]] auto solve_segments(Segments segments, lower_set_options<Time> const& options, Observer&& observer)
    -> lower_set_curve<Time> {
    if constexpr (std::same_as<Time, std::int64_t>) {
        if (has_small_tables(segments, options)) {
            auto const most = std::min(options.overhead.value_or(segments.time()), segments.time());
            auto const budget = options.budget.value_or(std::numeric_limits<bytes>::max());
            return dense_curve<Segments>::solve(std::move(segments), most, budget, observer);
        }
    }
    return frontier_curve<Time, Segments>::solve(std::move(segments), options, observer);
}

}  // namespace repebble::detail

#endif
