#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_OPERATOR_SELECTION_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_OPERATOR_SELECTION_HPP

#include <algorithm>

#include <repebble/detail/split_mix.hpp>

namespace repebble::inline v0::detail {

/// How often each of two ways succeeds of late, so that the better one is tried more often, and the other still is. At
/// first the second one is thought to succeed half as often.
class operator_selection {
  public:
    /// Whether to try the second way: by its share of the rates.
    [[nodiscard]] auto draw(split_mix& random) const -> bool { return random.chance(second_ / (first_ + second_)); }
    void note(bool second, bool success) {
        constexpr double memory = 0.95, least = 0.01;
        auto& rate = second ? second_ : first_;
        rate = std::max(least, memory * rate + (success ? 1 - memory : 0));
    }

  private:
    double first_ = 0.5, second_ = 0.25;
};

}  // namespace repebble::inline v0::detail

#endif
