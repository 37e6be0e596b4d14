#ifndef REPEBBLE_IMPL_LOWER_SETS_LOWER_SET_FAMILY_IPP
#define REPEBBLE_IMPL_LOWER_SETS_LOWER_SET_FAMILY_IPP

#include <repebble/lower_sets/lower_set_family.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <repebble/detail/paced_stop.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/lower_sets/lower_sets.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE lower_set_family::lower_set_family(lower_set_problem const& problem, std::vector<vertex_set> sets,
                                                   detail::stop_test stop)
    : problem_(&problem) {
    std::size_t const n = problem.vertex_count();
    sets.push_back(vertex_set(n));
    sets.push_back(vertex_set::full(n));
    std::vector<std::pair<index, index>> by_size;
    detail::paced_stop over(stop);
    for (auto i = static_cast<index>(sets.size()); i-- > 0;) {
        if (i + 2 < sets.size() && over.after(vertex_set::words_for(n))) break;
        by_size.emplace_back(static_cast<index>(sets[i].size()), i);
    }
    std::sort(by_size.data(), by_size.data() + by_size.size(), [&](auto const& a, auto const& b) {
        if (a.first != b.first) return a.first < b.first;
        auto const x = sets[a.second].words();
        auto const y = sets[b.second].words();
        return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
    });
    vertex_set const* last = nullptr;
    for (auto const& [size, i] : by_size) {
        if (last != nullptr && *last == sets[i]) continue;
        if (size > 0 && size < n && over.after(n)) continue;
        last = &sets[i];
        auto const words = last->words();
        rows_.insert(rows_.end(), words.begin(), words.end());
        add_sums(*last);
        top_.push_back(top_of(*last));
    }
}

REPEBBLE_INLINE auto lower_set_family::all(lower_set_problem const& problem, std::size_t limit, detail::stop_test stop)
    -> lower_set_family {
    std::vector<vertex_set> sets;
    detail::paced_stop over(stop);
    for (auto const& set : lower_sets(problem.graph)) {
        if (over.after(set.words().size())) break;
        if (sets.size() >= limit)
            detail::raise(limit_reached("the graph has more than " + std::to_string(limit) + " lower sets"));
        sets.push_back(set);
    }
    return {problem, std::move(sets), stop};
}

REPEBBLE_INLINE auto lower_set_family::cost(std::size_t i, std::size_t j, bool keep_last) const -> segment_cost {
    auto const lower = row(i);
    std::int64_t kept_time{};
    bytes kept_memory = 0;
    for (auto const b : boundary_[j]) {
        if (has(lower, b)) continue;
        kept_time += problem_->time[b];
        kept_memory += problem_->memory[b];
    }
    std::int64_t const overhead = keep_last && j == full() ? std::int64_t{} : time_[j] - time_[i] - kept_time;
    return {overhead, 2 * (memory_[j] - memory_[i]) + beyond_[j], kept_memory};
}

REPEBBLE_INLINE auto lower_set_family::free_splits(detail::stop_test stop) const -> detail::jagged_array<index> {
    constexpr std::size_t a_few = 8;
    detail::jagged_array<index> splits;
    vertex_set kept(problem_->vertex_count());
    std::vector<index> found;
    detail::paced_stop over(stop);
    for (std::size_t j = 0; j < size(); ++j) {
        for (auto const b : boundary_[j]) kept.insert(b);
        found.clear();
        auto const splits_j = [&](std::size_t s) {
            for (auto const b : boundary_[s])
                if (!kept.contains(b)) return false;
            for (auto const greater : found)
                if (is_subset(s, greater)) return false;
            return is_subset(s, j);
        };
        for (std::size_t s = over.after(1) ? 0 : j; s-- > 1 && found.size() < a_few && !over.after(1);)
            if (splits_j(s)) found.push_back(static_cast<index>(s));
        splits.append(found);
        for (auto const b : boundary_[j]) kept.erase(b);
    }
    return splits;
}

REPEBBLE_INLINE auto lower_set_family::is_subset(std::size_t i, std::size_t j) const -> bool {
    if (top_[i] != no_top) return has(row(j), top_[i]);
    auto const lower = row(i);
    auto const upper = row(j);
    bool subset = true;
    for (std::size_t k = 0; subset && k < lower.size(); ++k) subset = (lower[k] & ~upper[k]) == 0;
    return subset;
}

REPEBBLE_INLINE void lower_set_family::add_sums(vertex_set const& set) {
    auto const& g = problem_->graph;
    time_.push_back(set.sum(problem_->time));
    memory_.push_back(set.sum(problem_->memory));
    std::vector<std::uint32_t> kept;  // ∂(L) and pinned members
    bytes boundary_memory = 0;
    vertex_set outside(set.universe());  // δ⁺(L) ∖ L
    set.for_each([&](std::size_t v) {
        bool read_outside = problem_->pinned.contains(v);
        for (auto const w : g.successors(v))
            if (!set.contains(w)) {
                outside.insert(w);
                read_outside = true;
            }
        if (!read_outside) return;
        kept.push_back(static_cast<std::uint32_t>(v));
        boundary_memory += problem_->memory[v];
    });
    vertex_set read(set.universe());  // δ⁻(δ⁺(L)) ∖ L
    outside.for_each([&](std::size_t w) {
        for (auto const u : g.predecessors(w))
            if (!set.contains(u)) read.insert(u);
    });
    // Members of δ⁺(L) inside L have predecessors in L only, so δ⁺(L) ∖ L suffices here.
    beyond_.push_back(outside.sum(problem_->memory) + read.sum(problem_->memory));
    boundary_.append(kept);
    boundary_memory_.push_back(boundary_memory);
}

REPEBBLE_INLINE auto lower_set_family::top_of(vertex_set const& set) const -> std::size_t {
    std::size_t top = no_top;
    std::size_t maximal = 0;
    set.for_each([&](std::size_t v) {
        for (auto const w : problem_->graph.successors(v))
            if (set.contains(w)) return;
        top = v;
        ++maximal;
    });
    return maximal == 1 ? top : no_top;
}

}  // namespace repebble::inline v0

#endif
