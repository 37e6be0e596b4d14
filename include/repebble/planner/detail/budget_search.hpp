#ifndef REPEBBLE_PLANNER_DETAIL_BUDGET_SEARCH_HPP
#define REPEBBLE_PLANNER_DETAIL_BUDGET_SEARCH_HPP

// The order of work for one budget: relaxations (bounds) → sequences from them (primal heuristics) → annealing →
// bounds again, with a good plan at hand. Each step is a technique that can be switched off and is counted (`profile`).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/annealing/annealing_search.hpp>
#include <repebble/planner/detail/annealing/parallel_walks.hpp>
#include <repebble/planner/detail/baselines/baseline_plans.hpp>
#include <repebble/planner/detail/bounds/clauses/max_sat_bound.hpp>
#include <repebble/planner/detail/bounds/one_cut/best_cut_bound.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_bound.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/model/incumbent.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/detail/model/profile.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/model/usual_work.hpp>
#include <repebble/planner/detail/starts/exact_start.hpp>
#include <repebble/planner/detail/starts/order_start.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0::detail {

/// The search within one budget.
class budget_search {
  public:
    /// `best_cut`: the operation of the best cut, if that is known.
    /// `flow`: the dataflow, for the exact search; `baselines`: plans from elsewhere, which are asked where the
    /// bounds and the first plans leave a gap; `ordered`: the order of least peak; null: there are none. `counts`
    /// counts what each technique brings. Refers to all of them.
    budget_search(planning_model const& m, planning_model const& relaxed, bytes budget, plan_options const& options,
                  listener const& hears, profile& counts, dataflow const* flow, baseline_plans* baselines,
                  order_start* ordered, std::optional<operation_index> best_cut = {})
        : m_(m),
          relaxed_(relaxed),
          budget_(budget),
          options_(options),
          counts_(counts),
          baselines_(baselines),
          ordered_(ordered),
          best_cut_(best_cut),
          clock_(options.limits.seconds, hears),
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
    void run();

    [[nodiscard]] auto infeasible() const noexcept -> bool { return infeasible_; }
    [[nodiscard]] auto lower_bound() const noexcept -> std::int64_t { return found_.lower_bound(); }
    /// The operation of the cut with the largest bound.
    [[nodiscard]] auto best_cut() const noexcept -> std::optional<operation_index> { return best_cut_; }
    /// The sequences that were offered.
    [[nodiscard]] auto starts() const noexcept -> std::vector<candidate> const& { return starts_; }
    [[nodiscard]] auto best() const noexcept -> candidate const* { return found_.best(); }
    /// All that were the best once, the fastest last.
    [[nodiscard]] auto found() const noexcept -> std::vector<candidate> const& { return found_.found(); }
    /// The plan of the exact search, in which views may run apart from their owners; nothing where there is none.
    [[nodiscard]] auto exact() const noexcept -> std::optional<schedule<>> const& { return exact_plan_; }
    /// The technique that found the best.
    [[nodiscard]] auto found_by() const noexcept -> technique { return found_.found_by(); }
    /// Above everything once.
    [[nodiscard]] auto overhead() const noexcept -> std::int64_t { return found_.overhead(); }

  private:
    [[nodiscard]] auto is_good() const -> bool { return found_.is_enough(found_.time()); }
    [[nodiscard]] auto is_done() const -> bool { return clock_.is_over(1) || is_good() || is_optimal_; }
    /// False: they take too much time to be searched from.
    auto consider(char const* name, std::vector<operation_index> const& sequence) -> bool;
    /// Whether no operation runs twice that the model allows to run once only: plans from elsewhere may know better.
    [[nodiscard]] auto runs_as_allowed(std::vector<operation_index> const& sequence) const -> bool;
    /// A plan of the dataflow as a sequence of the model.
    [[nodiscard]] auto completed(std::vector<operation_index> sequence) const -> std::vector<operation_index> {
        if (m_.end) sequence.push_back(*m_.end);
        return sequence;
    }
    [[nodiscard]] auto is_on(technique t) const -> bool { return !m_.without.contains(t); }
    /// Everything once in the order of least peak, or evicted along it.
    void run_in_order();
    /// The bound and the start of windows, where the order has several.
    void start_in_windows();
    void evict();
    /// Whether the budget is so small that greedy eviction mostly recomputes without end.
    [[nodiscard]] auto is_tiny() const -> bool {
        auto const loads = sequence_loads(m_, m_.order);
        return !loads.empty() && budget_ < std::ranges::max(loads) / m_.effort.tiny_budget_part;
    }
    /// By nested separators of a tree decomposition.
    void divide();
    /// The operations before whose first run the cut is tried.
    [[nodiscard]] auto cuts_to_try() const -> std::vector<operation_index> {
        if (best_cut_) return {*best_cut_};
        return tight_operations(m_, cuts_tried(m_));
    }
    void note_one_cut(best_cut_bound& cut);
    /// The time of the best, if its schedule is sure to fit.
    [[nodiscard]] auto known_time() const -> std::optional<std::int64_t> {
        return best() != nullptr && !m_.has_views ? std::optional(found_.time()) : std::nullopt;
    }
    /// Best first where the dataflow is small, else once by `best_canonical`.
    void search_exactly(std::size_t states, double until);
    /// Best first, with the time that is left; without any limit as far as memory allows.
    void search_to_the_end() {
        if (is_done() || infeasible_ || options_.limits.work) return;
        static_cast<void>(
            search_states(known_time(), best() ? m_.effort.most_states_with_plan : m_.effort.most_states, 1));
    }
    /// Of a second's work, for a canonical start: fewer moves than usual mean less of it.
    [[nodiscard]] auto canonical_share(std::optional<double> seconds) const -> double {
        if (seconds) return std::min(*seconds, 1.0);
        return options_.limits.work ? std::max(m_.effort.least_canonical_share, share_of_work()) : 1.0;
    }
    /// Returns whether the best-first search found a faster sequence. Time limits it where there is a limit, then
    /// memory only; else so many states in all.
    auto search_states(std::optional<std::int64_t> known, std::size_t states, double until) -> bool;
    /// Sequences from the best relaxed choices at one cut, and from other strategies.
    void find_starts(best_cut_bound& cut);
    void start_from_cut(best_cut_bound const& cut);
    void evolve(double until) {
        profile::scope const work(counts_, technique::memetic);
        annealing_.go_on(until);
    }
    void bound_by_max_sat(double until) {
        if (!is_on(technique::max_sat)) return;
        profile::scope const work(counts_, technique::max_sat);
        max_sat_.improve(share_of_work(), until);
    }
    void bound_late(best_cut_bound& cut);
    /// Sequences from the best relaxed choices at the best cuts, made to fit the budget.
    void repair_forward(best_cut_bound const& cut);
    void offer_repaired(std::optional<std::vector<operation_index>> sequence) {
        if (sequence && consider("forward_repair", *sequence)) anneal_from_.add_repaired(std::move(*sequence));
    }
    /// Fewer moves than usual ask for less of all other work, too.
    [[nodiscard]] auto share_of_work() const -> double {
        auto const usual = static_cast<double>(usual_moves(m_));
        return std::min(1.0, static_cast<double>(annealing_.moves()) / usual);
    }
    /// Flows over the model, for so many shares of the work.
    [[nodiscard]] auto flows_for(double share) const -> std::size_t {
        return static_cast<std::size_t>(share * share_of_work() * usual_flows(m_));
    }
    void bound_by_several(best_cut_bound const& cut, double share, double until);
    void improve_bound(best_cut_bound& cut, double share);

    planning_model const& m_;
    planning_model const& relaxed_;  // for the bounds
    bytes budget_;
    plan_options const& options_;
    profile& counts_;
    baseline_plans* baselines_;
    order_start* ordered_;
    std::optional<operation_index> best_cut_;
    deadline clock_;
    /// Cuts know no alternatives: what they lead to recomputes where another producer would serve.
    bool has_alternatives_ = std::ranges::find(m_.chosen, false) != m_.chosen.end();
    bool infeasible_ = false, tried_canonical_ = false, hard_ = is_hard_to_bound(m_);
    incumbent found_;
    max_sat_search max_sat_;
    std::optional<multi_cut_bound> several_;
    std::vector<candidate> starts_;         // what was offered
    std::vector<operation_index> divided_;  // by nested separators; empty: none
    start_pool anneal_from_;
    std::optional<std::vector<operation_index>> first_;
    annealing_search annealing_;
    std::optional<exact_start> exact_;
    std::optional<schedule<>> exact_plan_;
    bool is_optimal_ = false;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/budget_search.ipp>
#endif

#endif
