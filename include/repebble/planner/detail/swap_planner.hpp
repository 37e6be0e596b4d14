#ifndef REPEBBLE_PLANNER_DETAIL_SWAP_PLANNER_HPP
#define REPEBBLE_PLANNER_DETAIL_SWAP_PLANNER_HPP

// Plans that keep, recompute and copy to the host, for one budget after the other: the plan without copies first, then
// copies of what does not fit beside the recomputations of an order, the bound over a link, greedy decisions, and
// annealing from the best of these. Every plan that leaves here was replayed on the original dataflow with lanes, and
// is within both budgets; none is slower than the one without copies, which gets a share of the time.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/graph/dataflow/usable_overwrites.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/bounds/one_cut/swap_bound.hpp>
#include <repebble/planner/detail/budget_planner.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/model/usual_work.hpp>
#include <repebble/planner/detail/starts/swap_starts.hpp>
#include <repebble/planner/detail/swapping/swap_search.hpp>

namespace repebble::inline v0::detail {

/// The planner of one dataflow over a link.
class swap_planner {
  public:
    /// As `budget_planner`; `marks`: as for `plan_freely`.  Requires: `options.link` has a value.  Throws as
    /// `check_link`.
    swap_planner(dataflow const& flow, training_graph const* training, plan_options const& options,
                 listener const& hears, policy_marks const* marks)
        : flow_(flow),
          options_(options),
          hears_(hears),
          via_(*options.link),
          without_copies_(flow, training, options, quiet_) {
        if (!without_copies_.is_prepared()) return;
        can_swap_ = flow.operation_count() > 0 && can_move(marks);
        for (auto const v : model_.order) {
            if (v >= contracted_.flow().operation_count() || !contracted_.flow().is_input(v)) break;
            inputs_ += model_.required[v] ? 1 : 0;
        }
    }
    swap_planner(swap_planner const&) = delete;
    auto operator=(swap_planner const&) -> swap_planner& = delete;

    /// `seconds`, `known`: as for `budget_planner`; `smaller`: a plan within a smaller budget, or null.
    [[nodiscard]] auto plan(bytes budget, std::optional<double> seconds, std::vector<operation_index>& known,
                            automatic_plan<> const* smaller) -> automatic_plan<>;

  private:
    /// The model can tell what copies do: no value has several producers. Fills `movable_`.
    [[nodiscard]] auto can_move(policy_marks const* marks) -> bool;
    /// Nothing where no value has several producers, and where the model of the chosen ones is none.
    [[nodiscard]] static auto of_chosen(planning_model const& m) -> std::optional<planning_model> {
        for (value_index x = 0; x < m.value_count(); ++x)
            if (m.producers[x].size() > 1) return only_chosen(m);
        return std::nullopt;
    }
    /// Every producer is in the model, and every value has in copies the bytes that it has in storages: no mutation
    /// writes fewer than it overwrites.
    [[nodiscard]] auto model_has_all() const -> bool {
        if (one_producer_) return false;
        auto const& flow = contracted_.flow();
        for (operation_index v = 0; v < flow.operation_count(); ++v)
            for (auto const& m : flow.mutations(v))
                if (flow.size(flow.writes(v)[m.output]) != flow.size(m.over)) return false;
        return true;
    }
    /// Bounds at cuts hold for all schedules: besides, no mutation ends a value without bytes, which may be copied in
    /// no time where the model makes it again.
    [[nodiscard]] auto cuts_tell_all() const -> bool {
        if (!has_all_) return false;
        for (operation_index v = 0; v < model_.operation_count(); ++v)
            if (std::ranges::any_of(model_.ended[v], [&](value_index x) { return model_.sizes[x] == 0; })) return false;
        return true;
    }
    [[nodiscard]] auto is_good(automatic_plan<> const& p) const -> bool {
        return p.plan && good_time{flow_.time_once() + p.lower_bound, options_.gap}(p.plan->cost.time);
    }

    /// The first attempt: values are held or copied.
    void only_copies(automatic_plan<>& out, bytes budget, deadline const& clock);
    /// Small graphs: exactly, or a bound.
    void solve_small(automatic_plan<>& out, bytes budget, deadline const& clock);
    [[nodiscard]] auto is_exact() const -> bool;
    /// Takes the plan of a list that is faster and within the budgets.  Returns the bytes that it needs; nothing where
    /// it is not taken for another reason.
    auto offer(automatic_plan<>& out, std::vector<list_step> const& list, char const* strategy, bytes budget,
               deadline const& clock) const -> std::optional<bytes>;

    void improve(automatic_plan<>& out, bytes budget, std::vector<operation_index> const& known, deadline const& clock);
    template <class Offer, class IsDone>
    void search_plans(swap_search& search, swap_gaps const& problem, automatic_plan<>& out, bytes budget,
                      std::vector<operation_index> const& known, deadline const& clock, Offer const& offer,
                      IsDone const& is_done, bool again) {
        auto const& e = options_.effort;
        auto const late = [&](double share) { return [&, share] { return clock.is_over(share); }; };
        std::vector<swap_decisions> starts;
        auto const begin_from = [&](swap_decisions const& d, double until) {
            starts.push_back(search.fill(d));
            if (!is_large()) starts.push_back(search.greedy(d, {gap_choice::host, gap_choice::remake}, late(until)));
            offer();
            return is_done();
        };
        auto remade = remade_first(search, problem, known, budget, late(e.until_remade));
        offer();
        if (is_done()) return;
        if (!is_large() && begin_from(problem.keep_all(), e.until_remade)) return;
        auto const once = flow_.time_once();
        auto const target = [&] { return out.plan ? out.plan->cost.overhead : once; };
        if (!again) {
            bounds_.clear();
            raise_bounds(out, budget, target(), late(e.until_swap_bounds));
            if (is_done()) return;
        }
        if (search.best()) search.set_price(static_cast<double>(target()), budget);
        for (auto const& b : bounds_)
            for (bool const copies : {true, false})
                if (begin_from(relaxed_start(problem, *b, copies), e.until_swap_bounds)) return;
        starts.push_back(search.descend(std::move(remade), late(e.until_descended)));
        offer();
        if (is_done()) return;
        search.keep_best(starts, is_large() ? 1 : e.most_swap_starts);
        // Each start is annealed for a while, then the best of all; again where time is left.
        std::size_t const moves = options_.limits.work.value_or(usual_swap_moves());
        auto temperature = e.swap_temperature;
        do {
            double const first = clock.share();
            for (std::size_t k = 0; k < starts.size(); ++k) {
                auto const until = first + (1 - first) * e.swap_starts_share * static_cast<double>(k + 1) /
                                               static_cast<double>(starts.size());
                auto const hot = k % 2 == 0 ? temperature : e.hottest_swap_temperature;
                starts[k] = search.anneal(std::move(starts[k]), moves / starts.size(), hot, e.cold_swap_temperature,
                                          late(until));
                offer();
                if (is_done()) return;
            }
            if (!search.best()) continue;
            search.anneal(search.best()->decisions, moves / e.best_swap_moves_part, e.best_swap_temperature,
                          e.cold_swap_temperature, late(1));
            offer();
            temperature = temperature < e.hottest_swap_temperature ? temperature * e.swap_heating : e.swap_temperature;
        } while (options_.limits.seconds && !options_.limits.work && !is_done());
    }
    /// The gaps of two orders are remade, as many as it pays, and the others filled.
    [[nodiscard]] auto remade_first(swap_search& search, swap_gaps const& problem,
                                    std::vector<operation_index> const& known, bytes budget, function_ref<bool()> stop)
        -> swap_decisions;
    [[nodiscard]] auto usual_swap_moves() const -> std::size_t {
        auto const count = std::max<std::size_t>(1, model_.operation_count());
        return std::max(options_.effort.swap_moves_per_operation * count, options_.effort.swapped_operations / count);
    }
    [[nodiscard]] auto is_large() const -> bool {
        return model_.operation_count() > options_.effort.large_swapped_flow;
    }

    /// The bounds of both kinds, at the tightest cuts; the best of any order first.
    template <class Stop>
    void raise_bounds(automatic_plan<>& out, bytes budget, std::int64_t target, Stop const& stop) {
        // Fewer moves than usual ask for less of this work, too.
        auto const& e = options_.effort;
        auto const usual = usual_swap_moves();
        double const share =
            std::min(1.0, static_cast<double>(options_.limits.work.value_or(usual)) / static_cast<double>(usual));
        auto const part = [&](std::size_t of, std::size_t least) {
            return std::max(least, static_cast<std::size_t>(share * static_cast<double>(of)));
        };
        auto const cuts = tight_for_copies(relaxed_, via_, part(swap_cuts(model_), 1));
        for (auto const order : {order_of_runs::any, order_of_runs::base}) {
            if (stop()) break;
            std::vector<std::unique_ptr<swap_bound>> all;
            auto& times = order == order_of_runs::any ? any_times_ : base_times_;
            if (!times) times = run_times_of(relaxed_, order, e.most_swap_windows);
            for (auto const v : cuts) {
                if (stop()) break;
                auto b = std::make_unique<swap_bound>(relaxed_, v, budget, via_, order, *times);
                if (!b->feasible()) continue;
                b->improve(e.first_swap_steps, target, stop);
                all.push_back(std::move(b));
            }
            std::ranges::stable_sort(all, std::greater<>{}, [](auto const& b) { return b->value(); });
            if (all.size() > e.most_swap_bounds) all.resize(e.most_swap_bounds);
            auto& best = order == order_of_runs::any ? out.lower_bound : out.base_order_bound;
            for (auto const& b : all) {
                b->improve(part(e.further_swap_steps, e.least_further_swap_steps), target, stop);
                if (cuts_tell_all_) best = std::max(best, without_copies_.overhead_of(b->bound()));
            }
            if (order == order_of_runs::any) bounds_ = std::move(all);
        }
        out.base_order_bound = std::max(out.base_order_bound, out.lower_bound);
    }

    /// The plan of a list; nothing where it is not legal.
    [[nodiscard]] auto made_of(std::vector<list_step> const& list) const -> std::optional<recompute_plan<>>;

    dataflow const& flow_;
    plan_options const& options_;
    listener const& hears_;
    reporting_observer quiet_observer_{{hears_}};
    listener quiet_{quiet_observer_};
    host_link via_;
    budget_planner without_copies_;
    contracted_dataflow const& contracted_ = without_copies_.contracted();
    /// The models where values have several producers: of the chosen ones. Bounds there hold for no other schedules.
    std::optional<planning_model> one_producer_ = of_chosen(without_copies_.model());
    std::optional<planning_model> one_relaxed_ = of_chosen(without_copies_.relaxed());
    planning_model const& model_ = one_producer_ ? *one_producer_ : without_copies_.model();
    planning_model const& relaxed_ = one_relaxed_ ? *one_relaxed_ : without_copies_.relaxed();
    jagged_array<overwrite> usable_ = find_usable_overwrites(contracted_.flow());
    bool const has_all_ = model_has_all(), cuts_tell_all_ = cuts_tell_all();
    bool can_swap_ = false;
    std::vector<bool> movable_;  // by value of the model
    std::optional<run_times> any_times_, base_times_;
    std::size_t inputs_ = 0;  // the first of the model's order
    std::vector<std::unique_ptr<swap_bound>> bounds_;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/swap_planner.ipp>
#endif

#endif
