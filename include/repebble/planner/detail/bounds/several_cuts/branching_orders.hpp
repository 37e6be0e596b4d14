#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_BRANCHING_ORDERS_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_BRANCHING_ORDERS_HPP

// Strong branching on orders of first runs, for `disjunctive_bound`.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/bounds/one_cut/cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/tight_operations.hpp>

namespace repebble::inline v0::detail {

/// Returns pairs of operations without an order, one of them of `cuts`, such that both orders raise the bound of a cut,
/// by descending gain. For each cut at most `most` operations are tried that change its live values, until `stop()`
/// returns true.  O(cuts · (n · (n + m) + most · flows)).  Requires: the operations of the cuts are required.
[[nodiscard]] inline auto branching_orders(planning_model const& m, bytes budget, std::span<operation_index const> cuts,
                                           std::span<first_run_order const> given, std::size_t most, stop_test stop)
    -> std::vector<first_run_order> {
    auto const bound_of = [&](first_run_cut const& cut) {
        auto const r = cut_relaxation(cut, budget, 1, {}).solve(std::numeric_limits<std::int64_t>::max(), -1, stop);
        return r.feasible ? r.bound : most_time;
    };
    auto const with = [&](first_run_order order) {
        std::vector<first_run_order> orders(given.begin(), given.end());
        orders.push_back(order);
        return orders;
    };
    std::map<operation_index, std::int64_t> known;  // the bound of a cut alone
    auto const bound_alone = [&](operation_index v) {
        auto const at = known.find(v);
        return at != known.end() ? at->second : known[v] = bound_of(first_run_cut(m, v, given));
    };
    auto const operations = tight_operations(m, m.operation_count());
    std::vector<std::pair<std::int64_t, first_run_order>> found;
    for (auto const at : cuts) {
        first_run_cut const cut(m, at, given);
        std::set<std::vector<value_index>> seen{cut.live_values()};
        for (auto const v : operations) {
            if (seen.size() > most || stop()) break;
            if (v == at || cut.is_before(v) || cut.is_after(v)) continue;
            auto const is_opposite = [&](auto const& f) { return f.second.first == v && f.second.second == at; };
            if (std::ranges::any_of(found, is_opposite)) continue;
            first_run_cut const before(m, at, with({at, v}));
            if (!seen.insert(before.live_values()).second) continue;
            auto const alone = std::max(bound_alone(at), bound_alone(v));
            auto const first = bound_of(before);
            if (first <= alone) continue;
            auto const both = std::min(first, bound_of(first_run_cut(m, v, with({v, at}))));
            if (both > alone) found.push_back({both - alone, {at, v}});
        }
    }
    std::ranges::stable_sort(found, std::greater<>{}, [](auto const& f) { return f.first; });
    std::vector<first_run_order> orders;
    for (auto const& [gain, order] : found) orders.push_back(order);
    return orders;
}

}  // namespace repebble::inline v0::detail

#endif
