#ifndef REPEBBLE_PIPELINES_STAGE_CURVE_HPP
#define REPEBBLE_PIPELINES_STAGE_CURVE_HPP

// Stages of a pipeline from their training graphs: the choices are plans of the automatic planner at several budgets.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <repebble/graph/training/training_graph.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pipelines/pipeline.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0 {

/// What a schedule of a training graph keeps between its two passes, and what it takes for that: kept are the bytes
/// that are resident before the first operation that is not of the forward pass, computed again is all after it that
/// had run before. Gradients of weights may need all that the backward pass had. Nothing where the passes are mixed:
/// something of the forward pass runs twice, or not at all, before the first gradient. O(steps · values per step).
/// Throws illegal_schedule where the schedule breaks a rule.
[[nodiscard]] auto find_stage_choice(training_graph const& stage, schedule<> const& plan)
    -> std::optional<stage_choice>;

/// Options of `make_pipeline_stages`.
struct stage_curve_options {
    std::size_t budgets = 8;  ///< for which each stage is planned, between its floor and all kept
    double weight_share =
        0.5;                 ///< of a backward pass's time: that of gradients of weights, which may run later; 0 to 1
    plan_options planner{};  ///< of each plan; `link` and `arena` have no say
};

/// A stage of a pipeline for each training graph of a microbatch, on rank 0, without transfers or constants, which the
/// caller sets. Its choices: everything kept, and plans at budgets at equal distances, without those that take no fewer
/// bytes at some time than a faster one. Equal graphs are planned once.
/// Throws bad_weight where the times of the graphs have different units, bad_option where a share is not one, and as
/// `plan`.
[[nodiscard]] auto make_pipeline_stages(std::span<training_graph const> stages, stage_curve_options const& options = {})
    -> std::vector<pipeline_stage>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/stage_curve.ipp>
#endif

#endif
