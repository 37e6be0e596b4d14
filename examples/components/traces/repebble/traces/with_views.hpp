#ifndef REPEBBLE_TRACES_WITH_VIEWS_HPP
#define REPEBBLE_TRACES_WITH_VIEWS_HPP

// Schedules of traces know storages only. Here a schedule gets what the dataflow has beside them: views are computed
// where they are read, and end with their storage. So a plan of a trace runs on the network that was traced.
// Invariant: no step of the schedule is lost, and no storage lives longer than there.

#include <span>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

namespace detail {

/// Writes a schedule again, with views.
class view_writer {
  public:
    explicit view_writer(dataflow const& flow);

    [[nodiscard]] auto write(schedule<> const& plan) && -> schedule<>;

  private:
    void play(step<> const& s);
    void compute(operation_index v);
    /// The value, where it is a view that is not there, and first the views that it is made of.
    void make_view(value_index value);
    /// All views that refer to the value, but those.
    void drop_views(value_index owner, std::span<value_index const> but = {});
    [[nodiscard]] auto makes_views_only(operation_index v) const -> bool;

    dataflow const& flow_;
    jagged_array<value_index> views_;  // of every value
    std::vector<bool> resident_;       // of every value
    schedule_builder steps_;
};

}  // namespace detail

/// A schedule in which views are computed just before they are read, once or again, and discarded before their storage
/// is let go, computed again or overwritten; views that are results come at the end. Other steps stay as they are, with
/// the repetitions counted anew.  O(steps · values per step + views).  Requires: the steps are none in place; the
/// outputs of an operation are all views or none.
[[nodiscard]] auto with_views(dataflow const& flow, schedule<> const& plan) -> schedule<>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/with_views.ipp>
#endif

#endif
