#ifndef REPEBBLE_IMPL_PLANNER_BUDGET_SEARCH_IPP
#define REPEBBLE_IMPL_PLANNER_BUDGET_SEARCH_IPP

#include <repebble/planner/detail/budget_search.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/starts/eviction_start.hpp>
#include <repebble/planner/detail/starts/forward_repair.hpp>
#include <repebble/planner/detail/starts/windows_start.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE void budget_search::run() {
    if (floor_of(relaxed_).size > budget_) {
        infeasible_ = true;
        return;
    }
    if (is_on(technique::no_recomputation)) {
        profile::scope const work(counts_, technique::no_recomputation);
        std::vector<operation_index> once;
        std::ranges::copy_if(m_.order, std::back_inserter(once), [&](auto const v) { return m_.chosen[v]; });
        offer("keep_all", once);
    }
    // Small ones have their first plans at once.
    auto const is_over = [&] { return is_good() || (is_large(m_) && clock_.is_late()); };
    if (is_over()) return;
    // Sequences do not tell all of views.
    if (m_.has_views) {
        search_exactly(m_.effort.many_states, m_.effort.until_exact);
        if (is_optimal_ || infeasible_) return;
    }
    run_in_order();
    if (is_over()) return;
    start_in_windows();
    if (is_over()) return;
    bool const tiny = is_tiny();
    if (tiny) divide();
    evict();
    if (!tiny && !best()) divide();
    if (is_done()) return;
    auto cut = [&] {
        profile::scope const work(counts_, technique::one_cut);
        return best_cut_bound(relaxed_, budget_, cuts_to_try(),
                              [&] { return clock_.is_over(m_.effort.until_one_cut); });
    }();
    note_one_cut(cut);
    if (infeasible_) return;
    auto const bound_further = [&] {
        find_starts(cut);
        bool const small = exact_ && exact_->is_open();
        if (small && best()) search_exactly(m_.effort.few_states, m_.effort.until_exact);
        bound_by_several(cut, m_.effort.several_cuts_share,
                         small || hard_ ? m_.effort.until_several_hard : m_.effort.until_several);
        if (infeasible_) return;
        search_exactly(best() ? m_.effort.few_states : m_.effort.many_states,
                       starts_.empty() ? 1 : m_.effort.until_exact);
    };
    bool const can_anneal = can_add_up(m_) && is_on(technique::annealing);
    // The exact search of small graphs has all threads' time.
    if (!starts_.empty() && !is_done() && can_anneal && !(exact_ && exact_->is_open()))
        annealing_.start_beside(starts_.back().computations, bound_further);
    else
        bound_further();
    if (infeasible_) return;
    if (first_) starts_.push_back({"larger budget", *first_});
    if (starts_.empty()) return search_to_the_end();
    if (!is_done() && can_anneal) {
        profile::scope const work(counts_, technique::annealing);
        annealing_.begin(anneal_from_.take(starts_.back().computations), divided_);
    }
    search_exactly(m_.effort.many_states, best() ? exact_end(m_) : 1);
    if (!infeasible_) annealing_.go_on_beside([&] { bound_by_max_sat(m_.effort.until_max_sat); });
    if (!is_done() && can_anneal) evolve(hard_ ? m_.effort.until_evolved_hard : m_.effort.until_evolved);
    annealing_.go_on_beside([&] { bound_late(cut); });
    if (!is_done() && !infeasible_ && can_anneal) evolve(1);
    search_to_the_end();
}

REPEBBLE_INLINE auto budget_search::consider(char const* name, std::vector<operation_index> const& sequence) -> bool {
    auto const time = sequence_time(m_, sequence);
    if (time > 8 * most_time || !runs_as_allowed(sequence)) return false;
    auto const loads = sequence_loads(m_, sequence);
    found_.consider(name, loads.empty() ? 0 : std::ranges::max(loads), time, sequence);
    return true;
}

REPEBBLE_INLINE auto budget_search::runs_as_allowed(std::vector<operation_index> const& sequence) const -> bool {
    std::vector<bool> ran(m_.operation_count(), false);
    for (auto const v : sequence) {
        if (ran[v] && !m_.operations[v].recomputable) return false;
        ran[v] = true;
    }
    return true;
}

REPEBBLE_INLINE void budget_search::run_in_order() {
    if (ordered_ == nullptr || !ordered_->is_applicable() || !is_on(technique::order_of_least_peak)) return;
    profile::scope const work(counts_, technique::order_of_least_peak);
    std::optional<double> seconds;
    if (auto const left = clock_.left()) seconds = *left * m_.effort.order_share;
    auto const& m = ordered_->model(seconds);
    offer("least_peak_order", m.order);
    if (is_good() || !is_on(technique::eviction) || m.order == m_.order) return;  // `evict` has that one
    if (auto sequence = best_eviction_start(m, budget_, step_limit(m),
                                            [&](bool) { return clock_.is_over(m_.effort.until_evicted); }))
        offer("eviction", std::move(*sequence));
}

REPEBBLE_INLINE void budget_search::start_in_windows() {
    if (has_alternatives_ || !is_on(technique::disjoint_windows)) return;
    profile::scope const work(counts_, technique::disjoint_windows);
    auto made = start_by_windows(m_, relaxed_, budget_, step_limit(m_), [&] { return clock_.is_over(1); });
    found_.raise_bound(made.bound);
    if (made.sequence) offer("disjoint_windows", std::move(*made.sequence));
}

REPEBBLE_INLINE void budget_search::evict() {
    if (!is_on(technique::eviction)) return;
    profile::scope const work(counts_, technique::eviction);
    // The first goes on beyond the time limit where there is no plan: then there is one, mostly.
    bool const has_plan = best() != nullptr;
    if (auto sequence = best_eviction_start(m_, budget_, step_limit(m_), [&](bool again) {
            return again || has_plan ? clock_.is_over(m_.effort.until_evicted) : clock_.is_late();
        }))
        offer("eviction", std::move(*sequence));
    if (has_plan && found_.best() != nullptr && starts_.back().computations != found_.best()->computations)
        if (auto const faster = std::ranges::find(starts_, found_.best()->computations, &candidate::computations);
            faster != starts_.end())
            std::swap(*faster, starts_.back());
}

REPEBBLE_INLINE void budget_search::divide() {
    if (baselines_ == nullptr || !is_on(technique::baselines)) return;
    profile::scope const work(counts_, technique::baselines);
    if (auto found = baselines_->decomposed(budget_, clock_.left())) {
        auto sequence = completed(std::move(found->computations));
        if (offer(found->name, sequence)) divided_ = std::move(sequence);
    }
}

REPEBBLE_INLINE void budget_search::note_one_cut(best_cut_bound& cut) {
    profile::scope const work(counts_, technique::one_cut);
    infeasible_ = infeasible_ || cut.infeasible_at();
    if (infeasible_) return;
    best_cut_ = cut.at();
    found_.raise_bound(cut.bound());
    if (auto sequence = cut.computations()) static_cast<void>(consider("one_cut", *sequence));
}

REPEBBLE_INLINE void budget_search::search_exactly(std::size_t states, double until) {
    if (is_done()) return;
    auto const known = known_time();
    if (search_states(known, states, until) || infeasible_ || is_done()) return;
    if (baselines_ == nullptr || !is_on(technique::canonical_schedule) || std::exchange(tried_canonical_, true))
        return;
    profile::scope const work(counts_, technique::canonical_schedule);
    std::optional<double> seconds;
    if (auto const left = clock_.left()) seconds = *left / m_.effort.canonical_time_part;
    if (auto found = baselines_->canonical(budget_, known, seconds, canonical_share(seconds)))
        offer(found->name, completed(std::move(found->computations)));
}

REPEBBLE_INLINE auto budget_search::search_states(std::optional<std::int64_t> known, std::size_t states, double until) -> bool {
    if (!exact_ || !exact_->is_open() || !is_on(technique::best_first_pebbling)) return false;
    profile::scope const work(counts_, technique::best_first_pebbling);
    if (options_.limits.seconds) states = m_.effort.most_states;
    auto answer = exact_->search(known, states, [&] { return clock_.is_over(until); });
    infeasible_ = infeasible_ || answer.infeasible;
    found_.raise_bound(answer.lower_bound);
    if (!answer.found) return false;
    offer("optimal_pebbling", completed(baselines_->contract(computations_of(*answer.found))));
    exact_plan_ = std::move(answer.found);
    is_optimal_ = answer.optimal;
    return true;
}

REPEBBLE_INLINE void budget_search::find_starts(best_cut_bound& cut) {
    // Neither cuts nor other strategies know of alternatives: annealing starts from a sequence that does.
    bool const is_begun = has_alternatives_ && best() != nullptr;
    {
        profile::scope const work(counts_, technique::one_cut);
        improve_bound(cut, m_.effort.early_one_cut_share);
    }
    if (!is_begun) start_from_cut(cut);
    if (is_done() || baselines_ == nullptr || !is_on(technique::baselines)) return;
    profile::scope const work(counts_, technique::baselines);
    bool const saving = divided_.empty() || m_.operation_count() <= m_.effort.most_saved_flow;
    for (auto& c : baselines_->candidates(budget_, saving, [&] { return clock_.left(); })) {
        auto sequence = completed(std::move(c.computations));
        if (is_begun)
            consider(c.name, sequence);
        else
            offer(c.name, std::move(sequence));
    }
}

REPEBBLE_INLINE void budget_search::start_from_cut(best_cut_bound const& cut) {
    profile::scope const work(counts_, technique::one_cut);
    if (auto sequence = cut.computations()) offer("one_cut", std::move(*sequence));
    if (!first_) repair_forward(cut);
    if (best()) return;
    if (auto sequence = cut.forgetful_computations(step_limit(m_))) {
        offer("forgetful", std::move(*sequence));
        if (starts_.size() > 1) std::swap(starts_.back(), starts_[starts_.size() - 2]);
    }
}

REPEBBLE_INLINE void budget_search::bound_late(best_cut_bound& cut) {
    if (max_sat_.leads()) return bound_by_max_sat(1);
    improve_bound(cut, 1);
    if (hard_) several_.reset();  // with a good plan at hand, other cuts are found
    bound_by_several(cut, m_.effort.late_several_cuts_share, 1);
}

REPEBBLE_INLINE void budget_search::repair_forward(best_cut_bound const& cut) {
    if (is_done() || !is_on(technique::forward_repair) || !can_repair_forward(m_)) return;
    profile::scope const work(counts_, technique::forward_repair);
    auto cuts = cut.cuts();
    cuts.resize(std::min(cuts.size(), m_.effort.most_repaired_cuts));
    forward_repair_starts(
        m_, budget_, cuts, forward_repair_rounds(m_),
        [&](std::vector<operation_index> const& sequence) { anneal_from_.add_for_less(sequence); },
        [&](std::vector<operation_index> sequence) { offer_repaired(std::move(sequence)); },
        [&] { return clock_.is_over(m_.effort.until_repaired); });
}

REPEBBLE_INLINE void budget_search::bound_by_several(best_cut_bound const& cut, double share, double until) {
    if (is_done() || cut.cuts().empty() || !is_on(technique::several_cuts)) return;
    profile::scope const work(counts_, technique::several_cuts);
    if (!several_) several_.emplace(relaxed_, budget_, cut.unit(), cut.cuts(), lower_bound());
    auto const flows = flows_for(share);
    auto const enough = best() ? overhead() : most_time;
    auto const over = [&] { return clock_.is_over(until); };
    // Where the time is limited, the work is not, as long as it helps, or may.
    for (bool goes_on = true; goes_on;) {
        auto const before = several_->bound();
        auto const spent = several_->improve(enough, flows, over);
        found_.raise_bound(several_->bound());
        infeasible_ = infeasible_ || several_->infeasible();
        bool const may = several_->bound() > before || (hard_ && spent > 0);
        goes_on = may && options_.limits.seconds && !is_good() && !infeasible_ && !over();
    }
    if (is_done() || infeasible_) return;
    if (auto sequence = several_->computations(step_limit(m_))) {
        auto rounds = m_.effort.chained_repair_rounds;
        if (can_repair_forward(m_))
            offer_repaired(forward_repair(m_, *sequence, budget_, step_limit(m_), rounds, over));
        if (consider("several_cuts", *sequence) && !has_alternatives_) anneal_from_.set_chained(std::move(*sequence));
    }
}

REPEBBLE_INLINE void budget_search::improve_bound(best_cut_bound& cut, double share) {
    if (cut.most() <= lower_bound() || !is_on(technique::one_cut_search)) return;
    profile::scope const work(counts_, technique::one_cut_search);
    auto const parts = one_cut_subproblems(m_, share);
    auto const n = m_.operation_count();
    // Flows from one look at the clock to the next.
    auto const looks = n > m_.effort.large_cut_flow ? std::size_t{1} : m_.effort.cut_looks;
    // In the end a bound of large graphs that has not risen for so many flows hardly will.
    auto const patience = share < 1 || n < m_.effort.patient_flow ? std::numeric_limits<std::size_t>::max() : parts;
    std::size_t k = 0, raised = 0;
    auto const begin = clock_.seconds();
    cut.improve(parts, [&] {
        if (cut.bound() > lower_bound()) raised = k;
        found_.raise_bound(cut.bound());
        if (k - raised > patience) return true;
        bool const over =
            options_.limits.seconds && share < 1 && clock_.seconds() - begin > *options_.limits.seconds * share;
        return over || (++k % looks == 0 && is_done());
    });
    found_.raise_bound(cut.bound());
}

}  // namespace repebble::inline v0::detail

#endif
