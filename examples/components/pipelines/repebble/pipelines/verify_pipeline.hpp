#ifndef REPEBBLE_PIPELINES_VERIFY_PIPELINE_HPP
#define REPEBBLE_PIPELINES_VERIFY_PIPELINE_HPP

// The judge of schedules of pipelines: nothing else defines makespan or peak. Planner, tests and users share it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/find_lane_times.hpp>
#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/pipeline_schedule.hpp>

namespace repebble::inline v0 {

/// The rules that a schedule of a pipeline can break.
enum class pipeline_rule : std::uint8_t {
    lists_fit,    ///< there is a list for each rank, and a choice for each stage and microbatch
    names_exist,  ///< passes, choices, stages and microbatches exist, and the stage lies on the rank
    runs_once,    ///< every pass runs once: a forward pass, and the gradients, together or apart
    complete,     ///< no pass is missing
    no_deadlock,  ///< no passes wait for each other
};

[[nodiscard]] constexpr auto to_string(pipeline_rule rule) -> char const* {
    switch (rule) {
        case pipeline_rule::lists_fit:
            return "lists fit";
        case pipeline_rule::names_exist:
            return "names exist";
        case pipeline_rule::runs_once:
            return "runs once";
        case pipeline_rule::complete:
            return "complete";
        case pipeline_rule::no_deadlock:
            return "no deadlock";
    }
    return "unknown";
}

/// A broken rule, and where.
struct pipeline_violation {
    pipeline_rule broken = pipeline_rule::lists_fit;  ///< which
    std::size_t rank = 0;                             ///< whose list is at fault
    pipeline_pass pass{};                             ///< at fault, where the message names one
    std::string message;                              ///< the violation in one sentence

    friend auto operator==(pipeline_violation const&, pipeline_violation const&) -> bool = default;
};

/// Time and memory of a schedule of a pipeline.
struct pipeline_cost {
    std::int64_t makespan{};                      ///< time units from the first begin to the last end
    std::vector<bytes> peaks{};                   ///< of each rank: most bytes at a time
    std::vector<std::vector<step_span>> spans{};  ///< when each pass runs; it begins with what is computed again

    friend auto operator==(pipeline_cost const&, pipeline_cost const&) -> bool = default;
};

/// A cost, or the first violation.
struct pipeline_verdict {
    pipeline_cost cost{};                        ///< empty where a rule is broken
    std::optional<pipeline_violation> broken{};  ///< the first rule that is broken

    /// Whether no rule is broken.
    [[nodiscard]] explicit operator bool() const noexcept { return !broken; }
    /// The violation in one sentence; empty where there is none.
    [[nodiscard]] auto message() const -> std::string { return broken ? broken->message : ""; }

    friend auto operator==(pipeline_verdict const&, pipeline_verdict const&) -> bool = default;
};

/// Thrown by `replay_pipeline` for a schedule that cannot be carried out.
struct illegal_pipeline : error {
    /// With the message of the violation.
    explicit illegal_pipeline(pipeline_violation v) : error(v.message), what_broke(std::move(v)) {}
    pipeline_violation what_broke;  ///< rule, rank and pass
};

/// Runs a schedule: every rank runs its passes in their order, each as soon as what it reads has arrived. A forward
/// pass reads that of the stage before it; gradients of inputs, alone or with those of weights, read those of the next
/// stage, or of the last stage its forward pass; gradients of weights read those of inputs. What is computed again runs
/// right before the gradients of inputs, and waits for nothing but its rank. A transfer takes no rank's time. Bytes of
/// a microbatch are there from the begin of its forward pass to the end of the gradients of weights, as its choice
/// says. Returns the cost, or the first violation.  O(passes · microbatches in flight).  Throws as `check_pipeline`.
[[nodiscard]] auto verify_pipeline(pipeline const& p, pipeline_schedule const& schedule) -> pipeline_verdict;

/// The same cost.  Throws illegal_pipeline where a rule is broken.
[[nodiscard]] auto replay_pipeline(pipeline const& p, pipeline_schedule const& schedule) -> pipeline_cost;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/verify_pipeline.ipp>
#endif

#endif
