#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_ANNEALER_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_ANNEALER_HPP

// Simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983) over sequences of operations with one time and one budget. The
// budget is a soft constraint: the excess over it has a penalty that adapts until 30 to 60 % of the moves end beyond
// the budget (strategic oscillation). A cooling run (`parallel_walks.hpp`) drives it.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <repebble/planner/detail/annealing/move_rules.hpp>
#include <repebble/planner/detail/annealing/neighbourhood.hpp>
#include <repebble/planner/effort.hpp>

namespace repebble::inline v0::detail {

/// One walk: minimizes time within a budget. The penalty on the excess, summed over all steps, moves so that both sides
/// of the budget are visited: the path between two good plans leads over plans that do not fit.
class annealer {
  public:
    annealer(planning_model const& m, std::span<operation_index const> start, bytes budget, std::uint64_t seed,
             move_rules const& rules = {});

    /// The fastest sequence within the budget so far, and its time.
    [[nodiscard]] auto best() const noexcept -> std::optional<std::vector<operation_index>> const& { return best_; }
    [[nodiscard]] auto best_time() const noexcept -> std::int64_t { return best_time_; }

    /// Forgets the best sequence, not its time: from now on only a faster one is kept.
    void forget_best() { best_.reset(); }
    /// Forgets the best time, if no sequence was kept since: from now on any sequence within the budget is kept.
    void forget_time() {
        if (!best_) best_time_ = std::numeric_limits<std::int64_t>::max();
    }

    /// Tries so many moves. `share`: the part of all moves of the walk that is done; the temperature falls
    /// exponentially with it.
    void run(std::size_t moves, temperature_range const& temperatures, double share);

  private:
    [[nodiscard]] auto cost(bytes excess) const -> double {
        return static_cast<double>(moves_.now().time()) + penalty_ * static_cast<double>(excess);
    }
    void move(double temperature);
    void keep_best();

    effort const& effort_;
    neighbourhood moves_;
    bytes excess_;  // of the current sequence over the budget
    double mean_ = 1, penalty_ = 1;
    std::size_t in_window_ = 0,
                outside_ = 0;  // moves in the window of the penalty, and those of them beyond the budget
    std::size_t since_copy_ = std::numeric_limits<std::uint32_t>::max();  // moves since the best was copied: long
                                                                          // sequences are not copied often
    std::optional<std::vector<operation_index>> best_{};
    std::int64_t best_time_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/annealing/annealer.ipp>
#endif

#endif
