#ifndef REPEBBLE_PIPELINES_PLAN_PIPELINE_HPP
#define REPEBBLE_PIPELINES_PLAN_PIPELINE_HPP

// Plans of pipelines: an order of passes, and what each stage keeps of each microbatch, within a budget for each rank,
// of a short makespan; with bounds on how much shorter any can be.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <repebble/graph/limits.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/pipeline_schedule.hpp>
#include <repebble/pipelines/verify_pipeline.hpp>

namespace repebble::inline v0 {

/// From where an order of passes is.
enum class pipeline_order : std::uint8_t {
    given,                     ///< by the caller
    one_at_a_time,             ///< one microbatch after the other
    one_forward_one_backward,  ///< 1F1B, interleaved where a rank has several stages
    zero_bubble,               ///< 1F1B with gradients of weights in idle time
    v_shaped,                  ///< a block that repeats, of a pipeline that goes there and back; the same in idle time
    found,                     ///< a search found it: a block, or passes one by one
};

[[nodiscard]] constexpr auto to_string(pipeline_order order) -> char const* {
    switch (order) {
        case pipeline_order::given:
            return "given";
        case pipeline_order::one_at_a_time:
            return "one at a time";
        case pipeline_order::one_forward_one_backward:
            return "1F1B";
        case pipeline_order::zero_bubble:
            return "zero bubble";
        case pipeline_order::v_shaped:
            return "V-shaped";
        case pipeline_order::found:
            return "found";
    }
    return "unknown";
}

/// Options of `plan_pipeline`.
struct pipeline_options {
    /// `work`: tries of the search. A tenth, at most 2,000, are blocks, each O(passes · (ranks + in flight)); the others
    /// change passes of the best schedule, each O(passes). None: 500,000, or 750 million through the number of passes.
    repebble::limits limits{};
    std::uint64_t seed = 1;                 ///< of the search
    std::optional<pipeline_order> order{};  ///< the only one that is tried; none: the best of all
};

/// The plan of a pipeline.
struct pipeline_plan {
    /// Nothing where none fits: with orders given, or without `pipeline_options::order`, none exists.
    std::optional<pipeline_schedule> schedule{};
    pipeline_cost cost{};                            ///< of the schedule, by `verify_pipeline`
    pipeline_order made_by = pipeline_order::given;  ///< where its order is from
    std::int64_t order_bound{};                      ///< no choices within the budgets make this order faster
    std::int64_t lower_bound{};                      ///< no schedule within the budgets is faster, in any order
    std::vector<bytes> least{};  ///< of each rank: no schedule, or none of the given order, needs less

    /// By how much the makespan may exceed the least one of any order, as a share of the bound.
    [[nodiscard]] auto gap() const -> double {
        return lower_bound <= 0 ? 0 : static_cast<double>(cost.makespan) / static_cast<double>(lower_bound) - 1;
    }
    friend auto operator==(pipeline_plan const&, pipeline_plan const&) -> bool = default;
};

/// A schedule within the budgets. Orders: one microbatch after the other, which fits wherever any does; 1F1B with so
/// many microbatches in flight as memory allows, and with less; interleaved 1F1B; zero bubble (ZB-H1, ZB-H2 and what
/// lies between them and below) by real times; V-shaped blocks from the one of least memory (V-Min) over V-Half to that
/// of full speed (ZB-V); and blocks that a local search finds. In each, choices are changed where a pass lacks memory,
/// and those of the best orders by a local search, so that what is computed again lies in idle time where it can. The
/// best schedule is improved pass by pass, until the bound is reached or tries are used up.
/// Equal calls without seconds and `stop` give equal plans.
/// Throws as `check_pipeline`, bad_weight where a budget is negative, bad_option where there is not one for each rank.
[[nodiscard]] auto plan_pipeline(pipeline const& p, std::span<bytes const> budgets,
                                 pipeline_options const& options = {}) -> pipeline_plan;

/// The choices of a given order, with gradients together or apart: they fit wherever any choices of this order do.
/// Throws illegal_pipeline where passes are missing, too many, or wait for each other; and as above.
[[nodiscard]] auto plan_pipeline(pipeline const& p, pass_orders const& orders, std::span<bytes const> budgets,
                                 pipeline_options const& options = {}) -> pipeline_plan;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/plan_pipeline.ipp>
#endif

#endif
