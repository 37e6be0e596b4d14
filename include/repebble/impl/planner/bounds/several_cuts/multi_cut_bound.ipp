#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_MULTI_CUT_BOUND_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_MULTI_CUT_BOUND_IPP

#include <repebble/planner/detail/bounds/several_cuts/multi_cut_bound.hpp>

#include <cstddef>
#include <functional>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto violated_cuts(planning_model const& m, std::span<operation_index const> computations, bytes budget)
    -> std::vector<operation_index> {
    auto const loads = sequence_loads(m, computations);
    std::vector<bool> ran(m.operation_count(), false);
    std::vector<std::pair<bytes, std::size_t>> violated;
    for (std::size_t k = 0; k < loads.size(); ++k) {
        auto const v = computations[k];
        if (!ran[v] && m.required[v] && loads[k] > budget) violated.emplace_back(loads[k], k);
        ran[v] = true;
    }
    sort_by(violated, std::greater<>{});
    std::vector<operation_index> all;
    for (auto const& [load, k] : violated) all.push_back(computations[k]);
    return all;
}

REPEBBLE_INLINE auto multi_cut_bound::improve(std::int64_t cutoff, std::size_t flows, stop_test stop) -> std::size_t {
    work left{flows, 0};
    auto const over = [&] { return left.is_spent() || bound_ >= cutoff || infeasible_ || stop(); };
    if (search_) search_->lower(cutoff);
    while (!over()) {
        bool const full = chain_.size() >= m_.effort.most_cuts;
        if (search_) branch(*search_, left, full ? left.rest() : left.rest() / m_.effort.branch_part, stop);
        if (full || over()) break;
        auto extended = search_ ? with_violated_cut(cutoff, left, stop) : started(chain_, cutoff, left, stop);
        if (!extended && search_ && !search_->is_settled()) {
            branch(*search_, left, left.rest() / m_.effort.settle_part, stop);
            if (search_->is_settled()) continue;
        }
        if (!extended && !over()) extended = with_best_cut(cutoff, left, left.rest() / m_.effort.trial_part, stop);
        if (!extended) {
            if (search_) branch(*search_, left, left.rest(), stop);
            break;
        }
        chain_ = extended->cuts();
        search_ = std::move(extended);
        rejected_.clear();
    }
    return left.done;
}

REPEBBLE_INLINE void multi_cut_bound::spend(multi_cut_search& search, work& left, std::size_t most, stop_test stop,
           function_ref<void(stop_test)> go_on) {
    auto const cut_count = search.cuts().size();
    auto const before = search.flows();
    go_on([&] { return (search.flows() - before) * cut_count >= most || stop(); });
    note(search);
    left.done += (search.flows() - before) * cut_count;
}

REPEBBLE_INLINE auto multi_cut_bound::started(std::vector<first_run_cut> chain, std::int64_t cutoff, work& left, stop_test stop)
    -> std::optional<multi_cut_search> {
    std::optional<multi_cut_search> search;
    search.emplace(std::move(chain), budget_, unit_, cutoff, m_.effort.root_steps, stop);
    left.done += search->flows() * search->cuts().size();
    note(*search);
    return search;
}

REPEBBLE_INLINE auto multi_cut_bound::with_violated_cut(std::int64_t cutoff, work& left, stop_test stop) -> std::optional<multi_cut_search> {
    auto const played = computations(step_limit(m_));
    if (!played || m_.without.contains(technique::violated_cuts)) return std::nullopt;
    auto const part = left.rest() / (m_.effort.violated_part * m_.effort.violated_trials);
    std::optional<multi_cut_search> best;
    std::size_t tried = 0;
    for (auto const v : violated_cuts(m_, *played, budget_)) {
        if (!search_->is_settled() && std::ranges::find(rejected_, v) != rejected_.end()) continue;
        auto extended = with_cut(v);
        if (!extended) continue;
        auto search = started(std::move(*extended), cutoff, left, stop);
        if (infeasible_ || bound_ >= cutoff) return search;
        branch(*search, left, part, stop);
        rejected_.push_back(v);
        if (!best || search->bound() > best->bound()) best = std::move(search);
        if (++tried == m_.effort.violated_trials || left.is_spent() || stop()) break;
    }
    // The optimum of the longer chain is no less than that of the chain, if that is known.
    if (best && (search_->is_settled() || best->bound() > search_->bound())) return best;
    return std::nullopt;
}

REPEBBLE_INLINE auto multi_cut_bound::with_best_cut(std::int64_t cutoff, work& left, std::size_t most, stop_test stop)
    -> std::optional<multi_cut_search> {
    auto const known = search_ ? search_->bound() : bound_;
    auto const end = left.done + most;
    auto const roots = m_.effort.trial_roots_part;
    std::vector<multi_cut_search> tried;
    auto const over = [&] { return bound_ >= cutoff || infeasible_ || left.done >= end || stop(); };
    // A part of the work for the roots, and the rest in equal parts for each round of halving.
    for (auto const v : candidates_) {
        if (over() || left.done + (roots - 1) * most / roots > end) break;
        auto extended = with_cut(v);
        if (!extended) continue;
        auto const& search =
            tried.emplace_back(std::move(*extended), budget_, unit_, cutoff, m_.effort.trial_steps, stop);
        left.done += search.flows() * search.cuts().size();
        note(search);
    }
    // The largest bounds and the largest estimates; of equal ones, one.
    auto const quality = [](multi_cut_search const& s) { return std::pair(s.bound(), s.estimate()); };
    auto const by_bound = [](auto const& a, auto const& b) { return a.bound() > b.bound(); };
    sort_by(tried, [&](auto const& a, auto const& b) { return quality(a) > quality(b); });
    auto const same = std::ranges::unique(tried, {}, quality);
    tried.erase(same.begin(), same.end());
    auto const first = std::min<std::ptrdiff_t>(m_.effort.trials_by_bound, std::ssize(tried));
    sort_by(
        tried, [](auto const& a, auto const& b) { return a.estimate() > b.estimate(); },
        static_cast<std::size_t>(first));
    tried.erase(tried.begin() + std::min<std::ptrdiff_t>(first + m_.effort.trials_by_estimate, std::ssize(tried)),
                tried.end());
    std::size_t halves = 1;
    while ((tried.size() >> halves) > 0) ++halves;
    auto const part = (end - std::min(end, left.done)) / halves;
    while (!tried.empty() && !over()) {
        for (auto& search : tried)
            if (!over()) branch(search, left, tried.size() > 1 ? part / tried.size() : end - left.done, stop);
        if (tried.size() == 1) break;
        auto const half = std::ssize(tried) / 2;
        std::erase_if(tried, [&](auto const& s) { return s.is_solved() && s.bound() <= known; });
        sort_by(tried, by_bound);
        if (std::ssize(tried) > half) tried.erase(tried.begin() + half, tried.end());
    }
    sort_by(tried, by_bound);
    if (tried.empty() || tried.front().bound() <= known) return std::nullopt;
    return std::move(tried.front());
}

}  // namespace repebble::inline v0::detail

#endif
