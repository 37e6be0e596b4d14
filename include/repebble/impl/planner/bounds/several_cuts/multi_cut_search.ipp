#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_MULTI_CUT_SEARCH_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_MULTI_CUT_SEARCH_IPP

#include <repebble/planner/detail/bounds/several_cuts/multi_cut_search.hpp>

#include <optional>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/branching_score.hpp>
#include <repebble/planner/detail/bounds/several_cuts/dual_ascent.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE multi_cut_search::multi_cut_search(std::vector<first_run_cut> cuts, bytes budget, bytes unit, std::int64_t cutoff,
                 std::size_t ascent_steps, stop_test stop) : cuts_(std::move(cuts)), budget_(budget), unit_(unit), cutoff_(cutoff), scale_(cuts_, budget, unit) {
    if (scale_.is_exact) {
        evaluate({}, std::vector<double>(cuts_.size(), 0.0), 0, ascent_steps, stop);
    } else {
        subproblems_.push_leaf(0);
    }
}

REPEBBLE_INLINE void multi_cut_search::branch(stop_test stop) {
    subproblems_.branch([&] { return target(); }, stop,
                        [&](subproblem const& whole, bool yes) {
                            auto decisions = whole.decisions;
                            if (auto const* checkpoint = std::get_if<checkpoint_decision>(&whole.next)) {
                                decisions.checkpoints.push_back({checkpoint->cut, checkpoint->value, yes});
                            } else {
                                auto const& run = std::get<interval_run>(whole.next);
                                decisions.runs.push_back({run.interval, run.operation, yes});
                            }
                            evaluate(std::move(decisions), whole.multipliers, whole.bound, constants().node_steps,
                                     stop);
                        });
}

REPEBBLE_INLINE void multi_cut_search::evaluate(branching_decisions decisions, std::vector<double> multipliers,
                                                std::int64_t bound, std::size_t ascent_steps, stop_test stop) {
    propagation const decided(cuts_, budget_, unit_, decisions);
    capacity_rows const capacities(decided);
    if (!capacities.fit()) return;  // infeasible
    multi_cut_relaxation const chain(capacities, scale_.scale);
    auto const visit = [&](relaxed_choice const& now) { offer(now, decided, capacities, chain); };
    dual_ascent ascent(capacities, chain, scale_, flows_);
    auto top = ascent.by_subgradients(std::move(multipliers), ascent_steps, aim(), visit, stop);
    if (!top.feasible) return;
    bound = std::max(bound, top.bound);
    if (bound >= target()) {
        cutoff_reached_ = cutoff_reached_ || bound >= cutoff_;
        return;
    }
    auto const score = score_of(decided, chain, top.choice);
    if (decisions.empty()) estimate_ = static_cast<std::int64_t>(top.value) + score.gap;
    std::optional<std::variant<checkpoint_decision, interval_run>> next;
    if (auto const h = top.most_fractional(decided.model(), chain)) next = chain.checkpoints()[*h];
    auto const least_gap = constants().branching_gain * static_cast<double>(target() - bound);
    if (score.value && static_cast<double>(score.value_gap) >= least_gap) next = *score.value;
    bool const may_run = !decided.model().without.contains(technique::run_branching);
    if (may_run && score.run && score.run_gap >= score.value_gap && static_cast<double>(score.run_gap) >= least_gap)
        next = *score.run;
    if (score.open) next = *score.open;
    if (next) {
        subproblems_.push({bound, *next, std::move(top.multipliers), std::move(decisions)});
    } else {
        subproblems_.push_leaf(bound);
    }
}

REPEBBLE_INLINE void multi_cut_search::offer(relaxed_choice const& now, propagation const& decided, capacity_rows const& capacities,
           multi_cut_relaxation const& chain) {
    if (!capacities.fit(now.choice.used)) return;
    auto const time = now.time / scale_.scale + score_of(decided, chain, now.choice).gap;
    if (time >= best_time_) return;
    best_time_ = time;
    best_ = chain.choices(now.choice);
}

}  // namespace repebble::inline v0::detail

#endif
