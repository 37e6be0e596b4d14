#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_BRANCHING_SCORE_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_BRANCHING_SCORE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/planner/detail/bounds/several_cuts/branching_decisions.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>

namespace repebble::inline v0::detail {

/// What a choice by the relaxation (`multi_cut_relaxation`) takes beyond what the relaxation says: it pays once for
/// what runs in several intervals, where no decision tells that it must.
struct branching_score {
    std::int64_t time = 0;
    std::int64_t most = 0;                         ///< of it, by one value that is not held and not decided
    std::optional<checkpoint_decision> because{};  ///< that one
    std::int64_t most_again = 0;                   ///< of it, by one run that is not decided
    std::optional<interval_run> again{};           ///< that one
    std::optional<checkpoint_decision>
        open{};  ///< a value without which something would not run that does not, by decision
};

/// Of an answer of `chain`.  O(moments · (n + m)).
[[nodiscard]] inline auto score_of(propagation const& decided, multi_cut_relaxation const& chain,
                                   multi_cut_relaxation::answer const& chosen) -> branching_score {
    constexpr std::int64_t nobody = -1;
    auto const& m = decided.model();
    auto const moments = decided.cuts().size();
    std::vector<std::vector<bool>> missing(moments, std::vector<bool>(m.value_count(), false));
    std::vector<std::vector<value_index>> held(moments);
    for (std::size_t h = 0; h < chain.holds().size(); ++h) {
        auto const [i, x] = chain.holds()[h];
        missing[i][x] = !chosen.is_held[h];
        if (chosen.is_held[h]) held[i].push_back(x);
    }
    std::vector<bool> runs_later(m.operation_count(), false);
    std::vector<std::int64_t> because(m.operation_count()), lost(m.value_count());
    branching_score out;
    for (auto i = moments; i > 0; --i) {
        auto ran = decided.certain_runs(i);
        std::ranges::fill(because, nobody);
        std::ranges::fill(lost, 0);
        auto const is_missing = [&](value_index x) { return missing[i - 1][x] || decided.is_not_held(i - 1, x); };
        auto const run_for = [&](value_index x) {
            decided.run_for(i, x, ran, is_missing, [&](operation_index p) { because[p] = x; });
        };
        decided.for_each_wanted(i, run_for);
        if (i < moments) std::ranges::for_each(held[i], run_for);
        bool contradicts = false;
        for (operation_index p = 0; p < m.operation_count(); ++p) {
            if (!ran[p]) continue;
            // Operations that have no place among the moments show in no interval, but after one.
            bool const later = i < moments && (runs_later[p] || chain.runs_after(chosen, i, p));
            if (later && !decided.is_charged(i, p)) {
                auto const lost_here = m.operations[p].again;
                out.time += lost_here;
                if (decided.is_never(i, p)) {
                    contradicts = true;
                } else if (lost_here > out.most_again && decided.cuts()[i - 1].is_before(p)) {
                    out.most_again = lost_here;
                    out.again = interval_run{i, p};
                }
                if (because[p] == nobody) continue;
                auto const x = static_cast<value_index>(because[p]);
                lost[x] += lost_here;
                if (lost[x] > out.most && missing[i - 1][x]) {
                    out.most = lost[x];
                    out.because = checkpoint_decision{i - 1, x};
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
