#ifndef REPEBBLE_PLANNER_DETAIL_BUDGET_PLANNER_HPP
#define REPEBBLE_PLANNER_DETAIL_BUDGET_PLANNER_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/detail/deadline_observer.hpp>
#include <repebble/graph/dataflow/contract_views.hpp>
#include <repebble/pebbling/expand_views.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/optimal_pebbling.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/budget_search.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/starts/eviction_start.hpp>

namespace repebble::inline v0::detail {

/// Plans of one dataflow for one budget after the other.
template <quantity Time, class Observer>
class budget_planner {
  public:
    budget_planner(dataflow<Time> const& flow, plan_options const& options, Observer& observer)
        : flow_(flow),
          contracted_(contract_views(flow)),
          model_(make_planning_model(contracted_.flow)),
          options_(options),
          observer_(observer) {
        check_options(options);
        bool alternatives = false;
        for (std::size_t x = 0; x < flow.value_count(); ++x)
            alternatives = alternatives || flow.producers(x).size() > 1;
        for (operation_index c = 0; c < model_.operation_count(); ++c) {
            auto& o = model_.operations[c];
            if (contracted_.members[c].size() == 1) continue;
            o.again = whole_time(flow.time(contracted_.members[c].front()), model_.unit);
            // Where there are alternatives, nobody may want the views of an operation that has to run.
            if (alternatives && model_.required[c]) model_.time_once -= o.time - o.again;
        }
        auto const least = floor_of(model_);
        if (model_.operation_count() > 0) floor_ = {least.size, contracted_.members[least.operation].front()};
    }

    /// `known`: computations that fit a smaller budget, or are to be tried; those of the result on return.
    /// `baselines(budget, offer)` offers the operations of other strategies' schedules, with names;
    /// `baselines.canonical(budget, below, share, observer)` is as `canonical_start`.
    template <class Baselines>
    [[nodiscard]] auto plan(bytes budget, std::vector<operation_index>& known, Baselines&& baselines)
        -> automatic_plan<Time> {
        deadline<Observer> const clock(options_.time_limit, observer_);
        automatic_plan<Time> out{.floor = floor_};
        std::vector<operation_index> best;
        // `share`: of what is left of the limit, for the arena; the rest is for what comes after it.
        auto const offer = [&](candidate const& c, double share = 0.5) {
            constexpr double least_seconds = 0.01;  // enough for small ones
            auto made = made_of(c.computations);
            auto seconds = clock.left();
            if (seconds) seconds = std::max(least_seconds, *seconds * share);
            bytes const needed = options_.arena ? arena_size(made, budget, seconds) : made.cost.peak;
            if (needed <= budget && (!out.plan || made.cost.time < out.plan->cost.time)) {
                out.plan = std::move(made);
                out.strategy = c.name;
                best = c.computations;
            }
            return needed;
        };
        if (!known.empty()) offer({"smaller budget", known});
        bytes inner = budget, too_much = budget;
        std::optional<operation_index> moment;
        std::vector<operation_index> beyond;  // the best of an attempt, that was a little too large
        constexpr int attempts = 4;
        for (int attempt = 0; attempt < attempts && inner >= 0; ++attempt) {
            auto options = options_;
            if (attempt > 0 && clock.left() == 0.0) break;
            if (auto const seconds = clock.left()) options.time_limit = *seconds * (options_.arena ? 0.75 : 0.95);
            if (attempt > 0 && !options.time_limit && !options.moves)
                options.moves = moves_of_another_attempt(model_.operation_count());
            budget_search<Observer> search(model_, inner, options, observer_, moment);
            if (!known.empty()) search.offer("smaller budget", known);
            if (!beyond.empty()) search.begin_with(beyond);
            bool looked = false;
            auto const exact = [&](std::optional<std::int64_t> known_time, double share) {
                auto answer = exactly(inner, known_time, share);
                if (answer.found || answer.infeasible || std::exchange(looked, true)) return answer;
                std::optional<Time> below;
                if (known_time) below = overhead_of(*known_time - model_.time_once);
                deadline_observer<Observer> limited(observer_, canonical_seconds(clock));
                if (auto const found = baselines.canonical(inner, below, canonical_share(options, clock), limited))
                    answer.found = {"best_canonical", contracted_computations(*found)};
                return answer;
            };
            search.run(exact, [&](auto&& to_search) {
                baselines(inner, [&](char const* name, std::span<operation_index const> operations) {
                    to_search(name, contracted_computations(operations));
                });
            });
            if (attempt == 0) {
                out.lower_bound = overhead_of(search.lower_bound());
                out.proven = search.infeasible();
            }
            moment = search.moment();
            if (!search.best()) break;
            bytes const needed = offer(*search.best());
            if (needed <= budget) {
                // What lies between buffers comes and goes: perhaps less room for it is enough.
                if (too_much - inner <= budget / 100 || !(out.lower_bound < out.plan->cost.overhead)) break;
                inner += (too_much - inner) / 2;
                continue;
            }
            too_much = inner;
            for (auto const* slower : others(search))
                if (!out.plan) offer(*slower, 0.1);  // perhaps it fits
            // Views, or what lies between buffers: of large ones there will be as much of it, but elsewhere.
            bytes const excess = needed - budget;
            inner -= excess;
            if (model_.operation_count() > large_flow && inner > excess) inner -= excess;
            beyond = search.best()->computations;
        }
        if (!out.plan && !beyond.empty()) fit_into_less(budget, offer, clock);
        if (out.plan) out.proven = std::same_as<Time, std::int64_t> && !(out.lower_bound < out.plan->cost.overhead);
        known = std::move(best);
        return out;
    }

  private:
    /// What else was found or offered, the fastest first.
    [[nodiscard]] auto others(budget_search<Observer> const& search) const -> std::vector<candidate const*> {
        std::vector<candidate const*> all;
        for (auto const* some : {&search.found(), &search.starts()})
            for (auto const& c : *some)
                if (c.computations != search.best()->computations) all.push_back(&c);
        auto const time = [&](candidate const* c) { return sequence_time(model_, c->computations); };
        std::ranges::stable_sort(all, {}, time);
        auto const same =
            std::ranges::unique(all, [](auto const* a, auto const* b) { return a->computations == b->computations; });
        all.erase(same.begin(), same.end());
        return all;
    }
    /// No arena was small enough: greedy eviction within less and less, until one is.
    template <class Offer>
    void fit_into_less(bytes budget, Offer&& offer, deadline<Observer> const& clock) const {
        constexpr int attempts = 8;
        bytes room = budget, missed = budget, stuck = -1;  // within `stuck` nothing is found
        for (int attempt = 0; attempt < attempts && !clock.is_late(); ++attempt) {
            bytes next = stuck;
            if (auto played = eviction_start(model_, room, step_limit(model_)).play([&] { return clock.is_late(); })) {
                bytes const needed = offer({"eviction", std::move(*played)}, 0.1);
                if (needed <= budget) return;
                missed = room;
                next = room - (needed - budget);
            } else {
                stuck = room;
            }
            room = next > stuck ? next : stuck + (missed - stuck) / 2;
            if (room <= stuck || room >= missed) return;
        }
    }
    [[nodiscard]] auto made_of(std::vector<operation_index> const& computations) const -> recompute_plan<Time> {
        recompute_plan<Time> made;
        made.schedule = expand_views(flow_, contracted_, liveness(contracted_.flow, computations));
        made.cost = replay(flow_, made.schedule);
        return made;
    }
    /// Small dataflows are searched exhaustively, for what takes less than `known`.
    [[nodiscard]] auto exactly(bytes budget, std::optional<std::int64_t> known, double share) const ->
        typename budget_search<Observer>::exact_answer {
        constexpr std::size_t largest = 64, most_states = 200'000;
        constexpr double states_per_second = 40'000;  // that leave some of the time to others
        typename budget_search<Observer>::exact_answer answer;
        auto const& flow = contracted_.flow;
        if (flow.operation_count() > largest || flow.value_count() > largest) return answer;
        for (std::size_t x = 0; x < flow.value_count(); ++x)
            if (flow.is_view(x)) return answer;
        if constexpr (std::same_as<Time, std::int64_t>) {
            auto const affordable = options_.time_limit.value_or(1e9) * states_per_second;
            auto const states = share * std::min(affordable, static_cast<double>(most_states));
            auto const optimum =
                optimal_pebbling(flow, budget, {.state_limit = static_cast<std::size_t>(states)}, known);
            answer.infeasible = optimum.proven && !optimum.schedule && !known;
            if (!views_take_time()) answer.lower_bound = optimum.lower_bound - model_.time_once;
            if (optimum.schedule) answer.found = {"optimal_pebbling", computations_of(*optimum.schedule)};
        }
        return answer;
    }
    [[nodiscard]] static auto computations_of(schedule<> const& made) -> std::vector<operation_index> {
        std::vector<operation_index> all;
        for (auto const& s : made.steps)
            if (s.what == action::compute) all.push_back(s.vertex);
        return all;
    }
    /// Then a plan that runs them with their owners, as all here do, may not be the best.
    [[nodiscard]] auto views_take_time() const -> bool {
        for (operation_index c = 0; c < model_.operation_count(); ++c)
            if (model_.operations[c].again < model_.operations[c].time) return true;
        return false;
    }
    /// As small as it can be made with a little work, or within the budget.
    [[nodiscard]] auto arena_size(recompute_plan<Time> const& made, bytes budget, std::optional<double> seconds) const
        -> bytes {
        if (made.cost.peak > budget) return made.cost.peak;
        // Of small ones, how much they miss the budget is worth the work.
        offset_options const offsets{
            .capacity = budget, .time_limit = seconds, .effort = model_.operation_count() > large_flow ? 0.2 : 0.4};
        return plan_arena(flow_, made.schedule, {.offsets = offsets}).size;
    }
    /// Of a second's work, for a canonical start: fewer moves than usual ask for less, and it looks at the clock
    /// seldom.
    [[nodiscard]] auto canonical_share(plan_options const& options, deadline<Observer> const& clock) const -> double {
        constexpr double least = 0.1;
        if (auto const seconds = canonical_seconds(clock)) return std::min(*seconds, 1.0);
        if (!options.moves) return 1;
        auto const usual = static_cast<double>(usual_moves(model_.operation_count()));
        return std::clamp(static_cast<double>(*options.moves) / usual, least, 1.0);
    }
    [[nodiscard]] auto canonical_seconds(deadline<Observer> const& clock) const -> std::optional<double> {
        auto const seconds = clock.left();
        return seconds ? std::optional(*seconds * 0.25) : std::nullopt;
    }
    [[nodiscard]] auto contracted_computations(std::span<operation_index const> operations) const
        -> std::vector<operation_index> {
        std::vector<operation_index> all;
        for (auto const v : operations)
            if (auto const c = contracted_.representative[v]; contracted_.members[c].front() == v) all.push_back(c);
        return all;
    }
    /// Of time beyond what is required, overhead: below 0 where alternatives are cheaper than `time_once` knows.
    [[nodiscard]] auto overhead_of(std::int64_t above) const -> Time {
        if constexpr (std::same_as<Time, double>) {
            return static_cast<double>(model_.time_once + above) * model_.unit - flow_.time_once();
        } else {
            return model_.time_once + above - flow_.time_once();
        }
    }

    dataflow<Time> const& flow_;
    contracted_dataflow<Time> contracted_;
    planning_model model_;
    repebble::memory_floor<> floor_;
    plan_options const& options_;
    Observer& observer_;
};

}  // namespace repebble::inline v0::detail

#endif
