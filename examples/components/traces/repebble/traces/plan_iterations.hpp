#ifndef REPEBBLE_TRACES_PLAN_ITERATIONS_HPP
#define REPEBBLE_TRACES_PLAN_ITERATIONS_HPP

// The automatic planner for networks whose structure changes from iteration to iteration (stochastic depth): one
// schedule of the full iteration, of which an iteration that drops computations leaves out what does not occur
// (shortened_schedule.hpp), with the least mean overhead.
// Invariant: the schedule is legal within the limit whatever is dropped. Proof, step by step: what an iteration has in
// a pool is there in the full one, too, since the steps that bring a value into a pool and take it out of it all stay,
// or all fall away with the value; so no step needs more memory. What a step that stays reads occurs, is brought by
// steps that stay, and lies there in the full one, so it lies there here. Each lane runs a part of its work in the same
// order, so that no step begins later.

#include <optional>
#include <span>
#include <vector>

#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/replay_result.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/plan_options.hpp>
#include <repebble/traces/swap_problem.hpp>
#include <repebble/traces/traced_dataflow.hpp>

namespace repebble::inline v0 {

/// One schedule for all iterations.
struct iterations_plan {
    schedule<> steps{};        ///< of the dataflow of the full trace
    replay_result cost{};      ///< of the full iteration
    double mean_overhead = 0;  ///< time above that of what an iteration computes, as a share of that; the mean

    friend auto operator==(iterations_plan const&, iterations_plan const&) -> bool = default;
};

/// The mean overhead of a schedule of the full trace over iterations: of each the computations that it drops.
/// O(iterations · (rows · log rows + steps)).  Requires: the schedule is legal; and as `make_shortened_schedule`.
/// Throws bad_option where there is no iteration, or not one answer for each computation.
[[nodiscard]] auto mean_overhead(swap_problem const& full, traced_dataflow const& traced, schedule<> const& steps,
                                 std::span<std::vector<bool> const> iterations, host_link const& link) -> double;

/// A schedule within the limit for all iterations that drop computations, of the least mean overhead over these: the
/// best of three plans, that of the full iteration, that for a link of half the speed, and that for such a link where
/// each computation takes its time as often as it occurs. Each is a call of `plan` with a third of the seconds.
/// `traced` is the dataflow of the trace. Nothing where the full iteration has no plan.  Throws bad_option where the options have no link, and as `mean_overhead` and `plan`.
[[nodiscard]] auto plan_iterations(swap_problem const& full, traced_dataflow const& traced,
                                   std::span<std::vector<bool> const> iterations, bytes limit,
                                   plan_options const& options) -> std::optional<iterations_plan>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/plan_iterations.ipp>
#endif

#endif
