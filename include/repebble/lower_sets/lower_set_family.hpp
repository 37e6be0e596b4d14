#ifndef REPEBBLE_LOWER_SETS_LOWER_SET_FAMILY_HPP
#define REPEBBLE_LOWER_SETS_LOWER_SET_FAMILY_HPP

// Families of lower sets with precomputed sums, and the pruned family of Kusumoto et al. 2019, section 4.3. The search
// space of solve_lower_sets.hpp; evaluate_formula.hpp evaluates a sequence through it.
// Invariant: sets ascend by size, from ∅ to V, so that each comes after its subsets.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/lower_sets/detail/lower_set.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0 {

/// A family of lower sets, from ∅ to V. The cost of a segment between two of them takes O(|∂(L')|). Refers to the
/// problem.
class lower_set_family {
  public:
    /// Sets are numbered by size.
    using index = std::uint32_t;

    /// `sets` in any order; ∅ and V are added where missing, equal sets count once. From when stop() returns true on,
    /// no further set but V is taken.  O(#family (n + m)).
    lower_set_family(lower_set_problem const& problem, std::vector<vertex_set> sets,
                     detail::stop_test stop = detail::never_stop{});

    /// The pruned family of section 4.3; ended early, a part of it.
    [[nodiscard]] static auto pruned(lower_set_problem const& problem, detail::stop_test stop = detail::never_stop{})
        -> lower_set_family {
        return {problem, detail::pruned_lower_sets(problem.graph, stop), stop};
    }
    /// All lower sets; ended early, a part of them.  Throws limit_reached where there are more than `limit`.
    [[nodiscard]] static auto all(lower_set_problem const& problem, std::size_t limit,
                                  detail::stop_test stop = detail::never_stop{}) -> lower_set_family;

    [[nodiscard]] auto size() const noexcept -> std::size_t { return time_.size(); }
    [[nodiscard]] auto operator[](std::size_t i) const -> vertex_set { return {problem_->vertex_count(), row(i)}; }
    /// The problem whose lower sets these are.
    [[nodiscard]] auto problem() const noexcept -> lower_set_problem const& { return *problem_; }
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
    [[nodiscard]] auto cost(std::size_t i, std::size_t j, bool keep_last) const -> segment_cost;

    /// Dominance rule for the least overhead: segments that can be split at no cost need not be searched. If L_s ⊊ L_j
    /// and ∂(L_s) ⊆ ∂(L_j), then for every L ⊊ L_s the segments L → L_s → L_j together recompute and cache the same
    /// vertices as L → L_j and need no more memory: M(δ⁺(L_s) ∖ L_s) + M(δ⁻(δ⁺(L_s)) ∖ L_s) is at most that of L_j plus
    /// 2 M(L_j ∖ L_s), and L → L_s caches at most 2 M(L_s ∖ L). Returns, for each j, a few such s, greatest first, none
    /// a subset of another; a pair (i, j) is dominated where L_i ⊊ L_s for one of them; none from when stop() returns
    /// true on. O(#family² |∂|).
    [[nodiscard]] auto free_splits(detail::stop_test stop = detail::never_stop{}) const -> detail::jagged_array<index>;
    /// L_i ⊆ L_j.
    [[nodiscard]] auto is_subset(std::size_t i, std::size_t j) const -> bool;

  private:
    static constexpr auto no_top = std::numeric_limits<std::size_t>::max();

    [[nodiscard]] auto row(std::size_t i) const noexcept -> std::span<vertex_set::word const> {
        std::size_t const words = vertex_set::words_for(problem_->vertex_count());
        return {rows_.data() + i * words, words};
    }
    [[nodiscard]] static auto has(std::span<vertex_set::word const> row, std::size_t v) noexcept -> bool {
        return ((row[v / vertex_set::word_bits] >> (v % vertex_set::word_bits)) & 1U) != 0;
    }

    void add_sums(vertex_set const& set);

    /// The vertex v where the set is L^v, the ancestors of v, else no_top. Every lower set that contains v contains
    /// L^v.
    [[nodiscard]] auto top_of(vertex_set const& set) const -> std::size_t;

    lower_set_problem const* problem_;
    std::vector<vertex_set::word> rows_;  // the sets, one after the other
    std::vector<std::int64_t> time_;
    std::vector<bytes> memory_, beyond_, boundary_memory_;
    detail::jagged_array<std::uint32_t> boundary_;
    std::vector<std::size_t> top_;
};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/lower_sets/lower_set_family.ipp>
#endif

#endif
