#ifndef REPEBBLE_PEBBLING_DETAIL_EXPAND_VIEWS_HPP
#define REPEBBLE_PEBBLING_DETAIL_EXPAND_VIEWS_HPP

// The way back from a contracted dataflow: translates a schedule without views into one of the original dataflow. Every
// strategy that plans on contracted views uses it.

#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0::detail {

/// Translates a schedule of a contracted dataflow to the original: every view is made right after its owner is
/// computed, or before the first reader after its owner is copied in, and discarded right before it. Legal where the
/// other is, with the same peak, and the same time except for views that take time and are made again after a prefetch.
/// One exception: no step can write over a value that it reads by two names (its own and a view's, or two views').
/// O(steps · views per owner).
[[nodiscard]] auto expand_views(dataflow const& flow, contracted_dataflow const& contracted, schedule<> plan)
    -> schedule<>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pebbling/expand_views.ipp>
#endif

#endif
