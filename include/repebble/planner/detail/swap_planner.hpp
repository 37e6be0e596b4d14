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
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/contract_views.hpp>
#include <repebble/pebbling/drop_unread.hpp>
#include <repebble/pebbling/expand_views.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/bounds/one_cut/swap_bound.hpp>
#include <repebble/planner/detail/budget_planner.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/model/effort.hpp>
#include <repebble/planner/detail/starts/swap_starts.hpp>
#include <repebble/planner/detail/swapping/exact_swaps.hpp>
#include <repebble/planner/detail/swapping/swap_search.hpp>

namespace repebble::inline v0::detail {

/// The planner of one dataflow over a link.
class swap_planner {
  public:
    /// As `budget_planner`.  Requires: `options.link` has a value.  Throws as `check_link`.
    swap_planner(dataflow<> const& flow, training_graph<> const* training, plan_options const& options,
                 listener const& hears)
        : flow_(flow),
          options_(options),
          hears_(hears),
          via_(*options.link),
          inner_options_(options),
          without_copies_(flow, training, inner_options_, quiet_) {
        if (options.time_limit) inner_options_.time_limit = *options.time_limit * share_without_copies;
        can_swap_ = flow.operation_count() > 0 && can_move();
        while (inputs_ < flow.operation_count() && contracted_.flow.is_input(model_.order[inputs_])) ++inputs_;
    }
    swap_planner(swap_planner const&) = delete;
    auto operator=(swap_planner const&) -> swap_planner& = delete;

    /// `known`: as for `budget_planner`; `smaller`: a plan within a smaller budget, or null.
    [[nodiscard]] auto plan(bytes budget, std::vector<operation_index>& known, automatic_plan<> const* smaller)
        -> automatic_plan<> {
        deadline const clock(options_.time_limit, hears_);
        // What every schedule runs: less than everything once where there are alternatives.
        auto const least = std::min<std::int64_t>(0, without_copies_.overhead_of(0));
        automatic_plan<> out{.lower_bound = least, .base_order_bound = least, .floor = without_copies_.floor()};
        if (can_swap_ && budget >= out.floor.size) {
            only_copies(out, budget, clock);
            if (out.plan && out.plan->cost.overhead == 0) {
                out.proven = true;
                return out;
            }
        }
        auto other = without_copies_.plan(budget, known);
        if (other.plan && (!out.plan || other.plan->cost.time < out.plan->cost.time)) {
            out.plan = std::move(other.plan);
            out.strategy = std::move(other.strategy);
            hears_.improved(out.plan->cost.overhead, 0);
        }
        // Bounds of plans without copies do not count.
        out.proven = !out.plan && budget < out.floor.size;
        if (smaller != nullptr && smaller->plan && (!out.plan || smaller->plan->cost.time < out.plan->cost.time)) {
            out.plan = smaller->plan;
            out.strategy = "smaller_budget";
        }
        if (can_swap_ && !out.proven && !is_good(out)) solve_small(out, budget, clock);
        if (can_swap_ && !out.proven && !is_good(out)) improve(out, budget, known, clock);
        if (out.plan) {
            out.plan->cost = replay(flow_, out.plan->schedule, {}, lanes_clock(via_));
            out.proven = !(out.lower_bound < out.plan->cost.overhead);
        }
        return out;
    }

  private:
    static constexpr double share_without_copies = 0.35;

    /// Whether the model can tell what copies do: no value has several producers, and nothing is mutated.
    [[nodiscard]] auto can_move() -> bool {
        auto const& flow = contracted_.flow;
        for (operation_index v = 0; v < flow.operation_count(); ++v)
            if (!flow.mutations(v).empty()) return false;
        // Copies of all values in all gaps must sum to what fits in 64 bits.
        auto const longest = most_time / static_cast<std::int64_t>(8 * model_.value_count() + 64);
        for (value_index x = 0; x < model_.value_count(); ++x) {
            if (model_.producers[x].size() != 1) return false;
            movable_.push_back(via_.copy_time_up_to(model_.sizes[x], longest) < longest);
        }
        // A view that was not merged keeps a storage alive.
        for (value_index x = 0; x < flow.value_count(); ++x)
            if (flow.is_view(x)) {
                movable_[x] = false;
                for (auto const owner : flow.owners(x)) movable_[owner] = false;
            }
        return true;
    }
    [[nodiscard]] auto is_good(automatic_plan<> const& p) const -> bool {
        return p.plan && good_time{flow_.time_once() + p.lower_bound, options_.gap}(p.plan->cost.time);
    }

    /// The first attempt: values are held or copied.
    void only_copies(automatic_plan<>& out, bytes budget, deadline const& clock) {
        swap_gaps const problem(model_, via_, budget, options_.host_budget, movable_, inputs_);
        swap_search search(problem, options_.seed);
        search.consider(search.fill(problem.keep_all()));
        if (!is_large()) search.greedy(problem.keep_all(), {gap_choice::host}, [&] { return clock.is_over(0.2); });
        if (search.best()) offer(out, search.decoder().list(search.best()->decisions), "swapping", budget, clock);
    }
    /// Small graphs: exactly, or a bound.
    void solve_small(automatic_plan<>& out, bytes budget, deadline const& clock) {
        swap_gaps const problem(model_, via_, budget, options_.host_budget, movable_, inputs_);
        if (!exact_swaps::is_small(problem)) return;
        std::optional<std::int64_t> below;
        if (out.plan) below = out.plan->cost.time;
        auto const most_moves = effort::exact_swap_work / effort::exact_swap_work_per_move;
        auto const work = std::min(options_.moves.value_or(most_moves), most_moves) * effort::exact_swap_work_per_move;
        auto const found = exact_swaps(problem).search(below, work, [&] { return clock.is_over(0.6); });
        if (found.list) offer(out, *found.list, "exact_swapping", budget, clock);
        // Steps in place, and views apart from their owners, might do better.
        if (!is_exact()) return;
        out.proven = !found.bound;
        if (found.bound)
            out.lower_bound = out.base_order_bound =
                std::max(out.lower_bound, without_copies_.overhead_of(*found.bound - model_.time_once));
    }
    [[nodiscard]] auto is_exact() const -> bool {
        for (operation_index v = 0; v < model_.operation_count(); ++v)
            if (model_.operations[v].again < model_.operations[v].time || !model_.overwritable[v].empty() ||
                relaxed_.operations[v].own != model_.operations[v].own)
                return false;
        return true;
    }
    /// Takes the plan of a list that is faster and within the budgets.  Returns the bytes that it needs: 0 where it is
    /// not taken for another reason.
    auto offer(automatic_plan<>& out, std::vector<list_step> const& list, char const* strategy, bytes budget,
               deadline const& clock) const -> bytes {
        auto made = made_of(list);
        if (!made || (options_.host_budget && made->cost.host_peak > *options_.host_budget)) return 0;
        if (out.plan && made->cost.time >= out.plan->cost.time) return 0;
        std::optional<double> seconds;
        if (auto const left = clock.left()) seconds = std::max(0.01, *left * 0.1);
        auto const needed = options_.arena ? without_copies_.arena_size(*made, budget, seconds, 0.2) : made->cost.peak;
        if (needed > budget) return needed;
        out.plan = std::move(*made);
        out.strategy = strategy;
        hears_.improved(out.plan->cost.overhead, out.lower_bound);
        return needed;
    }

    void improve(automatic_plan<>& out, bytes budget, std::vector<operation_index> const& known,
                 deadline const& clock) {
        // Where the arena of the best is too large, once more within less.
        bytes inner = budget;
        constexpr int attempts = 3;
        for (int attempt = 0; attempt < attempts && inner >= out.floor.size; ++attempt) {
            swap_gaps const problem(model_, via_, inner, options_.host_budget, movable_, inputs_);
            swap_search search(problem, options_.seed);
            auto const is_done = [&] { return is_good(out) || clock.is_over(1); };
            bytes needed = 0;
            std::int64_t judged_time = std::numeric_limits<std::int64_t>::max();
            auto const offer_best = [&] {
                if (!search.best() || search.best()->cost.time >= judged_time) return;
                judged_time = search.best()->cost.time;
                auto const list = search.decoder().list(search.best()->decisions);
                if (auto const size = offer(out, list, "swapping", budget, clock); size > 0) needed = size;
            };
            search_plans(search, problem, out, budget, known, clock, offer_best, is_done, attempt > 0);
            if (needed <= budget || is_done()) break;
            inner -= needed - budget;
        }
    }
    template <class Offer, class IsDone>
    void search_plans(swap_search& search, swap_gaps const& problem, automatic_plan<>& out, bytes budget,
                      std::vector<operation_index> const& known, deadline const& clock, Offer const& offer,
                      IsDone const& is_done, bool again) {
        auto const late = [&](double share) { return [&, share] { return clock.is_over(share); }; };
        std::vector<swap_decisions> starts;
        auto const begin_from = [&](swap_decisions const& d, double until) {
            starts.push_back(search.fill(d));
            if (!is_large()) starts.push_back(search.greedy(d, {gap_choice::host, gap_choice::remake}, late(until)));
            offer();
            return is_done();
        };
        auto remade = remade_first(search, problem, known, budget, late(0.5));
        offer();
        if (is_done()) return;
        if (!is_large() && begin_from(problem.keep_all(), 0.5)) return;
        auto const once = flow_.time_once();
        auto const target = [&] { return out.plan ? out.plan->cost.overhead : once; };
        if (!again) {
            bounds_.clear();
            raise_bounds(out, budget, target(), late(0.6));
            if (is_done()) return;
        }
        if (search.best()) search.set_price(static_cast<double>(target()), budget);
        for (auto const& b : bounds_)
            for (bool const copies : {true, false})
                if (begin_from(relaxed_start(problem, *b, copies), 0.6)) return;
        starts.push_back(search.descend(std::move(remade), late(0.95)));
        offer();
        if (is_done()) return;
        search.keep_best(starts, is_large() ? 1 : effort::most_swap_starts);
        // Each start is annealed for a while, then the best of all; again where time is left.
        std::size_t const moves = options_.moves.value_or(effort::swap_moves_per_operation * model_.operation_count());
        double temperature = 1e-4;
        do {
            double const first = clock.share();
            for (std::size_t k = 0; k < starts.size(); ++k) {
                auto const until =
                    first + (1 - first) * 0.6 * static_cast<double>(k + 1) / static_cast<double>(starts.size());
                starts[k] = search.anneal(std::move(starts[k]), moves / starts.size(), temperature, 1e-6, late(until));
                offer();
                if (is_done()) return;
            }
            if (!search.best()) continue;
            search.anneal(search.best()->decisions, moves / 2, 3e-5, 1e-6, late(1));
            offer();
            temperature = temperature < 1e-3 ? temperature * 2 : 1e-4;
        } while (options_.time_limit && !options_.moves && !is_done());
    }
    /// The gaps of two orders are remade, as many as it pays, and the others filled.
    [[nodiscard]] auto remade_first(swap_search& search, swap_gaps const& problem,
                                    std::vector<operation_index> const& known, bytes budget, function_ref<bool()> stop)
        -> swap_decisions {
        auto best = search.remake_first(problem.keep_all(), remade_gaps(problem, problem.decisions_of(known)), stop);
        auto const before = search.best() ? search.best()->cost.time : most_time;
        if (!base_times_) base_times_ = run_times_of(relaxed_, order_of_runs::base, effort::most_swap_windows);
        for (auto const v : tight_for_copies(relaxed_, via_, 1)) {
            swap_bound bound(relaxed_, v, budget, via_, order_of_runs::base, *base_times_);
            if (!bound.feasible()) continue;
            auto other = search.remake_first(problem.keep_all(), remade_by_price(problem, bound, stop), stop);
            if (search.best() && search.best()->cost.time < before) best = std::move(other);
        }
        return best;
    }
    [[nodiscard]] auto is_large() const -> bool { return model_.operation_count() > effort::large_swapped_flow; }

    /// The bounds of both kinds, at the tightest cuts; the best of any order first.
    template <class Stop>
    void raise_bounds(automatic_plan<>& out, bytes budget, std::int64_t target, Stop const& stop) {
        // Fewer moves than usual ask for less of this work, too.
        auto const n = model_.operation_count();
        auto const usual = effort::swap_moves_per_operation * n;
        double const share =
            std::min(1.0, static_cast<double>(options_.moves.value_or(usual)) / static_cast<double>(usual));
        auto const part = [&](std::size_t of, std::size_t least) {
            return std::max(least, static_cast<std::size_t>(share * static_cast<double>(of)));
        };
        auto const cuts = tight_for_copies(relaxed_, via_, part(effort::swap_cuts(n), 1));
        for (auto const order : {order_of_runs::any, order_of_runs::base}) {
            if (stop()) break;
            std::vector<std::unique_ptr<swap_bound>> all;
            auto& times = order == order_of_runs::any ? any_times_ : base_times_;
            if (!times) times = run_times_of(relaxed_, order, effort::most_swap_windows);
            for (auto const v : cuts) {
                if (stop()) break;
                auto b = std::make_unique<swap_bound>(relaxed_, v, budget, via_, order, *times);
                if (!b->feasible()) continue;
                b->improve(effort::first_swap_steps, target, stop);
                all.push_back(std::move(b));
            }
            std::ranges::stable_sort(all, std::greater<>{}, [](auto const& b) { return b->value(); });
            if (all.size() > effort::most_swap_bounds) all.resize(effort::most_swap_bounds);
            auto& best = order == order_of_runs::any ? out.lower_bound : out.base_order_bound;
            for (auto const& b : all) {
                b->improve(part(effort::more_swap_steps, 20), target, stop);
                best = std::max(best, without_copies_.overhead_of(b->bound()));
            }
            if (order == order_of_runs::any) bounds_ = std::move(all);
        }
        out.base_order_bound = std::max(out.base_order_bound, out.lower_bound);
    }

    /// The plan of a list; nothing where it is not legal.
    [[nodiscard]] auto made_of(std::vector<list_step> const& list) const -> std::optional<recompute_plan<>> {
        auto const& flow = contracted_.flow;
        schedule_builder<std::int64_t> builder(flow);
        for (auto const& s : list) {
            if (s.what == action::compute) {
                if (s.of >= flow.operation_count()) break;  // the end of the model
                builder.compute(s.of);
            } else if (s.of < flow.value_count()) {  // else an order edge of the model
                if (s.what == action::discard) builder.discard(s.of, s.from);
                if (s.what == action::offload) builder.offload(s.of);
                if (s.what == action::prefetch) builder.prefetch(s.of);
            }
        }
        recompute_plan<> made;
        made.schedule = drop_unread(flow_, expand_views(flow_, contracted_, std::move(builder).finish()));
        auto verdict = judge(flow_, made.schedule, {}, lanes_clock(via_));
        if (!verdict.legal()) return std::nullopt;
        made.cost = std::move(verdict.result);
        return made;
    }

    dataflow<> const& flow_;
    plan_options const& options_;
    listener const& hears_;
    reporting_observer quiet_observer_{{hears_}};
    listener quiet_{quiet_observer_};
    host_link<std::int64_t> via_;
    plan_options inner_options_;
    budget_planner without_copies_;
    contracted_dataflow<std::int64_t> const& contracted_ = without_copies_.contracted();
    planning_model const& model_ = without_copies_.model();
    planning_model const& relaxed_ = without_copies_.relaxed();
    bool can_swap_ = false;
    std::vector<bool> movable_;  // by value of the model
    std::optional<run_times> any_times_, base_times_;
    std::size_t inputs_ = 0;  // the first of the model's order
    std::vector<std::unique_ptr<swap_bound>> bounds_;
};

}  // namespace repebble::inline v0::detail

#endif
