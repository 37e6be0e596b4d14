#ifndef REPEBBLE_LOWER_SETS_OVERHEAD_BOUND_HPP
#define REPEBBLE_LOWER_SETS_OVERHEAD_BOUND_HPP

// A combinatorial bound on the overhead of every sequence of lower sets within a budget, by one fractional knapsack for
// each vertex. solve_lower_sets.hpp reports it where only a family was searched; exact_curve.hpp starts its first
// window from it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/next_representable.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/objective.hpp>

namespace repebble::inline v0 {

/// Bounds the overhead of formula (1) within a budget by formula (2) (Kusumoto et al. 2019, section 3), over all
/// sequences of lower sets: from below for the least overhead, from above for the greatest.
///
/// Proof. Take any vertex v, its segment V_i, and the set N of the operands of v, the readers of v, and their other
/// operands. A member of N in L_{i-1} is cached there, for v or another reader lies outside; one in V_i counts twice;
/// one outside L_i counts as δ⁺(L_i) ∖ L_i or δ⁻(δ⁺(L_i)) ∖ L_i. So M(i) ≥ 2 M(v) + M(N). Other ancestors of v are in
/// L_i. One that is kept at all is cached from its own segment on, and lies in U_{i-1} or V_i: it counts, too. So the
/// kept ancestors fit into a knapsack of capacity B - 2 M(v) - M(N), here relaxed to fractions of vertices; the others
/// are recomputed. So is every sink, which no other set's boundary contains; not so where the last segment is kept,
/// which changes nothing else, since its members are in V_i. Pinned vertices are kept. For the greatest overhead: where
/// v is recomputed, all readers of v are in V_i, too, and count twice.
class overhead_bound {
  public:
    /// Refers to the problem. Once stop() has returned true, the bound holds for few vertices: of the least overhead it
    /// is valid, but weaker; that of the greatest is not ended.  O(n m / 64 + m degree) time, n² bits.  Throws
    /// not_a_dag.
    explicit overhead_bound(lower_set_problem const& problem, objective goal = objective::time, bool keep_last = false,
                            detail::stop_test stop = detail::never_stop{});

    /// A lower bound on formula (2) of every sequence.
    [[nodiscard]] auto least_budget() const noexcept -> bytes { return least_; }

    /// The bound within a budget; nothing where it proves that no sequence fits.  O(n²), for the greatest overhead
    /// O(n). Weaker once stop() has returned true.
    [[nodiscard]] auto operator()(bytes budget, detail::stop_test stop = detail::never_stop{}) const
        -> std::optional<std::int64_t> {
        return (*this)(std::span<bytes const>(&budget, 1), stop).front();
    }
    /// The bounds within budgets, which must descend.  O(n² + n · budgets).
    [[nodiscard]] auto operator()(std::span<bytes const> budgets, detail::stop_test stop = detail::never_stop{}) const
        -> std::vector<std::optional<std::int64_t>>;

  private:
    [[nodiscard]] auto density(std::uint32_t v) const -> double;

    /// Improves the bounds by the knapsack of v, for all budgets in one pass over its vertices by density.
    void improve(std::size_t v, std::span<bytes const> budgets, std::vector<std::optional<std::int64_t>>& bounds) const;
    /// The time of a fraction of a vertex, rounded up, so that the bound stays valid.
    [[nodiscard]] auto part_of(std::uint32_t u, bytes size) const -> std::int64_t;

    lower_set_problem const* problem_;
    objective goal_;
    std::int64_t whole_{};
    bytes least_ = 0;
    std::int64_t always_{};  // of the sinks, which are always recomputed
    std::vector<vertex_set> ancestors_, around_;
    std::vector<bytes> needed_;  // by vertex: 2 M(v) + M(N)
    std::vector<std::uint32_t> by_density_;
    std::vector<std::pair<bytes, std::int64_t>> recomputed_;  // bytes that recomputing a vertex needs, and its time
};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/lower_sets/overhead_bound.ipp>
#endif

#endif
