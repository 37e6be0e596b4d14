#ifndef REPEBBLE_IMPL_LOWER_SETS_OVERHEAD_BOUND_IPP
#define REPEBBLE_IMPL_LOWER_SETS_OVERHEAD_BOUND_IPP

#include <repebble/lower_sets/overhead_bound.hpp>

#include <algorithm>
#include <limits>

#include <repebble/detail/paced_stop.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/reachability.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE overhead_bound::overhead_bound(lower_set_problem const& problem, objective goal, bool keep_last,
                                               detail::stop_test stop)
    : problem_(&problem), goal_(goal) {
    auto const& g = problem.graph;
    auto const n = problem.vertex_count();
    detail::paced_stop over(stop);
    if (goal == objective::time) {
        ancestors_ = ancestors(g, stop);
        static_cast<void>(over.now());
    }
    for (std::uint32_t v = 0; v < n; ++v) {
        if (goal == objective::time && over.after(vertex_set::words_for(n))) break;
        whole_ += problem.time[v];
        vertex_set around(n);
        bytes read_by = 0;
        for (auto const u : g.predecessors(v)) around.insert(u);
        for (auto const w : g.successors(v)) {
            read_by += problem.memory[w];
            around.insert(w);
            for (auto const u : g.predecessors(w)) around.insert(u);
        }
        around.erase(v);
        bytes const needed = 2 * problem.memory[v] + around.sum(problem.memory);
        least_ = std::max(least_, needed);
        bool const sink = g.successors(v).empty();
        if (goal == objective::memory) {
            if (!problem.pinned.contains(v)) recomputed_.emplace_back(needed + read_by, problem.time[v]);
            continue;
        }
        if (sink && !keep_last && !problem.pinned.contains(v)) always_ += problem.time[v];
        needed_.push_back(needed);
        around_.push_back(std::move(around));
        if (!sink && !problem.pinned.contains(v) && problem.time[v] > std::int64_t{}) by_density_.push_back(v);
    }
    std::sort(by_density_.begin(), by_density_.end(), [&](auto u, auto v) {
        auto const a = density(u), b = density(v);
        return a > b || (!(b > a) && u < v);
    });
}

REPEBBLE_INLINE auto overhead_bound::operator()(std::span<bytes const> budgets, detail::stop_test stop) const
    -> std::vector<std::optional<std::int64_t>> {
    std::vector<std::optional<std::int64_t>> bounds(budgets.size());
    std::size_t count = 0;
    while (count < budgets.size() && budgets[count] >= least_) bounds[count++] = std::int64_t{};
    if (goal_ == objective::memory) {
        for (std::size_t k = 0; k < count; ++k)
            for (auto const& [needed, time] : recomputed_)
                if (needed <= budgets[k]) *bounds[k] += time;
        return bounds;
    }
    detail::paced_stop over(stop);
    for (std::size_t v = 0; v < needed_.size() && !over.after(needed_.size()); ++v)
        improve(v, budgets.first(count), bounds);
    for (auto& bound : bounds)
        if (bound) bound = std::max<std::int64_t>(0, *bound + always_);
    return bounds;
}

REPEBBLE_INLINE auto overhead_bound::density(std::uint32_t v) const -> double {
    return problem_->memory[v] > 0
               ? static_cast<double>(problem_->time[v]) / static_cast<double>(problem_->memory[v])
               : std::numeric_limits<double>::infinity();
}

REPEBBLE_INLINE void overhead_bound::improve(std::size_t v, std::span<bytes const> budgets,
             std::vector<std::optional<std::int64_t>>& bounds) const {
    std::int64_t left{};  // of the ancestors that are not in the knapsack
    bytes pinned = 0;
    ancestors_[v].for_each([&](std::size_t u) {
        if (u == v || around_[v].contains(u)) return;
        if (problem_->pinned.contains(u))
            pinned += problem_->memory[u];
        else
            left += problem_->time[u];
    });
    bytes packed = 0;
    auto next = by_density_.begin();
    for (std::size_t k = budgets.size(); k-- > 0;) {
        bytes const capacity = budgets[k] - needed_[v] - pinned;
        if (capacity < 0) {
            bounds[k].reset();
            continue;
        }
        std::int64_t part{};
        for (; next != by_density_.end(); ++next) {
            auto const u = *next;
            if (u == v || !ancestors_[v].contains(u) || around_[v].contains(u)) continue;
            if (problem_->memory[u] > capacity - packed) {
                part = part_of(u, capacity - packed);
                break;
            }
            packed += problem_->memory[u];
            left -= problem_->time[u];
        }
        if (bounds[k]) bounds[k] = std::max(*bounds[k], left - part);
    }
}

REPEBBLE_INLINE auto overhead_bound::part_of(std::uint32_t u, bytes size) const -> std::int64_t {
    auto const time = problem_->time[u];
    auto const share = static_cast<double>(size) / static_cast<double>(problem_->memory[u]);
    double const part = static_cast<double>(time) * share + 1e-14 * static_cast<double>(whole_);
    return part < static_cast<double>(time) ? static_cast<std::int64_t>(part) : time;
}

}  // namespace repebble::inline v0

#endif
