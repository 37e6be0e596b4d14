#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_RANDOM_BAG_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_RANDOM_BAG_HPP

// A set of steps for random draws with lazy deletion: removed steps leave the bag when they are drawn. The
// neighbourhood draws recomputations from it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/detail/split_mix.hpp>
#include <repebble/planner/detail/sequences/memory_profile.hpp>

namespace repebble::inline v0::detail {

/// A bag of steps. O(1) expected for each operation.
class random_bag {
  public:
    using step_id = memory_profile::node;

    /// Adds the step, if it is not in the bag.
    void put(step_id i) {
        if (is_in_.size() <= i) is_in_.resize(i + 1, 0);
        if (is_in_[i] != 0) return;
        is_in_[i] = 1;
        steps_.push_back(i);
    }
    /// Returns a random step with is_valid(step), or memory_profile::none where so many draws met none.
    template <class IsValid>
    [[nodiscard]] auto draw(split_mix& random, std::size_t draws, IsValid&& is_valid) -> step_id {
        for (std::size_t attempt = 0; attempt < draws && !steps_.empty(); ++attempt) {
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
    std::vector<std::uint8_t> is_in_;  // by step
};

}  // namespace repebble::inline v0::detail

#endif
