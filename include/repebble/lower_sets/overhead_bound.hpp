#ifndef REPEBBLE_LOWER_SETS_OVERHEAD_BOUND_HPP
#define REPEBBLE_LOWER_SETS_OVERHEAD_BOUND_HPP

// A combinatorial bound on the overhead of every sequence of lower sets within a budget, by one fractional knapsack for
// each vertex. solve_best_lower_sets.hpp reports it where only a family was searched; exact_curve.hpp starts its first
// window from it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/next_representable.hpp>
#include <repebble/graph/reachability.hpp>
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
template <quantity Time = std::int64_t>
class overhead_bound {
  public:
    /// Refers to the problem.  O(n m / 64 + m degree) time, n² bits.  Throws not_a_dag.
    explicit overhead_bound(lower_set_problem<Time> const& problem, objective goal = objective::time,
                            bool keep_last = false)
        : problem_(&problem), goal_(goal) {
        auto const& g = problem.graph;
        auto const n = problem.vertex_count();
        if (goal == objective::time) ancestors_ = ancestors(g);
        for (std::uint32_t v = 0; v < n; ++v) {
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
            if (!sink && !problem.pinned.contains(v) && problem.time[v] > Time{}) by_density_.push_back(v);
        }
        std::sort(by_density_.begin(), by_density_.end(), [&](auto u, auto v) {
            auto const a = density(u), b = density(v);
            return a > b || (!(b > a) && u < v);
        });
    }

    /// A lower bound on formula (2) of every sequence.
    [[nodiscard]] auto least_budget() const noexcept -> bytes { return least_; }

    /// The bound within a budget; nothing where it proves that no sequence fits.  O(n²), for the greatest overhead
    /// O(n).
    [[nodiscard]] auto operator()(bytes budget) const -> std::optional<Time> {
        return (*this)(std::span<bytes const>(&budget, 1)).front();
    }
    /// The bounds within budgets, which must descend.  O(n² + n · budgets).
    [[nodiscard]] auto operator()(std::span<bytes const> budgets) const -> std::vector<std::optional<Time>> {
        std::vector<std::optional<Time>> bounds(budgets.size());
        std::size_t count = 0;
        while (count < budgets.size() && budgets[count] >= least_) bounds[count++] = Time{};
        if (goal_ == objective::memory) {
            for (std::size_t k = 0; k < count; ++k) {
                for (auto const& [needed, time] : recomputed_)
                    if (needed <= budgets[k]) *bounds[k] += time;
                *bounds[k] = detail::with_rounding(*bounds[k], whole_);
            }
            return bounds;
        }
        for (std::size_t v = 0; v < needed_.size(); ++v) improve(v, budgets.first(count), bounds);
        // Sums of the same times may be a little less in another order.
        for (auto& bound : bounds)
            if (bound) bound = std::max(Time{}, *bound + always_ - (detail::with_rounding(whole_, whole_) - whole_));
        return bounds;
    }

  private:
    [[nodiscard]] auto density(std::uint32_t v) const -> double {
        return problem_->memory[v] > 0
                   ? static_cast<double>(problem_->time[v]) / static_cast<double>(problem_->memory[v])
                   : std::numeric_limits<double>::infinity();
    }

    /// Improves the bounds by the knapsack of v, for all budgets in one pass over its vertices by density.
    void improve(std::size_t v, std::span<bytes const> budgets, std::vector<std::optional<Time>>& bounds) const {
        Time left{};  // of the ancestors that are not in the knapsack
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
            Time part{};
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
    /// The time of a fraction of a vertex, rounded up, so that the bound stays valid.
    [[nodiscard]] auto part_of(std::uint32_t u, bytes size) const -> Time {
        auto const time = problem_->time[u];
        auto const share = static_cast<double>(size) / static_cast<double>(problem_->memory[u]);
        double const part = static_cast<double>(time) * share + 1e-14 * static_cast<double>(whole_);
        return part < static_cast<double>(time) ? static_cast<Time>(part) : time;
    }

    lower_set_problem<Time> const* problem_;
    objective goal_;
    Time whole_{};
    bytes least_ = 0;
    Time always_{};  // of the sinks, which are always recomputed
    std::vector<vertex_set> ancestors_, around_;
    std::vector<bytes> needed_;  // by vertex: 2 M(v) + M(N)
    std::vector<std::uint32_t> by_density_;
    std::vector<std::pair<bytes, Time>> recomputed_;  // bytes that recomputing a vertex needs, and its time
};

}  // namespace repebble::inline v0

#endif
