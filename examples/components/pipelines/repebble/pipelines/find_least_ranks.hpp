#ifndef REPEBBLE_PIPELINES_FIND_LEAST_RANKS_HPP
#define REPEBBLE_PIPELINES_FIND_LEAST_RANKS_HPP

// The least number of ranks that stages in a row need: by filling each rank as far as its memory goes, which is exact
// as what a rank needs grows with its stages. The program `pipeline` asks it with --least-ranks.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/plan_pipeline.hpp>

namespace repebble::inline v0 {

/// Stages in a row, on one rank, as one. Of several, the gradients of weights come with those of inputs, transfers
/// between them take nothing, and its choices take one step of one stage after the other, the least time for each byte
/// first.  O(choices · stages).  Requires: at least one stage, of a pipeline that `check_pipeline` accepts.
[[nodiscard]] auto merge_stages(std::span<pipeline_stage const> row) -> pipeline_stage;

/// The first stages of the parts of a row, in each of which all fit on a rank of so many bytes, with one microbatch at
/// a time: no more parts than `ranks`, or as few as there can be; of such cuts one whose longest part takes least time.
/// Nothing where there is none.  O(stages · log time).  Requires: as `merge_stages`; the budget is not negative.
[[nodiscard]] auto cut_row(std::span<pipeline_stage const> row, bytes budget, std::optional<std::size_t> ranks = {})
    -> std::optional<std::vector<std::size_t>>;

/// The least number of ranks, and a plan for it.
struct least_ranks {
    std::size_t ranks = 0;  ///< the stages in a row fit on so many, and on no fewer; 0: a stage alone does not fit
    std::size_t lower_bound = 0;  ///< wherever whole stages lie, in a row or not, they need so many
    pipeline placed{};            ///< a stage for each rank, of equal times as far as they fit
    pipeline_plan plan{};         ///< of `placed`: the makespan, and what no schedule on these stages is below
    std::optional<std::size_t> too_large{};  ///< the first stage that does not fit on a rank

    friend auto operator==(least_ranks const&, least_ranks const&) -> bool = default;
};

/// The least ranks on which the stages fit, a part of the row on each, where every rank has `budget` bytes. Exact: a
/// rank needs what `find_least_bytes` says, more stages need no less, and so no cut of the row has fewer parts than
/// filling one rank after the other. For any placement the bytes that are constant or kept of one microbatch are a
/// bound, and the stages that take more than half of a rank. Of the cuts into so many parts one is taken whose longest
/// part takes least time. Where the stages lie now does not matter. O(stages · log time) and a plan.
/// Throws as `check_pipeline` and `plan_pipeline`.
[[nodiscard]] auto find_least_ranks(pipeline const& p, bytes budget, pipeline_options const& options = {})
    -> least_ranks;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/find_least_ranks.ipp>
#endif

#endif
