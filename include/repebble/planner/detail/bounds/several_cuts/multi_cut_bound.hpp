#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_BOUND_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_BOUND_HPP

// A lower bound on the overhead from a chain of cuts, grown greedily: cuts that the sequence of the best relaxed plan
// violates first, then those that raise the bound most, selected by successive halving of their searches. It alternates
// growth and branch and bound (`multi_cut_search`).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/bounds/one_cut/sequence_of_cuts.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_search.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Returns the required operations at whose first runs the sequence exceeds the budget, largest resident bytes first.
/// O(k log k) for k steps, and their reads and writes.  Requires: each operation comes after producers of its inputs.
[[nodiscard]] auto violated_cuts(planning_model const& m, std::span<operation_index const> computations, bytes budget)
    -> std::vector<operation_index>;

/// Returns the chain with one more cut at its place; nothing where the chain has it, or where it is neither before nor
/// after one of its cuts in every schedule.  O(cuts).
[[nodiscard]] inline auto insert_cut(std::vector<first_run_cut> chain, first_run_cut more)
    -> std::optional<std::vector<first_run_cut>> {
    auto const v = more.at();
    std::size_t before = 0;
    for (auto const& cut : chain) {
        if (cut.at() == v || (!cut.is_before(v) && !cut.is_after(v))) return std::nullopt;
        if (cut.is_after(v)) ++before;
    }
    chain.insert(chain.begin() + static_cast<std::ptrdiff_t>(before), std::move(more));
    return chain;
}

/// The bound of a growing chain, resumable.
class multi_cut_bound {
  public:
    /// `candidates`: required operations, that with the best cut alone first; `bound`: the bound of that cut; `unit`:
    /// the byte unit (`byte_units`).  Requires: a candidate.
    multi_cut_bound(planning_model const& m, bytes budget, bytes unit, std::span<operation_index const> candidates,
                    std::int64_t bound)
        : m_(m), budget_(budget), unit_(unit), candidates_(candidates.begin(), candidates.end()), bound_(bound) {
        chain_.emplace_back(m, candidates.front());
    }

    /// Raises the bound until it is `cutoff`, the overhead of a known plan, for about so many `flows` over the model of
    /// one cut, or until `stop()` returns true.  Returns the flows.
    auto improve(std::int64_t cutoff, std::size_t flows, stop_test stop) -> std::size_t;

    [[nodiscard]] auto bound() const noexcept -> std::int64_t { return bound_; }
    [[nodiscard]] auto infeasible() const noexcept -> bool { return infeasible_; }
    /// The sequence of the best choice so far; nothing where there is none, or where it has more than `limit` steps.
    [[nodiscard]] auto computations(std::size_t limit) const -> std::optional<std::vector<operation_index>> {
        if (!search_ || search_->best().empty()) return std::nullopt;
        return sequence_of_cuts(search_->cuts(), search_->best(), recomputed_until::last_use, limit);
    }

  private:
    struct work {
        std::size_t most, done;
        [[nodiscard]] auto rest() const -> std::size_t { return most - std::min(done, most); }
        [[nodiscard]] auto is_spent() const -> bool { return done >= most; }
    };

    /// Calls go_on(over) for a search; over() returns true when so much work is done, or when `stop()` does.
    void spend(multi_cut_search& search, work& left, std::size_t most, stop_test stop,
               function_ref<void(stop_test)> go_on);
    void branch(multi_cut_search& search, work& left, std::size_t most, stop_test stop) {
        spend(search, left, most, stop, [&](stop_test over) { search.branch(over); });
    }
    void note(multi_cut_search const& search) {
        infeasible_ = infeasible_ || search.infeasible();
        if (!infeasible_) bound_ = std::max(bound_, search.bound());
    }
    /// Returns the search of a longer chain at its root.
    auto started(std::vector<first_run_cut> chain, std::int64_t cutoff, work& left, stop_test stop)
        -> std::optional<multi_cut_search>;
    /// Returns the search with one more cut, of those at which the best choice exceeds the budget most: the one of the
    /// largest bound after some work. Nothing where there is none, or where it is no larger than the present one.
    auto with_violated_cut(std::int64_t cutoff, work& left, stop_test stop) -> std::optional<multi_cut_search>;
    /// Returns the search with one more cut of the largest bound; nothing where none exceeds the present one.
    auto with_best_cut(std::int64_t cutoff, work& left, std::size_t most, stop_test stop)
        -> std::optional<multi_cut_search>;
    /// Returns the chain with the cut of v; nothing where some cut is not comparable with it.
    auto with_cut(operation_index v) const -> std::optional<std::vector<first_run_cut>> {
        return insert_cut(chain_, first_run_cut(m_, v));
    }

    planning_model const& m_;
    bytes budget_, unit_;
    std::vector<operation_index> candidates_;
    std::vector<first_run_cut> chain_;
    std::optional<multi_cut_search> search_;  // of the chain, if it has more than one cut
    std::vector<operation_index> rejected_;   // violated cuts that did not raise the bound
    std::int64_t bound_;
    bool infeasible_ = false;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/several_cuts/multi_cut_bound.ipp>
#endif

#endif
