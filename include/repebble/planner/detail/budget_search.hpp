#ifndef REPEBBLE_PLANNER_DETAIL_BUDGET_SEARCH_HPP
#define REPEBBLE_PLANNER_DETAIL_BUDGET_SEARCH_HPP

// The order of work for one budget: relaxations (bounds) → sequences from them (primal heuristics) → annealing →
// bounds again, with a good plan at hand. Each step is a technique that can be switched off and is counted (`profile`).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/annealing/annealing_search.hpp>
#include <repebble/planner/detail/annealing/cooling_run.hpp>
#include <repebble/planner/detail/annealing/start_pool.hpp>
#include <repebble/planner/detail/baselines/baseline_plans.hpp>
#include <repebble/planner/detail/bounds/clauses/max_sat_search.hpp>
#include <repebble/planner/detail/bounds/one_cut/best_cut_bound.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_bound.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/model/incumbent.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/detail/model/memory_floor.hpp>
#include <repebble/planner/detail/model/profile.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/model/tight_operations.hpp>
#include <repebble/planner/detail/starts/eviction_start.hpp>
#include <repebble/planner/detail/starts/exact_start.hpp>
#include <repebble/planner/detail/starts/forward_repair_starts.hpp>
#include <repebble/planner/detail/starts/order_start.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0::detail {

/// The search within one budget.
class budget_search {
  public:
    /// `best_cut`: the operation of the best cut, if that is known.
    /// `flow`: the dataflow of `m`, for the exact search; `baselines`: plans from elsewhere, which are asked where the
    /// bounds and the first plans leave a gap; `ordered`: the order of least peak; null: there are none. `counts`
    /// counts what each technique brings. Refers to all of them.
    budget_search(planning_model const& m, planning_model const& relaxed, bytes budget, plan_options const& options,
                  listener const& hears, profile& counts, dataflow<> const* flow, baseline_plans* baselines,
                  order_start* ordered, std::optional<operation_index> best_cut = {})
        : m_(m),
          relaxed_(relaxed),
          budget_(budget),
          options_(options),
          counts_(counts),
          baselines_(baselines),
          ordered_(ordered),
          best_cut_(best_cut),
          clock_(options.time_limit, hears),
          found_(m, budget, options.gap, hears, counts),
          max_sat_(relaxed, budget, options, clock_, found_),
          anneal_from_(m),
          annealing_(m, budget, options, hears, clock_, found_) {
        if (flow != nullptr) exact_.emplace(*flow, m, budget);
    }
    budget_search(budget_search const&) = delete;  // its parts refer to each other
    auto operator=(budget_search const&) -> budget_search& = delete;

    /// Offers a sequence from elsewhere, before `run`. False: it is not searched from.
    auto offer(char const* name, std::vector<operation_index> sequence) -> bool {
        if (!consider(name, sequence)) return false;
        starts_.push_back({name, std::move(sequence)});
        return true;
    }

    /// Begins the annealing with this sequence, which need not be within the budget.
    void begin_with(std::vector<operation_index> sequence) { first_ = std::move(sequence); }

    /// Searches until the plan is good enough, or the work or the time is spent.
    void run() {
        if (floor_of(relaxed_).size > budget_) {
            infeasible_ = true;
            return;
        }
        if (is_on(technique::no_recomputation)) {
            profile::scope const work(counts_, technique::no_recomputation);
            offer("keep_all", m_.order);
        }
        if (is_good()) return;
        run_in_order();
        if (is_good()) return;
        bool const tiny = is_tiny();
        if (tiny) divide();
        evict();
        if (!tiny && !best()) divide();
        if (is_done()) return;
        auto cut = [&] {
            profile::scope const work(counts_, technique::one_cut);
            return best_cut_bound(relaxed_, budget_, cuts_to_try(),
                                  [&] { return clock_.is_over(effort::until_one_cut); });
        }();
        note_one_cut(cut);
        if (infeasible_) return;
        auto const bound_further = [&] {
            find_starts(cut);
            bool const small = exact_ && exact_->is_open();
            if (small && best()) search_exactly(effort::few_states, effort::until_exact);
            bound_by_several(cut, effort::several_cuts_share,
                             small || hard_ ? effort::until_several_hard : effort::until_several);
            if (infeasible_) return;
            search_exactly(best() ? effort::few_states : effort::many_states,
                           starts_.empty() ? 1 : effort::until_exact);
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
        search_exactly(effort::many_states, best() ? exact_end(m_.operation_count()) : 1);
        if (!infeasible_) annealing_.go_on_beside([&] { bound_by_max_sat(effort::until_max_sat); });
        if (!is_done() && can_anneal) evolve(hard_ ? effort::until_evolved_hard : effort::until_evolved);
        annealing_.go_on_beside([&] { bound_late(cut); });
        if (!is_done() && !infeasible_ && can_anneal) evolve(1);
        search_to_the_end();
    }

    [[nodiscard]] auto infeasible() const noexcept -> bool { return infeasible_; }
    [[nodiscard]] auto lower_bound() const noexcept -> std::int64_t { return found_.lower_bound(); }
    /// The operation of the cut with the largest bound.
    [[nodiscard]] auto best_cut() const noexcept -> std::optional<operation_index> { return best_cut_; }
    /// The sequences that were offered.
    [[nodiscard]] auto starts() const noexcept -> std::vector<candidate> const& { return starts_; }
    [[nodiscard]] auto best() const noexcept -> candidate const* { return found_.best(); }
    /// All that were the best once, the fastest last.
    [[nodiscard]] auto found() const noexcept -> std::vector<candidate> const& { return found_.found(); }
    /// A plan that the model does not know, as it runs again what the model runs once; null where there is none.
    [[nodiscard]] auto outside() const noexcept -> candidate const* { return outside_ ? &*outside_ : nullptr; }
    /// The technique that found the best.
    [[nodiscard]] auto found_by() const noexcept -> technique { return found_.found_by(); }
    /// Above everything once.
    [[nodiscard]] auto overhead() const noexcept -> std::int64_t { return found_.overhead(); }

  private:
    [[nodiscard]] auto is_good() const -> bool { return found_.is_enough(found_.time()); }
    [[nodiscard]] auto is_done() const -> bool { return clock_.is_over(1) || is_good(); }
    /// False: they take too much time to be searched from.
    auto consider(char const* name, std::vector<operation_index> const& sequence) -> bool {
        auto const time = sequence_time(m_, sequence);
        if (time > 8 * most_time || !runs_as_allowed(sequence)) return false;
        auto const loads = sequence_loads(m_, sequence);
        found_.consider(name, loads.empty() ? 0 : std::ranges::max(loads), time, sequence);
        return true;
    }
    /// Whether no operation runs twice that the model allows to run once only: plans from elsewhere may know better.
    [[nodiscard]] auto runs_as_allowed(std::vector<operation_index> const& sequence) const -> bool {
        std::vector<bool> ran(m_.operation_count(), false);
        for (auto const v : sequence) {
            if (ran[v] && !m_.operations[v].recomputable) return false;
            ran[v] = true;
        }
        return true;
    }
    /// A plan of the dataflow as a sequence of the model.
    [[nodiscard]] auto completed(std::vector<operation_index> sequence) const -> std::vector<operation_index> {
        if (m_.end) sequence.push_back(*m_.end);
        return sequence;
    }
    [[nodiscard]] auto is_on(technique t) const -> bool { return !m_.without.contains(t); }
    /// Everything once in the order of least peak, or evicted along it.
    void run_in_order() {
        if (ordered_ == nullptr || !ordered_->is_applicable() || !is_on(technique::order_of_least_peak)) return;
        profile::scope const work(counts_, technique::order_of_least_peak);
        std::optional<double> seconds;
        if (auto const left = clock_.left()) seconds = *left * effort::order_share;
        auto const& m = ordered_->model(seconds);
        offer("least_peak_order", m.order);
        if (is_good() || !is_on(technique::eviction) || m.order == m_.order) return;  // `evict` has that one
        if (auto sequence = best_eviction_start(m, budget_, step_limit(m),
                                                [&](bool) { return clock_.is_over(effort::until_evicted); }))
            offer("eviction", std::move(*sequence));
    }
    void evict() {
        if (!is_on(technique::eviction)) return;
        profile::scope const work(counts_, technique::eviction);
        // The first goes on beyond the time limit where there is no plan: then there is one, mostly.
        bool const has_plan = best() != nullptr;
        if (auto sequence = best_eviction_start(m_, budget_, step_limit(m_), [&](bool again) {
                return again || has_plan ? clock_.is_over(effort::until_evicted) : clock_.is_late();
            }))
            offer("eviction", std::move(*sequence));
        if (has_plan && found_.best() != nullptr && starts_.back().computations != found_.best()->computations)
            if (auto const faster = std::ranges::find(starts_, found_.best()->computations, &candidate::computations);
                faster != starts_.end())
                std::swap(*faster, starts_.back());
    }
    /// Whether the budget is so small that greedy eviction mostly recomputes without end.
    [[nodiscard]] auto is_tiny() const -> bool {
        constexpr bytes small_share = 16;
        auto const loads = sequence_loads(m_, m_.order);
        return !loads.empty() && budget_ < std::ranges::max(loads) / small_share;
    }
    /// By nested separators of a tree decomposition.
    void divide() {
        if (baselines_ == nullptr || !is_on(technique::baselines)) return;
        profile::scope const work(counts_, technique::baselines);
        if (auto found = baselines_->decomposed(budget_, clock_.left())) {
            auto sequence = completed(std::move(found->computations));
            if (offer(found->name, sequence)) divided_ = std::move(sequence);
        }
    }
    /// The operations before whose first run the cut is tried.
    [[nodiscard]] auto cuts_to_try() const -> std::vector<operation_index> {
        if (best_cut_) return {*best_cut_};
        return tight_operations(m_, cuts_tried(m_.operation_count()));
    }
    void note_one_cut(best_cut_bound& cut) {
        profile::scope const work(counts_, technique::one_cut);
        infeasible_ = infeasible_ || cut.infeasible_at();
        if (infeasible_) return;
        best_cut_ = cut.at();
        found_.raise_bound(cut.bound());
        if (auto sequence = cut.computations()) static_cast<void>(consider("one_cut", *sequence));
    }
    /// Best first where the dataflow is small, else once by `best_canonical`.
    void search_exactly(std::size_t states, double until) {
        if (is_done()) return;
        auto const known = best() ? std::optional(found_.time()) : std::nullopt;
        if (search_states(known, states, until) || infeasible_ || is_done()) return;
        if (baselines_ == nullptr || !is_on(technique::canonical_schedule) || std::exchange(tried_canonical_, true))
            return;
        profile::scope const work(counts_, technique::canonical_schedule);
        std::optional<double> seconds;
        if (auto const left = clock_.left()) seconds = *left / 3;
        if (auto found = baselines_->canonical(budget_, known, seconds, canonical_share(seconds)))
            offer(found->name, completed(std::move(found->computations)));
    }
    /// Best first, with the time that is left; without any limit as far as memory allows.
    void search_to_the_end() {
        if (is_done() || infeasible_ || options_.moves) return;
        static_cast<void>(search_states(best() ? std::optional(found_.time()) : std::nullopt,
                                        best() ? effort::most_states_with_plan : effort::most_states, 1));
    }
    /// Of a second's work, for a canonical start: fewer moves than usual mean less of it.
    [[nodiscard]] auto canonical_share(std::optional<double> seconds) const -> double {
        if (seconds) return std::min(*seconds, 1.0);
        return options_.moves ? std::max(effort::least_canonical_share, share_of_work()) : 1.0;
    }
    /// Returns whether the best-first search found a faster sequence. Time limits it where there is a limit, then
    /// memory only; else so many states in all.
    auto search_states(std::optional<std::int64_t> known, std::size_t states, double until) -> bool {
        if (!exact_ || !exact_->is_open() || !is_on(technique::best_first_pebbling)) return false;
        profile::scope const work(counts_, technique::best_first_pebbling);
        if (options_.time_limit) states = effort::most_states;
        auto answer = exact_->search(known, states, [&] { return clock_.is_over(until); });
        infeasible_ = infeasible_ || answer.infeasible;
        found_.raise_bound(answer.lower_bound);
        if (!answer.found) return false;
        auto sequence = completed(std::move(answer.found->computations));
        if (runs_as_allowed(sequence))
            offer(answer.found->name, std::move(sequence));
        else
            outside_ = {answer.found->name, std::move(sequence)};
        return true;
    }
    /// Sequences from the best relaxed choices at one cut, and from other strategies.
    void find_starts(best_cut_bound& cut) {
        {
            profile::scope const work(counts_, technique::one_cut);
            improve_bound(cut, effort::early_one_cut_share);
            if (auto sequence = cut.computations()) offer("one_cut", std::move(*sequence));
            if (!first_) repair_forward(cut);
            if (!best())
                if (auto sequence = cut.forgetful_computations(step_limit(m_))) {
                    offer("forgetful", std::move(*sequence));
                    if (starts_.size() > 1) std::swap(starts_.back(), starts_[starts_.size() - 2]);
                }
        }
        if (is_done() || baselines_ == nullptr || !is_on(technique::baselines)) return;
        profile::scope const work(counts_, technique::baselines);
        constexpr std::size_t small = 1000;
        bool const saving = divided_.empty() || m_.operation_count() <= small;
        for (auto& c : baselines_->candidates(budget_, saving, [&] { return clock_.left(); }))
            offer(c.name, completed(std::move(c.computations)));
    }
    void evolve(double until) {
        profile::scope const work(counts_, technique::memetic);
        annealing_.go_on(until);
    }
    void bound_by_max_sat(double until) {
        if (!is_on(technique::max_sat)) return;
        profile::scope const work(counts_, technique::max_sat);
        max_sat_.improve(share_of_work(), until);
    }
    void bound_late(best_cut_bound& cut) {
        if (max_sat_.leads()) return bound_by_max_sat(1);
        improve_bound(cut, 1);
        if (hard_) several_.reset();  // with a good plan at hand, other cuts are found
        bound_by_several(cut, effort::late_several_cuts_share, 1);
    }
    /// Sequences from the best relaxed choices at the best cuts, made to fit the budget.
    void repair_forward(best_cut_bound const& cut) {
        if (is_done() || !is_on(technique::forward_repair) || !can_repair_forward(m_)) return;
        profile::scope const work(counts_, technique::forward_repair);
        auto cuts = cut.cuts();
        cuts.resize(std::min(cuts.size(), effort::most_repaired_cuts));
        forward_repair_starts(
            m_, budget_, cuts, forward_repair_rounds(m_.operation_count()),
            [&](std::vector<operation_index> const& sequence) { anneal_from_.add_for_less(sequence); },
            [&](std::vector<operation_index> sequence) { offer_repaired(std::move(sequence)); },
            [&] { return clock_.is_over(effort::until_repaired); });
    }
    void offer_repaired(std::optional<std::vector<operation_index>> sequence) {
        if (sequence && consider("forward_repair", *sequence)) anneal_from_.add_repaired(std::move(*sequence));
    }
    /// Fewer moves than usual ask for less of all other work, too.
    [[nodiscard]] auto share_of_work() const -> double {
        auto const usual = static_cast<double>(usual_moves(m_.operation_count()));
        return std::min(1.0, static_cast<double>(annealing_.moves()) / usual);
    }
    /// Flows over the model, for so many shares of the work.
    [[nodiscard]] auto flows_for(double share) const -> std::size_t {
        return static_cast<std::size_t>(share * share_of_work() * usual_flows(m_.operation_count()));
    }
    void bound_by_several(best_cut_bound const& cut, double share, double until) {
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
            goes_on = may && options_.time_limit && !is_good() && !infeasible_ && !over();
        }
        if (is_done() || infeasible_) return;
        if (auto sequence = several_->computations(step_limit(m_))) {
            std::size_t rounds = 10;
            if (can_repair_forward(m_))
                offer_repaired(forward_repair(m_, *sequence, budget_, step_limit(m_), rounds, over));
            if (consider("several_cuts", *sequence)) anneal_from_.set_chained(std::move(*sequence));
        }
    }
    void improve_bound(best_cut_bound& cut, double share) {
        if (cut.most() <= lower_bound() || !is_on(technique::one_cut_search)) return;
        profile::scope const work(counts_, technique::one_cut_search);
        auto const parts = one_cut_subproblems(m_.operation_count(), share);
        std::size_t const looks = m_.operation_count() > 1000 ? 1 : 8;  // flows from one look at the clock to the next
        // In the end a bound of large graphs that has not risen for so many flows hardly will.
        auto const patience = share < 1 || m_.operation_count() < 100 ? std::numeric_limits<std::size_t>::max() : parts;
        std::size_t k = 0, raised = 0;
        auto const begin = clock_.seconds();
        cut.improve(parts, [&] {
            if (cut.bound() > lower_bound()) raised = k;
            found_.raise_bound(cut.bound());
            if (k - raised > patience) return true;
            bool const over =
                options_.time_limit && share < 1 && clock_.seconds() - begin > *options_.time_limit * share;
            return over || (++k % looks == 0 && is_done());
        });
        found_.raise_bound(cut.bound());
    }

    planning_model const& m_;
    planning_model const& relaxed_;  // for the bounds
    bytes budget_;
    plan_options const& options_;
    profile& counts_;
    std::optional<candidate> outside_;
    baseline_plans* baselines_;
    order_start* ordered_;
    std::optional<operation_index> best_cut_;
    deadline clock_;
    bool infeasible_ = false, tried_canonical_ = false, hard_ = is_hard_to_bound(m_.operation_count());
    incumbent found_;
    max_sat_search max_sat_;
    std::optional<multi_cut_bound> several_;
    std::vector<candidate> starts_;         // what was offered
    std::vector<operation_index> divided_;  // by nested separators; empty: none
    start_pool anneal_from_;
    std::optional<std::vector<operation_index>> first_;
    annealing_search annealing_;
    std::optional<exact_start> exact_;
};

}  // namespace repebble::inline v0::detail

#endif
