#ifndef REPEBBLE_IMPL_PLANNER_SWAP_PLANNER_IPP
#define REPEBBLE_IMPL_PLANNER_SWAP_PLANNER_IPP

#include <repebble/planner/detail/swap_planner.hpp>

#include <limits>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/pebbling/detail/drop_unread.hpp>
#include <repebble/pebbling/detail/expand_views.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/detail/model/tighten.hpp>
#include <repebble/planner/detail/swapping/exact_swaps.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto swap_planner::plan(bytes budget, std::optional<double> seconds,
                                        std::vector<operation_index>& known, automatic_plan<> const* smaller)
    -> automatic_plan<> {
    if (!without_copies_.is_prepared()) return {};
    deadline const clock(seconds, hears_);
    // What every schedule runs: less than everything once where there are alternatives.
    auto const least = std::min<std::int64_t>(0, without_copies_.overhead_of(0));
    automatic_plan<> out{.lower_bound = least, .base_order_bound = least, .floor = without_copies_.floor()};
    if (can_swap_ && budget >= out.floor.size) {
        only_copies(out, budget, clock);
        if (out.plan && !(out.lower_bound < out.plan->cost.overhead)) {
            out.proven = true;
            return out;
        }
    }
    auto without = clock.left();
    if (without) *without *= options_.effort.without_copies_share;
    auto other = without_copies_.plan(budget, without, known);
    if (other.plan && take_faster(out, std::move(*other.plan), std::move(other.strategy)))
        hears_.improved(out.plan->cost.overhead, 0);
    // Bounds of plans without copies do not count.
    out.proven = !out.plan && budget < out.floor.size;
    if (smaller != nullptr) take_faster(out, smaller->plan);
    if (can_swap_ && !out.proven && !is_good(out)) solve_small(out, budget, clock);
    if (can_swap_ && !out.proven && !is_good(out)) improve(out, budget, known, clock);
    if (out.plan) out.proven = !(out.lower_bound < out.plan->cost.overhead);
    return out;
}

REPEBBLE_INLINE auto swap_planner::can_move(policy_marks const* marks) -> bool {
    auto const& flow = contracted_.flow();
    // Copies of all values in all gaps must sum to what fits in 64 bits.
    auto const& e = options_.effort;
    auto const longest =
        most_time / static_cast<std::int64_t>(e.swap_steps_per_operation * model_.value_count() + e.more_swap_steps);
    for (value_index x = 0; x < model_.value_count(); ++x) {
        if (model_.producers[x].size() != 1) return false;
        movable_.push_back(via_.copy_time_up_to(model_.sizes[x], longest) < longest);
    }
    if (marks != nullptr)
        for (value_index x = 0; x < flow.value_count(); ++x)
            for (auto const name : contracted_.member_values[x]) movable_[x] = movable_[x] && !marks->kept[name];
    // A view that was not merged keeps a storage alive.
    for (value_index x = 0; x < flow.value_count(); ++x)
        if (flow.is_view(x)) {
            movable_[x] = false;
            for (auto const owner : flow.owners(x)) movable_[owner] = false;
        }
    return true;
}

REPEBBLE_INLINE void swap_planner::only_copies(automatic_plan<>& out, bytes budget, deadline const& clock) {
    swap_gaps const problem(model_, via_, budget, options_.host_budget, movable_, inputs_);
    swap_search search(problem, options_.seed);
    search.consider(search.fill(problem.keep_all()));
    if (!is_large())
        search.greedy(problem.keep_all(), {gap_choice::host},
                      [&] { return clock.is_over(options_.effort.until_only_copies); });
    if (search.best()) offer(out, search.decoder().list(search.best()->decisions), "swapping", budget, clock);
}

REPEBBLE_INLINE void swap_planner::solve_small(automatic_plan<>& out, bytes budget, deadline const& clock) {
    swap_gaps const problem(model_, via_, budget, options_.host_budget, movable_, inputs_);
    if (!exact_swaps::is_small(problem)) return;
    std::optional<std::int64_t> below;
    if (out.plan) below = out.plan->cost.time;
    auto const& e = options_.effort;
    auto const most_moves = e.exact_swap_work / e.exact_swap_work_per_move;
    auto const work = std::min(options_.limits.work.value_or(most_moves), most_moves) * e.exact_swap_work_per_move;
    auto const found = exact_swaps(problem).search(below, work, [&] { return clock.is_over(e.until_exact_swaps); });
    if (found.list) offer(out, *found.list, "exact_swapping", budget, clock);
    // Views apart from their owners might do better.
    if (!is_exact()) return;
    out.proven = !found.bound;
    if (found.bound)
        out.lower_bound = out.base_order_bound =
            std::max(out.lower_bound, without_copies_.overhead_of(*found.bound - model_.time_once));
}

REPEBBLE_INLINE auto swap_planner::is_exact() const -> bool {
    if (!has_all_ || may_overwrite_viewed(flow_)) return false;
    for (operation_index v = 0; v < model_.operation_count(); ++v) {
        auto const over = model_.overwritable[v];
        auto const spared = over.empty() ? 0 : model_.sizes[over.front()];
        if (model_.operations[v].again < model_.operations[v].time ||
            relaxed_.operations[v].own != model_.operations[v].own - spared)
            return false;
    }
    return true;
}

REPEBBLE_INLINE auto swap_planner::offer(automatic_plan<>& out, std::vector<list_step> const& list,
                                         char const* strategy, bytes budget, deadline const& clock) const
    -> std::optional<bytes> {
    auto made = made_of(list);
    if (!made || (options_.host_budget && made->cost.host_peak > *options_.host_budget)) return std::nullopt;
    if (out.plan && made->cost.time >= out.plan->cost.time) return std::nullopt;
    auto const& e = options_.effort;
    auto const needed = without_copies_.judge().needed(*made, budget, clock, e.swap_arena_share, e.swap_arena_effort);
    if (needed <= budget && take_faster(out, std::move(*made), strategy))
        hears_.improved(out.plan->cost.overhead, out.lower_bound);
    return needed;
}

REPEBBLE_INLINE void swap_planner::improve(automatic_plan<>& out, bytes budget, std::vector<operation_index> const& known,
             deadline const& clock) {
    auto const is_done = [&] { return is_good(out) || clock.is_over(1); };
    bool again = false;
    auto const attempt = [&](bytes inner) {
        swap_gaps const problem(model_, via_, inner, options_.host_budget, movable_, inputs_);
        swap_search search(problem, options_.seed);
        std::optional<bytes> needed;
        std::int64_t judged_time = std::numeric_limits<std::int64_t>::max();
        auto const offer_best = [&] {
            if (!search.best() || search.best()->cost.time >= judged_time) return;
            judged_time = search.best()->cost.time;
            auto const list = search.decoder().list(search.best()->decisions);
            if (auto const size = offer(out, list, "swapping", budget, clock)) needed = size;
        };
        search_plans(search, problem, out, budget, known, clock, offer_best, is_done, std::exchange(again, true));
        return needed;
    };
    tighten(budget, {.attempts = options_.effort.swap_attempts, .least = out.floor.size}, attempt, is_done);
}

REPEBBLE_INLINE auto swap_planner::remade_first(swap_search& search, swap_gaps const& problem,
                                std::vector<operation_index> const& known, bytes budget, function_ref<bool()> stop)
    -> swap_decisions {
    auto best = search.remake_first(problem.keep_all(), remade_gaps(problem, problem.decisions_of(known)), stop);
    auto const before = search.best() ? search.best()->cost.time : most_time;
    if (!base_times_) base_times_ = run_times_of(relaxed_, order_of_runs::base, options_.effort.most_swap_windows);
    for (auto const v : tight_for_copies(relaxed_, via_, 1)) {
        swap_bound bound(relaxed_, v, budget, via_, order_of_runs::base, *base_times_);
        if (!bound.feasible()) continue;
        auto other = search.remake_first(problem.keep_all(), remade_by_price(problem, bound, stop), stop);
        if (search.best() && search.best()->cost.time < before) best = std::move(other);
    }
    return best;
}

REPEBBLE_INLINE auto swap_planner::made_of(std::vector<list_step> const& list) const -> std::optional<recompute_plan<>> {
    auto const& flow = contracted_.flow();
    schedule_builder builder(flow);
    for (auto const& s : list) {
        if (s.what == action::compute) {
            if (s.of >= flow.operation_count()) break;  // the end of the model
            if (s.over == no_value) {
                builder.compute(s.of);
                continue;
            }
            auto const o = std::ranges::find_if(
                usable_[s.of], [&](overwrite const& of) { return flow.owners(of.over).front() == s.over; });
            builder.compute_in_place(s.of, o->output, o->over);
        } else if (s.of < flow.value_count()) {  // else an order edge of the model
            if (s.what == action::discard) builder.discard(s.of, s.from);
            if (s.what == action::offload) builder.offload(s.of);
            if (s.what == action::prefetch) builder.prefetch(s.of);
        }
    }
    return without_copies_.judge().carried_out(
        drop_unread(flow_, expand_views(flow_, contracted_, std::move(builder).finish())));
}

}  // namespace repebble::inline v0::detail

#endif
