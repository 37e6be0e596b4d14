#ifndef REPEBBLE_PLANNER_DETAIL_BUDGET_SEARCH_HPP
#define REPEBBLE_PLANNER_DETAIL_BUDGET_SEARCH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/planner/detail/annealing/annealing_search.hpp>
#include <repebble/planner/detail/annealing/cooling_run.hpp>
#include <repebble/planner/detail/annealing/start_pool.hpp>
#include <repebble/planner/detail/bounds/one_cut/best_cut_bound.hpp>
#include <repebble/planner/detail/bounds/plan_guided_bounds.hpp>
#include <repebble/planner/detail/bounds/several_cuts/disjunctive_bound.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/model/incumbent.hpp>
#include <repebble/planner/detail/model/memory_floor.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/model/tight_operations.hpp>
#include <repebble/planner/detail/starts/eviction_start.hpp>
#include <repebble/planner/detail/starts/swept_starts.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0::detail {

/// One budget: bounds, and computations that come as near to them as the work allows.
template <class Observer>
class budget_search {
  public:
    /// `moment`: where the bound is best, if that is known.
    budget_search(planning_model const& m, bytes budget, plan_options const& options, Observer& observer,
                  std::optional<operation_index> moment = {})
        : m_(m),
          budget_(budget),
          options_(options),
          observer_(observer),
          moment_(moment),
          clock_(options.time_limit, observer),
          found_(m, budget, options.gap, observer),
          late_(m, budget, options, clock_, found_),
          anneal_from_(m),
          annealing_(m, budget, options, observer, clock_, found_) {}
    budget_search(budget_search const&) = delete;  // its parts refer to each other
    auto operator=(budget_search const&) -> budget_search& = delete;

    /// Offers computations from elsewhere, before `run`.
    void offer(char const* name, std::vector<operation_index> computations) {
        if (!consider_computations(name, computations)) return;
        starts_.push_back({name, std::move(computations)});
    }

    /// Begins the annealing with these, which need not be within the budget.
    void begin_with(std::vector<operation_index> computations) { first_ = std::move(computations); }

    /// What an exact search says of the budget, where there is one.
    struct exact_answer {
        bool infeasible = false;
        std::int64_t lower_bound = 0;  ///< above everything once
        std::optional<candidate> found{};
    };

    /// `exact(known, share)` is asked where bounds and first plans leave a gap: for computations that take less than
    /// `known`, or for any where nothing is known, with a share of the work. `baselines(offer)` offers those of other
    /// strategies then.
    template <class Exact, class Baselines>
    void run(Exact&& exact, Baselines&& baselines) {
        if (floor_of(m_).size > budget_) {
            infeasible_ = true;
            return;
        }
        offer("keep_all", m_.order);
        if (is_good()) return;
        auto const n = m_.operation_count();
        auto const most_steps = step_limit(m_);
        // The first goes on beyond the time limit: then there is a plan, mostly.
        auto const late = [&](bool again) { return again ? clock_.is_over(0.1) : clock_.is_late(); };
        if (auto sequence = best_eviction_start(m_, budget_, most_steps, late)) offer("eviction", std::move(*sequence));
        if (is_done()) return;
        auto const moments =
            moment_ ? std::vector{*moment_} : tight_operations(m_, std::clamp<std::size_t>(300'000 / (n + 1), 12, 150));
        best_cut_bound cut(m_, budget_, moments, [&] { return clock_.is_over(0.2); });
        if (cut.infeasible_at()) {
            infeasible_ = true;
            return;
        }
        moment_ = cut.moment();
        found_.raise_bound(cut.bound());
        if (auto sequence = cut.computations()) static_cast<void>(consider_computations("first_run_cut", *sequence));
        auto const look_at_moments = [&] {
            find_starts(cut, baselines);
            bound_by_several(cut, 2.5, hard_ ? 0.15 : 0.35);
            if (!infeasible_) search_exactly(exact, best() ? 0.1 : 1);
        };
        if (!starts_.empty() && !is_done() && can_add_up(m_))
            annealing_.start_beside(starts_.back().computations, look_at_moments);
        else
            look_at_moments();
        if (infeasible_) return;
        if (first_) starts_.push_back({"larger budget", *first_});
        if (starts_.empty()) return;
        if (!is_done() && can_add_up(m_)) annealing_.begin(anneal_from_.take(starts_.back().computations));
        search_exactly(exact, 1);
        if (!infeasible_) annealing_.go_on_beside([&] { late_.bound_by_cores(share_of_work(), 0.45); });
        if (!is_done() && can_add_up(m_)) annealing_.go_on(hard_ ? 0.6 : 0.8);
        annealing_.go_on_beside([&] { bound_late(cut); });
        if (!is_done() && !infeasible_ && can_add_up(m_)) annealing_.go_on(1);
    }
    void run() {
        run([](auto, double) { return exact_answer{}; }, [](auto&&) {});
    }

    [[nodiscard]] auto infeasible() const noexcept -> bool { return infeasible_; }
    [[nodiscard]] auto lower_bound() const noexcept -> std::int64_t { return found_.lower_bound(); }
    /// That at which the bound is best.
    [[nodiscard]] auto moment() const noexcept -> std::optional<operation_index> { return moment_; }
    /// What was offered.
    [[nodiscard]] auto starts() const noexcept -> std::vector<candidate> const& { return starts_; }
    [[nodiscard]] auto best() const noexcept -> candidate const* { return found_.best(); }
    /// All that were the best once, the fastest last.
    [[nodiscard]] auto found() const noexcept -> std::vector<candidate> const& { return found_.found(); }
    /// Above everything once.
    [[nodiscard]] auto overhead() const noexcept -> std::int64_t { return found_.overhead(); }

  private:
    [[nodiscard]] auto is_good() const -> bool { return found_.is_enough(found_.time()); }
    [[nodiscard]] auto is_done() const -> bool { return clock_.is_over(1) || is_good(); }
    /// False: they take too much time to be searched from.
    auto consider_computations(char const* name, std::vector<operation_index> const& computations) -> bool {
        auto const time = sequence_time(m_, computations);
        if (time > 8 * most_time) return false;
        auto const loads = sequence_loads(m_, computations);
        found_.consider(name, loads.empty() ? 0 : std::ranges::max(loads), time, computations);
        return true;
    }
    template <class Exact>
    void search_exactly(Exact&& exact, double share) {
        if (is_done()) return;
        auto answer = exact(best() ? std::optional(found_.time()) : std::nullopt, share);
        infeasible_ = infeasible_ || answer.infeasible;
        found_.raise_bound(answer.lower_bound);
        if (answer.found) offer(answer.found->name, std::move(answer.found->computations));
    }
    /// What one moment says, and other strategies.
    template <class Baselines>
    void find_starts(best_cut_bound& cut, Baselines&& baselines) {
        improve_bound(cut, 0.1);
        if (auto sequence = cut.computations()) offer("first_run_cut", std::move(*sequence));
        if (!first_) sweep(cut);
        if (!best())
            if (auto sequence = cut.forgetful_computations(step_limit(m_))) {
                offer("forgetful", std::move(*sequence));
                if (starts_.size() > 1) std::swap(starts_.back(), starts_[starts_.size() - 2]);
            }
        if (!is_done()) baselines([&](char const* name, auto computations) { offer(name, std::move(computations)); });
    }
    void bound_late(best_cut_bound& cut) {
        if (late_.cores_lead()) return late_.bound_by_cores(share_of_work(), 1);
        bound_by_plan(cut, hard_ ? 0.7 : 0.9);
        improve_bound(cut, 1);
        if (hard_) several_.reset();  // with a good plan at hand, other moments are found
        bound_by_several(cut, 1.5, 1);
    }
    /// What the best moments say, made to fit.
    void sweep(best_cut_bound const& cut) {
        constexpr std::size_t most_moments = 5;
        if (is_done() || !can_repair_forward(m_)) return;
        auto moments = cut.moments();
        moments.resize(std::min(moments.size(), most_moments));
        // Very large graphs are hardly annealed, so that these are the starts that matter there.
        auto const n = m_.operation_count() + 1;
        auto const more = n > 5 * large_flow ? std::min<std::size_t>(100, 900'000 / n) : 2;
        forward_repair_starts(
            m_, budget_, moments, 60'000 / n + more,
            [&](std::vector<operation_index> const& computations) { anneal_from_.add_for_less(computations); },
            [&](std::vector<operation_index> computations) { offer_swept(std::move(computations)); },
            [&] { return clock_.is_over(0.3); });
    }
    void offer_swept(std::optional<std::vector<operation_index>> computations) {
        if (computations && consider_computations("sweep", *computations))
            anneal_from_.add_swept(std::move(*computations));
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
        if (is_done() || cut.moments().empty()) return;
        if (!several_) several_.emplace(m_, budget_, cut.unit(), cut.moments(), lower_bound());
        auto const flows = flows_for(share);
        auto const enough = best() ? overhead() : most_time;
        auto const over = [&] { return clock_.is_over(until); };
        // Where the time is limited, the work is not, as long as it helps, or may.
        for (bool goes_on = true; goes_on;) {
            auto const before = several_->bound();
            auto const work = several_->improve(enough, flows, over);
            found_.raise_bound(several_->bound());
            infeasible_ = infeasible_ || several_->infeasible();
            bool const may = several_->bound() > before || (hard_ && work > 0);
            goes_on = may && options_.time_limit && !is_good() && !infeasible_ && !over();
        }
        if (is_done() || infeasible_) return;
        if (auto sequence = several_->computations(step_limit(m_))) {
            std::size_t rounds = 10;
            if (can_repair_forward(m_))
                offer_swept(forward_repair(m_, *sequence, budget_, step_limit(m_), rounds, over));
            if (consider_computations("multi_cut_relaxation", *sequence))
                anneal_from_.set_chained(std::move(*sequence));
        }
    }
    void bound_by_plan(best_cut_bound const& cut, double until) {
        if (!is_done() && !infeasible_) late_.bound_by_plan(cut, flows_for(1), until);
        infeasible_ = infeasible_ || late_.infeasible();
    }
    void improve_bound(best_cut_bound& cut, double share) {
        if (cut.most() <= lower_bound()) return;
        auto const parts =
            static_cast<std::size_t>(share * 1'500'000 / static_cast<double>(m_.operation_count() + 100));
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
    bytes budget_;
    plan_options const& options_;
    Observer& observer_;
    std::optional<operation_index> moment_;
    deadline<Observer> clock_;
    bool infeasible_ = false, hard_ = is_hard_to_bound(m_.operation_count());
    incumbent<Observer> found_;
    plan_guided_bounds<Observer> late_;
    std::optional<disjunctive_bound> several_;
    std::vector<candidate> starts_;  // what was offered
    start_pool anneal_from_;
    std::optional<std::vector<operation_index>> first_;
    annealing_search<Observer> annealing_;
};

}  // namespace repebble::inline v0::detail

#endif
