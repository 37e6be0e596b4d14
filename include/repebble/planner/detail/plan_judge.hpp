#ifndef REPEBBLE_PLANNER_DETAIL_PLAN_JUDGE_HPP
#define REPEBBLE_PLANNER_DETAIL_PLAN_JUDGE_HPP

// The judge of what the planners propose: what a plan takes and needs where it is carried out. By replay, over the link
// where there is one, and by its arena where that must fit; policies translate the proposal first.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <repebble/allocate/arena.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/verify_schedule.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/plan_options.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0::detail {

class plan_judge {
  public:
    /// A proposal as a schedule of the judge's dataflow; nothing where it is none.
    using translation = std::function<std::optional<schedule<>>(schedule<> const&)>;

    /// `translate`: where it is empty, proposals are schedules of `flow`. Refers to `flow` and `options`.
    plan_judge(dataflow const& flow, plan_options const& options, translation translate = {})
        : flow_(flow), options_(options), translate_(std::move(translate)) {}

    [[nodiscard]] auto flow() const noexcept -> dataflow const& { return flow_; }
    /// The plan that is carried out; nothing where it is not legal.  O(steps) and what the translation takes.
    [[nodiscard]] auto carried_out(schedule<> proposal) const -> std::optional<recompute_plan<>> {
        if (translate_) {
            auto translated = translate_(proposal);
            if (!translated) return std::nullopt;
            proposal = std::move(*translated);
        }
        auto verdict = options_.link ? verify_schedule(flow_, proposal, {}, lanes_clock(*options_.link))
                                     : verify_schedule(flow_, proposal);
        if (!verdict) return std::nullopt;
        return recompute_plan<>{std::move(proposal), std::move(verdict.result)};
    }
    /// The bytes that it needs: its peak or, with an arena, the size of that, as small as so much effort in that share
    /// of the time that is left makes it, or within the budget.
    [[nodiscard]] auto needed(recompute_plan<> const& made, bytes budget, deadline const& clock, double share,
                              double effort) const -> bytes {
        if (!options_.arena || made.cost.peak > budget) return made.cost.peak;
        offset_options offsets{.capacity = budget, .limits = clock.limits(share)};
        if (auto& seconds = offsets.limits.seconds) seconds = std::max(options_.effort.least_arena_seconds, *seconds);
        offsets.limits.work = static_cast<std::size_t>(effort * static_cast<double>(offset_options::default_work));
        return make_arena(flow_, made.schedule, {.offsets = std::move(offsets)}).size;
    }

  private:
    dataflow const& flow_;
    plan_options const& options_;
    translation translate_;
};

/// Takes a plan that is faster than that of the answer, or the first.  Returns whether it did.
inline auto take_faster(automatic_plan<>& out, recompute_plan<> made, std::string strategy) -> bool {
    if (out.plan && out.plan->cost.time <= made.cost.time) return false;
    out.plan = std::move(made);
    out.strategy = std::move(strategy);
    return true;
}
/// The same with the plan of a smaller budget, which fits, too.
inline void take_faster(automatic_plan<>& out, std::optional<recompute_plan<>> const& smaller) {
    if (smaller) take_faster(out, *smaller, "smaller budget");
}

}  // namespace repebble::inline v0::detail

#endif
