#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_START_POOL_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_START_POOL_HPP

// The pool of start sequences that bounds and primal heuristics collect for the annealing, in three kinds: repaired
// sequences within the budget, choices at the best cut for a tighter budget, and the choice of several cuts.

#include <utility>
#include <vector>

#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Start sequences by source; `take` selects a few of each.
class start_pool {
  public:
    explicit start_pool(planning_model const& m) : m_(m) {}

    void add_repaired(std::vector<operation_index> computations) { repaired_.push_back(std::move(computations)); }
    void add_for_less(std::vector<operation_index> const& computations) { tighter_.push_back(computations); }
    /// Replaces the sequence that several cuts led to before.
    void set_chained(std::vector<operation_index> computations) { multi_cut_ = std::move(computations); }

    /// Returns a few starts (`effort.most_starts`) and removes all: the fastest repaired ones, that of several cuts,
    /// some for a tighter budget, evenly, and `last`.  O(starts · n).
    [[nodiscard]] auto take(std::vector<operation_index> last) -> std::vector<std::vector<operation_index>>;

  private:
    planning_model const& m_;
    std::vector<std::vector<operation_index>> repaired_;
    std::vector<std::vector<operation_index>> tighter_;
    std::vector<operation_index> multi_cut_;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/annealing/start_pool.ipp>
#endif

#endif
