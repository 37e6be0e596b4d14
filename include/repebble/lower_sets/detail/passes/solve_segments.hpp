#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_SOLVE_SEGMENTS_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_SOLVE_SEGMENTS_HPP

// Chooses the engine for a whole curve: dense tables by time unit (dense_curve.hpp) where these are small, else sparse
// frontiers (frontier_curve.hpp). All searches for curves in this room end here.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/lower_sets/detail/family_segments.hpp>
#include <repebble/lower_sets/detail/passes/dense_curve.hpp>
#include <repebble/lower_sets/detail/passes/frontier_curve.hpp>
#include <repebble/lower_sets/lower_set_curve.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>

namespace repebble::inline v0::detail {

/// Whether overheads are exact and tables by time unit are small. `Segments` is as for `dense_curve`.
template <class Segments>
[[nodiscard]] auto has_small_tables(Segments const& segments, lower_set_options const& options) -> bool {
    constexpr double most_cells = 1 << 24;
    auto const most = std::min(options.overhead.value_or(segments.time()), segments.time());
    return options.goal == objective::time && options.resolution == 0 && most >= 0 && !segments.has_serial() &&
           dense_curve<Segments>::cell_count(segments, most) <= most_cells;
    return false;
}

/// Whether the limits are not negative, so that a sequence may fit. Throws bad_weight where the resolution is negative
/// or not a number, bad_option where there is no thread.
[[nodiscard]] inline auto may_fit(lower_set_options const& options) -> bool {
    if (!(options.resolution >= std::int64_t{}))
        detail::raise(
            bad_weight("the resolution of overheads must not be negative: " + std::to_string(options.resolution)));
    check_threads(options.threads);
    return options.budget.value_or(0) >= 0 && options.overhead.value_or(std::int64_t{}) >= std::int64_t{};
}

/// The trade-off curve over the sequences of segments. `Segments` is as for `dense_curve`, and is moved into the curve.
template <class Segments, class Observer>
[[nodiscard]] auto solve_segments(Segments segments, lower_set_options const& options, Observer&& observer)
    -> lower_set_curve {
    if (!may_fit(options)) return {};
    if (has_small_tables(segments, options)) {
        auto const most = std::min(options.overhead.value_or(segments.time()), segments.time());
        auto const budget = options.budget.value_or(std::numeric_limits<bytes>::max());
        return dense_curve<Segments>::solve(std::move(segments), most, budget, observer);
    }
    return frontier_curve<Segments>::solve(std::move(segments), options, observer);
}

/// The curve over a family.
template <class Observer>
[[nodiscard]] auto solve_family(std::shared_ptr<lower_set_family const> family, lower_set_options const& options,
                                Observer& observer) -> lower_set_curve {
    family_segments segments(std::move(family), options, [&] { return is_over(observer); });
    return solve_segments(std::move(segments), options, observer);
}

}  // namespace repebble::inline v0::detail

#endif
