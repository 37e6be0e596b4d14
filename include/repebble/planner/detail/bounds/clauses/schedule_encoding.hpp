#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_SCHEDULE_ENCODING_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_SCHEDULE_ENCODING_HPP

// Every schedule within a budget as clauses and knapsack rows: which operations run between two neighbouring cuts, and
// which values are kept at each cut. These are the stages of Checkmate (Jain et al. 2020, section 4), but between cuts
// that exist in every schedule, and without an order within a stage. `max_sat_bound` solves it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/detail/satisfiability/conflict_search.hpp>
#include <repebble/detail/satisfiability/literal.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// The encoding. An operation that runs in an interval, and a value kept at its end, need each input kept at its
/// beginning or computed in it; the values kept at a cut fit beside its operation; what may run only once does. Values
/// that several operations may compute are free.
class schedule_encoding {
  public:
    /// A soft clause: an operation runs between two cuts once more, which takes at least this time.
    struct recomputation {
        literal runs{};
        std::int64_t time = 0;
    };
    /// Adds the encoding to the solver.  O(cuts · (n + m)).  Requires: each cut comes after the one before in every
    /// schedule; the sizes of all values add up.
    schedule_encoding(planning_model const& m, std::vector<first_run_cut> const& chain, bytes budget,
                      conflict_search& search);

    /// The costs: their sum, less `objective_offset()`, is the overhead.
    [[nodiscard]] auto recomputations() const noexcept -> std::vector<recomputation> const& { return recomputations_; }
    /// Time of the first runs of operations whose interval is not fixed.
    [[nodiscard]] auto objective_offset() const noexcept -> std::int64_t { return objective_offset_; }

  private:
    [[nodiscard]] auto is_at(std::size_t i, operation_index v) const -> bool {
        return i < chain_.size() && chain_[i].at() == v;
    }
    [[nodiscard]] auto is_constant(literal l) const -> bool { return l.variable() == true_.variable(); }

    /// Computes, by operation, the first and last interval in which its first run may be, and the number of intervals,
    /// from the first, in which a run may be of use.
    void compute_windows();
    [[nodiscard]] auto useful_until(value_index x) const -> std::size_t {
        std::size_t most = 0;
        for (auto const r : m_.readers[x]) most = std::max(most, useful_[r]);
        return most;
    }
    void add_run_variables(conflict_search& search);
    void add_kept_variables(conflict_search& search);
    /// Adds the clause: the reader implies that the value is kept at the cut before or computed in interval i.
    void add_support(std::size_t i, literal reader, value_index x, conflict_search& search);

    planning_model const& m_;
    std::vector<first_run_cut> const& chain_;
    literal true_;
    std::vector<std::size_t> first_, last_, useful_;
    std::vector<std::vector<literal>> runs_, kept_;
    std::vector<recomputation> recomputations_;
    std::int64_t objective_offset_ = 0;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/clauses/schedule_encoding.ipp>
#endif

#endif
