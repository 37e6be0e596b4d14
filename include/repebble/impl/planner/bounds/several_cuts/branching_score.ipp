#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_BRANCHING_SCORE_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_BRANCHING_SCORE_IPP

#include <repebble/planner/detail/bounds/several_cuts/branching_score.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>

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

}  // namespace repebble::inline v0::detail

#endif
