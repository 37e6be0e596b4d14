#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_RANDOM_BAG_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_RANDOM_BAG_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/detail/split_mix.hpp>
#include <repebble/planner/detail/sequences/memory_profile.hpp>

namespace repebble::inline v0::detail {

/// Steps to draw from at random: whoever is found to have gone leaves the bag when it is drawn. O(1) for each.
class random_bag {
  public:
    using step_id = memory_profile::node;

    /// Puts the step in, if it is not there.
    void put(step_id i) {
        if (is_in_.size() <= i) is_in_.resize(i + 1, 0);
        if (is_in_[i] != 0) return;
        is_in_[i] = 1;
        steps_.push_back(i);
    }
    /// One that is_valid(step), or memory_profile::none where a few dozen draws met none.
    template <class IsValid>
    [[nodiscard]] auto draw(split_mix& random, IsValid&& is_valid) -> step_id {
        for (int attempt = 0; attempt < 32 && !steps_.empty(); ++attempt) {
            auto const at = random.below(steps_.size());
            auto const i = steps_[at];
            if (is_valid(i)) return i;
            is_in_[i] = 0;
            steps_[at] = steps_.back();
            steps_.pop_back();
        }
        return memory_profile::none;
    }

  private:
    std::vector<step_id> steps_;
    std::vector<std::uint8_t> is_in_;  // of every step
};

}  // namespace repebble::inline v0::detail

#endif
