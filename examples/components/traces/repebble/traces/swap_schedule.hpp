#ifndef REPEBBLE_TRACES_SWAP_SCHEDULE_HPP
#define REPEBBLE_TRACES_SWAP_SCHEDULE_HPP

// A plan of a trace as a schedule of the trace's dataflow: steps in the order in which the simulator begins them. So
// the judge of all schedules (`replay` with a `lanes_clock`) judges what is planned in the simulator, and devices can
// run it. Invariant: a plan that fits in the simulator is legal, and needs no more memory than there.

#include <cstddef>
#include <vector>

#include <repebble/traces/simulate_swaps.hpp>
#include <repebble/traces/swap_problem.hpp>
#include <repebble/traces/traced_dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

namespace detail {

/// Plays the events of a simulation, and writes down what they mean.
class swap_schedule_writer {
  public:
    swap_schedule_writer(swap_problem const& problem, traced_dataflow const& traced, swap_plan const& plan)
        : problem_(problem),
          traced_(traced),
          flow_(traced.flow),
          plan_(plan),
          on_device_(flow_.value_count(), false),
          on_host_(flow_.value_count(), false),
          is_removed_(flow_.value_count(), false),
          steps_(flow_) {}

    [[nodiscard]] auto write(std::vector<swap_event> const& events) && -> schedule<>;

  private:
    /// Inputs, and those of them away that the iteration before has left on the host.
    void begin();
    /// What is not there yet of the results.
    void finish();
    void play(swap_event const& e);
    void next_row(std::size_t r);
    void row(std::size_t r);
    void compute(computation_index c);
    void run_again(computation_index c, variable_index wanted);
    void run_operation(operation_index v);
    void offload(value_index value);
    void prefetch(value_index value);
    void discard(value_index value);
    /// The value ends in both pools.
    void end(value_index value);
    void give_back();
    /// What the variable of an interval holds during it.
    [[nodiscard]] auto value_of(std::size_t interval) const -> value_index {
        return traced_.values[problem_.intervals()[interval].last_use];
    }
    /// The same at the beginning of the iteration, of one that goes round its end.
    [[nodiscard]] auto first_value_of(std::size_t interval) const -> value_index;

    swap_problem const& problem_;
    traced_dataflow const& traced_;
    dataflow const& flow_;
    swap_plan const& plan_;
    std::vector<bool> is_gone_{};  // of every interval: its variable leaves before it is used again
    std::vector<bool> on_device_, on_host_, is_removed_;  // of every value
    std::vector<value_index> borrowed_{};                 // freed in the trace, and computed again to be read once
    std::vector<value_index> postponed_{};  // freed in the trace while the computation runs that may read them
    computation_index next_ = 0;            // computations that have run
    operation_index inputs_ = 0;            // of the dataflow, which come first
    schedule_builder steps_;
};

}  // namespace detail

/// The schedule of a plan: each computation with its last row, copies and discards where the simulator has them under
/// these options. Variables that are used before they have left stay without a copy, and one whose copy is still on the
/// host is not copied again. What goes round the end of the iteration is offloaded at its beginning, and results are
/// fetched at its end, as a schedule begins and ends with all of them on the device. Where a computation that runs
/// again also writes what is on the host, that is copied out again.  The cost and the errors are those of
/// `simulate_swaps`. Requires: `traced` is of the problem.
[[nodiscard]] auto make_swap_schedule(swap_problem const& problem, traced_dataflow const& traced, swap_plan const& plan,
                                      swap_options const& options) -> schedule<>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/swap_schedule.ipp>
#endif

#endif
