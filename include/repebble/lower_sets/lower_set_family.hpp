#ifndef REPEBBLE_LOWER_SETS_LOWER_SET_FAMILY_HPP
#define REPEBBLE_LOWER_SETS_LOWER_SET_FAMILY_HPP

// Families of lower sets with precomputed sums, and the pruned family of Kusumoto et al. 2019, section 4.3. The search
// space of solve_lower_sets.hpp and least_cached.hpp; formula.hpp evaluates a sequence through it.
// Invariant: sets ascend by size, from ∅ to V, so that each comes after its subsets.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/lower_sets/all_lower_sets.hpp>
#include <repebble/graph/lower_sets/lower_set.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0 {

/// A family of lower sets, from ∅ to V. The cost of a segment between two of them takes O(|∂(L')|). Refers to the
/// problem.
template <quantity Time = std::int64_t>
class lower_set_family {
  public:
    /// Sets are numbered by size.
    using index = std::uint32_t;

    /// `sets` in any order; ∅ and V are added where missing, equal sets count once.  O(#family (n + m)).
    lower_set_family(lower_set_problem<Time> const& problem, std::vector<vertex_set> sets) : problem_(&problem) {
        std::size_t const n = problem.vertex_count();
        sets.push_back(vertex_set(n));
        sets.push_back(vertex_set::full(n));
        std::vector<std::pair<index, index>> by_size;
        for (index i = 0; i < sets.size(); ++i) by_size.emplace_back(static_cast<index>(sets[i].size()), i);
        std::sort(by_size.data(), by_size.data() + by_size.size(), [&](auto const& a, auto const& b) {
            if (a.first != b.first) return a.first < b.first;
            auto const x = sets[a.second].words();
            auto const y = sets[b.second].words();
            return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
        });
        vertex_set const* last = nullptr;
        for (auto const& [size, i] : by_size) {
            if (last != nullptr && *last == sets[i]) continue;
            last = &sets[i];
            auto const words = last->words();
            rows_.insert(rows_.end(), words.begin(), words.end());
            add_sums(*last);
            top_.push_back(top_of(*last));
        }
    }

    /// The pruned family of section 4.3.
    [[nodiscard]] static auto pruned(lower_set_problem<Time> const& problem) -> lower_set_family {
        return {problem, pruned_lower_sets(problem.graph)};
    }
    /// All lower sets.  Throws limit_reached where there are more than `limit`.
    [[nodiscard]] static auto all(lower_set_problem<Time> const& problem, std::size_t limit) -> lower_set_family {
        std::vector<vertex_set> sets;
        for (auto const& set : lower_sets(problem.graph)) {
            if (sets.size() >= limit)
                detail::raise(limit_reached("the graph has more than " + std::to_string(limit) + " lower sets"));
            sets.push_back(set);
        }
        return {problem, std::move(sets)};
    }

    [[nodiscard]] auto size() const noexcept -> std::size_t { return time_.size(); }
    [[nodiscard]] auto operator[](std::size_t i) const -> vertex_set { return {problem_->vertex_count(), row(i)}; }
    /// The problem whose lower sets these are.
    [[nodiscard]] auto problem() const noexcept -> lower_set_problem<Time> const& { return *problem_; }
    /// The number of V.
    [[nodiscard]] auto full() const noexcept -> std::size_t { return size() - 1; }
    /// T(L).
    [[nodiscard]] auto time(std::size_t i) const { return time_[i]; }
    /// M(∂(L)), pinned members of L included: a lower bound on the bytes cached once L is computed.
    [[nodiscard]] auto boundary_memory(std::size_t i) const { return boundary_memory_[i]; }

    /// Calls f(j) for every proper superset L_j of L_i, in ascending order.
    template <class F>
    void for_each_superset(std::size_t i, F&& f) const {
        for (std::size_t j = i + 1; j < size(); ++j)
            if (is_subset(i, j)) f(j);
    }

    /// Cost of the segment from L_i to its superset L_j.  `keep_last`: the last segment is kept, with no overhead.
    [[nodiscard]] auto cost(std::size_t i, std::size_t j, bool keep_last) const -> segment_cost<Time> {
        auto const lower = row(i);
        Time kept_time{};
        bytes kept_memory = 0;
        for (auto const b : boundary_[j]) {
            if (has(lower, b)) continue;
            kept_time += problem_->time[b];
            kept_memory += problem_->memory[b];
        }
        Time const overhead = keep_last && j == full() ? Time{} : time_[j] - time_[i] - kept_time;
        return {overhead, 2 * (memory_[j] - memory_[i]) + beyond_[j], kept_memory};
    }

    /// Dominance rule for the least overhead: segments that can be split at no cost need not be searched. If L_s ⊊ L_j
    /// and ∂(L_s) ⊆ ∂(L_j), then for every L ⊊ L_s the segments L → L_s → L_j together recompute and cache the same
    /// vertices as L → L_j and need no more memory: M(δ⁺(L_s) ∖ L_s) + M(δ⁻(δ⁺(L_s)) ∖ L_s) is at most that of L_j plus
    /// 2 M(L_j ∖ L_s), and L → L_s caches at most 2 M(L_s ∖ L). Returns, for each j, a few such s, greatest first, none
    /// a subset of another; a pair (i, j) is dominated where L_i ⊊ L_s for one of them.  O(#family² |∂|).
    [[nodiscard]] auto free_splits() const -> detail::jagged_array<index> {
        constexpr std::size_t a_few = 8;
        detail::jagged_array<index> splits;
        vertex_set kept(problem_->vertex_count());
        std::vector<index> found;
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
            for (std::size_t s = j; s-- > 1 && found.size() < a_few;)
                if (splits_j(s)) found.push_back(static_cast<index>(s));
            splits.append(found);
            for (auto const b : boundary_[j]) kept.erase(b);
        }
        return splits;
    }
    /// L_i ⊆ L_j.
    [[nodiscard]] auto is_subset(std::size_t i, std::size_t j) const -> bool {
        if (top_[i] != no_top) return has(row(j), top_[i]);
        auto const lower = row(i);
        auto const upper = row(j);
        bool subset = true;
        for (std::size_t k = 0; subset && k < lower.size(); ++k) subset = (lower[k] & ~upper[k]) == 0;
        return subset;
    }

  private:
    static constexpr auto no_top = std::numeric_limits<std::size_t>::max();

    [[nodiscard]] auto row(std::size_t i) const noexcept -> std::span<vertex_set::word const> {
        std::size_t const words = vertex_set::words_for(problem_->vertex_count());
        return {rows_.data() + i * words, words};
    }
    [[nodiscard]] static auto has(std::span<vertex_set::word const> row, std::size_t v) noexcept -> bool {
        return ((row[v / vertex_set::word_bits] >> (v % vertex_set::word_bits)) & 1U) != 0;
    }

    void add_sums(vertex_set const& set) {
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

    /// The vertex v where the set is L^v, the ancestors of v, else no_top. Every lower set that contains v contains
    /// L^v.
    [[nodiscard]] auto top_of(vertex_set const& set) const -> std::size_t {
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

    lower_set_problem<Time> const* problem_;
    std::vector<vertex_set::word> rows_;  // the sets, one after the other
    std::vector<Time> time_;
    std::vector<bytes> memory_, beyond_, boundary_memory_;
    detail::jagged_array<std::uint32_t> boundary_;
    std::vector<std::size_t> top_;
};

}  // namespace repebble::inline v0

#endif
