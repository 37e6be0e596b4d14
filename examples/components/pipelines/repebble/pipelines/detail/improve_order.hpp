#ifndef REPEBBLE_PIPELINES_DETAIL_IMPROVE_ORDER_HPP
#define REPEBBLE_PIPELINES_DETAIL_IMPROVE_ORDER_HPP

// Local search in the lists of passes themselves: simulated annealing, as for job shops (van Laarhoven, Aarts, Lenstra,
// "Job shop scheduling by simulated annealing", 1992). Blocks that repeat give the start; what they leave idle at the
// begin, at the end, and where times do not fit each other, is found here.

#include <cstddef>
#include <cstdint>
#include <span>

#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/pipeline_schedule.hpp>

namespace repebble::inline v0::detail {

/// How long the search goes on.
struct annealing_options {
    std::size_t tries = 0;     ///< changes that are tried
    std::uint64_t seed = 1;    ///< of what is tried
    std::int64_t enough = -1;  ///< a makespan that needs no improvement: a lower bound
};

/// A schedule within the budgets whose makespan is not longer. Gradients come apart. A change moves a pass of a longest
/// path (at times any other) before or behind up to eight of its rank, or makes a choice faster; where a pass lacks
/// memory then, choices of the rank become slower (`choice_fitter`). Requires: `verify_pipeline` accepts the schedule
/// within the budgets.  O(`tries` · (passes + passes on a rank · microbatches in flight · choices)).
[[nodiscard]] auto improve_order(pipeline const& p, pipeline_schedule const& schedule, std::span<bytes const> budgets,
                                 annealing_options const& options, function_ref<bool()> stop) -> pipeline_schedule;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/improve_order.ipp>
#endif

#endif
