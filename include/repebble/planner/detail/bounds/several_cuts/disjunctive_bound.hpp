#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_DISJUNCTIVE_BOUND_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_DISJUNCTIVE_BOUND_HPP

// A disjunctive lower bound: where two operations have no order, either of both orders is a case in which cuts are
// tighter; the bound is that of the weakest case.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/bounds/several_cuts/branching_orders.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_bound.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// `multi_cut_bound` by cases of order constraints.
class disjunctive_bound {
  public:
    /// As `multi_cut_bound`.
    disjunctive_bound(planning_model const& m, bytes budget, bytes unit, std::span<operation_index const> candidates,
                      std::int64_t bound)
        : m_(m), budget_(budget) {
        cases_.push_back({multi_cut_bound(m, budget, unit, candidates, bound)});
    }

    /// As `multi_cut_bound::improve`.
    auto improve(std::int64_t cutoff, std::size_t flows, stop_test stop) -> std::size_t {
        std::size_t done = 0;
        auto const over = [&] { return done >= flows || bound() >= cutoff || infeasible() || stop(); };
        while (!over()) {
            auto const weakest = std::ranges::min_element(cases_, is_weaker);
            bool const dividable = !weakest->is_whole && cases_.size() < most_cases;
            auto const before = done;
            done += weakest->bound.improve(cutoff, (flows - done) / (dividable ? 3 : 1), stop);
            if (over()) break;
            if (weakest != std::ranges::min_element(cases_, is_weaker)) continue;  // its bound has just been raised
            if (dividable) done += divide(weakest, cutoff, (flows - done) / 3, stop);
            if (done == before) break;
        }
        return done;
    }

    [[nodiscard]] auto bound() const -> std::int64_t {
        return std::ranges::min_element(cases_, is_weaker)->bound.bound();
    }
    [[nodiscard]] auto infeasible() const -> bool {
        return std::ranges::all_of(cases_, [](auto const& c) { return c.bound.infeasible(); });
    }
    /// Of the weakest case, as `multi_cut_bound::computations`.
    [[nodiscard]] auto computations(std::size_t limit) const -> std::optional<std::vector<operation_index>> {
        return std::ranges::min_element(cases_, is_weaker)->bound.computations(limit);
    }
    [[nodiscard]] auto size() const noexcept -> std::size_t { return cases_.size(); }

  private:
    static constexpr std::size_t most_cases = 6;

    struct one_case {
        multi_cut_bound bound;
        bool is_whole = false;  // no pair of operations to branch on
        [[nodiscard]] auto value() const -> std::int64_t {
            return bound.infeasible() ? std::numeric_limits<std::int64_t>::max() : bound.bound();
        }
    };
    [[nodiscard]] static auto is_weaker(one_case const& a, one_case const& b) -> bool { return a.value() < b.value(); }

    /// Branches the weakest case on the order that raises its bound most, if one does.  Returns the work.
    auto divide(std::list<one_case>::iterator weakest, std::int64_t cutoff, std::size_t most, stop_test stop)
        -> std::size_t {
        constexpr std::size_t most_cuts = 8, operations = 30, orders = 12, looks_for_a_flow = 8;
        std::vector<operation_index> at;
        for (auto const& cut : weakest->bound.chain()) at.push_back(cut.at());
        for (auto const v : weakest->bound.candidates())
            if (at.size() < most_cuts && std::ranges::find(at, v) == at.end()) at.push_back(v);
        std::size_t looks = 0;  // calls of stop: one for each short flow, and for each operation that is skipped
        auto const found_orders = branching_orders(m_, budget_, at, weakest->bound.orders(), operations,
                                                   [&] { return ++looks > most / 2 * looks_for_a_flow || stop(); });
        std::size_t done = looks / looks_for_a_flow;
        weakest->is_whole = true;
        std::optional<std::pair<one_case, one_case>> best;
        auto known = weakest->value();
        for (std::size_t k = 0; k < std::min(orders, found_orders.size()) && done < most && !stop(); ++k) {
            auto const part = (most - done) / (2 * orders);
            one_case first{weakest->bound.with_order(found_orders[k])};
            done += first.bound.improve(cutoff, part, stop) + 1;
            if (first.value() <= known) continue;
            one_case second{weakest->bound.with_order({found_orders[k].second, found_orders[k].first})};
            done += second.bound.improve(cutoff, part, stop);
            auto const both = std::min(first.value(), second.value());
            if (both <= known) continue;
            known = both;
            best.emplace(std::move(first), std::move(second));
        }
        if (best) {
            cases_.erase(weakest);
            cases_.push_back(std::move(best->first));
            cases_.push_back(std::move(best->second));
        }
        return done;
    }

    planning_model const& m_;
    bytes budget_;
    std::list<one_case> cases_;
};

}  // namespace repebble::inline v0::detail

#endif
