#ifndef REPEBBLE_PIPELINES_DETAIL_INSERT_WEIGHT_GRADIENTS_HPP
#define REPEBBLE_PIPELINES_DETAIL_INSERT_WEIGHT_GRADIENTS_HPP

// Zero bubble by real times: the gradients of weights go where a rank would be idle, or where their bytes are needed
// (Qi, Wan, Huang, Lin, "Zero bubble pipeline parallelism", 2023, section 3.1, the heuristic). An event simulation,
// which chooses on its way what each stage keeps.

#include <optional>
#include <span>

#include <repebble/graph/quantity.hpp>
#include <repebble/pipelines/detail/choice_fitter.hpp>
#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/pipeline_schedule.hpp>

namespace repebble::inline v0::detail {

/// The schedule of these lists of forward passes and gradients of inputs, with gradients of weights put in: where the
/// rank would else be idle for `patience` of their time or longer, and where the next pass lacks memory; then choices
/// change (`choice_fitter`). Nothing where passes wait for each other or do not fit.
/// O(passes · (ranks + microbatches in flight · choices)).
[[nodiscard]] auto insert_weight_gradients(pipeline const& p, pass_orders const& lists, std::span<bytes const> budgets,
                                           double patience, choice_prices const& prices = {})
    -> std::optional<pipeline_schedule>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/insert_weight_gradients.ipp>
#endif

#endif
