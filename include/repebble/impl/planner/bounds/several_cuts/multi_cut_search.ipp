#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_MULTI_CUT_SEARCH_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_MULTI_CUT_SEARCH_IPP

#include <repebble/planner/detail/bounds/several_cuts/multi_cut_search.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/dual_ascent.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto score_of(propagation const& decided, multi_cut_relaxation const& chain,
                              multi_cut_relaxation::answer const& chosen) -> branching_score {
    constexpr std::int64_t no_value = -1;
    auto const& m = decided.model();
    auto const cut_count = decided.cuts().size();
    std::vector<std::vector<bool>> missing(cut_count, std::vector<bool>(m.value_count(), false));
    std::vector<std::vector<value_index>> kept(cut_count);
    for (std::size_t h = 0; h < chain.checkpoints().size(); ++h) {
        auto const [i, x] = chain.checkpoints()[h];
        missing[i][x] = !chosen.is_kept[h];
        if (chosen.is_kept[h]) kept[i].push_back(x);
    }
    std::vector<bool> runs_later(m.operation_count(), false);
    std::vector<std::int64_t> excluded_value(m.operation_count()), gap_of(m.value_count());
    branching_score out;
    for (auto i = cut_count; i > 0; --i) {
        auto ran = decided.certain_runs(i);
        std::ranges::fill(excluded_value, no_value);
        std::ranges::fill(gap_of, 0);
        auto const is_missing = [&](value_index x) { return missing[i - 1][x] || decided.is_excluded(i - 1, x); };
        auto const run_for = [&](value_index x) {
            decided.run_for(i, x, ran, is_missing, [&](operation_index p) { excluded_value[p] = x; });
        };
        decided.for_each_required(i, run_for);
        if (i < cut_count) std::ranges::for_each(kept[i], run_for);
        bool contradicts = false;
        for (operation_index p = 0; p < m.operation_count(); ++p) {
            if (!ran[p]) continue;
            // An operation that is neither before nor after some cut is seen after that cut only.
            bool const later = i < cut_count && (runs_later[p] || chain.runs_after(chosen, i, p));
            if (later && !decided.is_charged(i, p)) {
                auto const gap_here = m.operations[p].again;
                out.gap += gap_here;
                if (decided.is_never(i, p)) {
                    contradicts = true;
                } else if (gap_here > out.run_gap && decided.cuts()[i - 1].is_before(p)) {
                    out.run_gap = gap_here;
                    out.run = interval_run{i, p};
                }
                if (excluded_value[p] == no_value) continue;
                auto const x = static_cast<value_index>(excluded_value[p]);
                gap_of[x] += gap_here;
                if (gap_of[x] > out.value_gap && missing[i - 1][x]) {
                    out.value_gap = gap_of[x];
                    out.value = checkpoint_decision{i - 1, x};
                }
            }
            runs_later[p] = true;
        }
        for (operation_index p = 0; contradicts && p < m.operation_count(); ++p) {
            if (!ran[p] || !decided.is_never(i, p)) continue;
            for (auto const x : m.writes[p])
                if (decided.is_open(i - 1, x) && (!out.open || m.sizes[x] > m.sizes[out.open->value]))
                    out.open = checkpoint_decision{i - 1, x};
        }
    }
    return out;
}

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
