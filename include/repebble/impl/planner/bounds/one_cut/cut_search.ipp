#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_ONE_CUT_CUT_SEARCH_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_ONE_CUT_CUT_SEARCH_IPP

#include <repebble/planner/detail/bounds/one_cut/cut_search.hpp>

#include <functional>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/planner/detail/model/usual_work.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto byte_units(planning_model const& m,
                                     std::size_t most) -> std::vector<bytes> {
    auto const& e = m.effort;
    std::vector<std::pair<bytes, bytes>> total;  // bytes of all values of one size, that size
    std::vector<bytes> sizes;
    for (auto const s : m.sizes)
        if (s > 0) sizes.push_back(s);
    std::sort(sizes.begin(), sizes.end());
    for (std::size_t k = 0; k < sizes.size();) {
        auto const same =
            static_cast<std::size_t>(std::upper_bound(sizes.begin(), sizes.end(), sizes[k]) - sizes.begin()) - k;
        if (sizes[k] > sizes.back() / e.unit_smallest_part)
            total.emplace_back(sizes[k] * static_cast<bytes>(same), sizes[k]);
        k += same;
    }
    sort_by(total, std::greater<>{});
    if (total.size() > e.unit_sizes) total.resize(e.unit_sizes);
    std::vector<bytes> units{1};
    for (bytes subproblem = 1; subproblem <= e.unit_parts; ++subproblem)
        for (auto const& [all, size] : total)
            for (auto const unit : {size / subproblem, (size + subproblem - 1) / subproblem})
                if (unit > 1 && units.size() < most) units.push_back(unit);
    sort_unique(units);
    return units;
}

REPEBBLE_INLINE void cut_search::choose_unit(std::vector<bytes> const& units, stop_test stop) {
    if (!feasible_ || is_solved()) return;
    auto const before = bound();
    auto best = before;
    for (auto const u : units) {
        if (stop()) break;
        auto const r = cut_relaxation(cut_, budget_, u, given_).solve(best_time(), -1, stop);
        offer(r.fits);
        if (!r.feasible || r.bound <= best) continue;
        best = r.bound;
        unit_ = u;
    }
    bound_ = std::max(bound_, best);
    if (unit_ == 1) return;
    subproblems_.begin(bound_, [&] { evaluate(given_, bound_, stop); });
}

REPEBBLE_INLINE void cut_search::branch(std::size_t parts, stop_test stop) {
    auto const is_over = [&] { return parts-- == 0 || stop(); };
    subproblems_.branch([&] { return best_time(); }, is_over,
                        [&](subproblem const& parent, bool kept) {
                            bound_ = std::max(bound_, std::min(parent.bound, subproblems_.leaf_bound()));
                            auto decisions = parent.decisions;
                            decisions.push_back({parent.next, kept});
                            evaluate(std::move(decisions), parent.bound, stop);
                        });
}

REPEBBLE_INLINE void cut_search::fill(cut_relaxation::result const& r) {
    auto const& m = cut_.model();
    auto const capacity = cut_.capacity(budget_);
    if (!r.fits || !r.beyond || r.fits->size > capacity || r.fits->time <= r.bound) return;
    if (m.without.contains(technique::fill_capacity)) return;
    auto const is_allowed = [&](checkpoint_choice const& c) {
        return std::ranges::none_of(given_, [&](cut_decision const& d) { return !d.kept && c.kept[d.value] != 0; });
    };
    auto const& e = m.effort;
    auto const tries = limited_to(e.least_fill_trials, e.fill_work / (m.operation_count() + 1), e.most_fill_trials);
    offer(fill_capacity(cut_, *r.fits, *r.beyond, capacity, tries, is_allowed));
}

REPEBBLE_INLINE void cut_search::evaluate(std::vector<cut_decision> decisions, std::int64_t at_least, stop_test stop) {
    auto const r = cut_relaxation(cut_, budget_, unit_, decisions).solve(best_time(), -1, stop);
    if (!r.feasible) {
        feasible_ = feasible_ && decisions.size() > given_.size();
        return;
    }
    offer(r.fits);
    if (decisions.size() == given_.size()) fill(r);
    auto const bound = std::max(at_least, r.bound);
    if (bound >= best_time()) return;
    if (auto const x = branching_value(r, decisions)) {
        subproblems_.push({bound, *x, std::move(decisions)});
    } else {
        subproblems_.push_leaf(bound);
    }
}

REPEBBLE_INLINE auto cut_search::branching_value(cut_relaxation::result const& r,
                                   std::vector<cut_decision> const& decisions) const -> std::optional<value_index> {
    auto const& m = cut_.model();
    std::vector<bool> decided(m.value_count(), false);
    for (auto const& d : decisions) decided[d.value] = true;
    auto const& kept = r.beyond ? r.beyond->kept : r.fits->kept;
    std::optional<value_index> differs, any;
    for (value_index x = 0; x < m.value_count(); ++x) {
        if (decided[x] || !kept[x] || cut_.is_input(x) || m.sizes[x] == 0 || m.producers[x].size() != 1) continue;
        if (!any || m.sizes[x] > m.sizes[*any]) any = x;
        if (r.beyond && r.fits && r.fits->kept[x]) continue;
        if (!differs || m.sizes[x] > m.sizes[*differs]) differs = x;
    }
    return differs && m.sizes[*differs] >= unit_ ? differs : any;
}

}  // namespace repebble::inline v0::detail

#endif
