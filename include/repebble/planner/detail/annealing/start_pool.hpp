#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_START_POOL_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_START_POOL_HPP

// The pool of start sequences that bounds and primal heuristics collect for the annealing, in three kinds: repaired
// sequences within the budget, choices at the best cut for a tighter budget, and the choice of several cuts.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

/// Start sequences by source; `take` selects a few of each.
class start_pool {
  public:
    explicit start_pool(planning_model const& m) : m_(m) {}

    void add_repaired(std::vector<operation_index> computations) { repaired_.push_back(std::move(computations)); }
    void add_for_less(std::vector<operation_index> const& computations) { tighter_.push_back(computations); }
    /// Replaces the sequence that several cuts led to before.
    void set_chained(std::vector<operation_index> computations) { multi_cut_ = std::move(computations); }

    /// Returns up to six starts and removes all: the fastest repaired ones, that of several cuts, some for a tighter
    /// budget, evenly, and `last`.  O(starts · n).
    [[nodiscard]] auto take(std::vector<operation_index> last) -> std::vector<std::vector<operation_index>> {
        constexpr std::size_t most_repaired = 4, most_starts = 6;
        std::ranges::sort(repaired_, {}, [&](auto const& c) { return std::pair(sequence_time(m_, c), c.size()); });
        auto const same = std::ranges::unique(repaired_);
        repaired_.erase(same.begin(), same.end());
        repaired_.resize(std::min(repaired_.size(), most_repaired));
        auto all = std::exchange(repaired_, {});
        if (!multi_cut_.empty()) all.push_back(std::exchange(multi_cut_, {}));
        auto const tighter = std::exchange(tighter_, {});
        auto const more = std::min(tighter.size(), most_starts - 1 - std::min(most_starts - 1, all.size()));
        for (std::size_t k = 0; k < more; ++k) all.push_back(tighter[(2 * k + 1) * tighter.size() / (2 * more)]);
        all.push_back(std::move(last));
        return all;
    }

  private:
    planning_model const& m_;
    std::vector<std::vector<operation_index>> repaired_;
    std::vector<std::vector<operation_index>> tighter_;
    std::vector<operation_index> multi_cut_;
};

}  // namespace repebble::inline v0::detail

#endif
