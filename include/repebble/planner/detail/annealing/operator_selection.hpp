#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_OPERATOR_SELECTION_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_OPERATOR_SELECTION_HPP

// Adaptive operator selection by probability matching between two operators. The memetic search selects
// move rules by it.

#include <algorithm>

#include <repebble/detail/split_mix.hpp>
#include <repebble/planner/effort.hpp>

namespace repebble::inline v0::detail {

/// Exponential averages of the success rates of two operators: the better one is tried more often, the other still is.
/// At first the second one counts as half as successful.
class operator_selection {
  public:
    /// Refers to the constants.
    explicit operator_selection(effort const& e) : effort_(e) {}

    /// Draws whether to try the second operator, by its share of the rates.
    [[nodiscard]] auto draw(split_mix& random) const -> bool { return random.chance(second_ / (first_ + second_)); }
    void note(bool second, bool success) {
        auto const memory = effort_.rate_memory;
        auto& rate = second ? second_ : first_;
        rate = std::max(effort_.least_rate, memory * rate + (success ? 1 - memory : 0));
    }

  private:
    effort const& effort_;
    double first_ = effort_.first_rate, second_ = effort_.second_rate;
};

}  // namespace repebble::inline v0::detail

#endif
