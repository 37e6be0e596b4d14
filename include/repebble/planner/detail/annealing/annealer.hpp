#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_ANNEALER_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_ANNEALER_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <repebble/planner/detail/annealing/move_rules.hpp>
#include <repebble/planner/detail/annealing/neighbourhood.hpp>

namespace repebble::inline v0::detail {

struct temperature_range {
    double hot = 0.3;    ///< temperature at the beginning, in mean times of an operation
    double cold = 0.02;  ///< at the end
};

/// Simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983) on a sequence of computations: less time, within a budget.
/// What lies excess the budget, added up over all steps, has a price, which moves so that both sides of the budget are
/// visited: the way from one good plan to the next leads over plans that do not fit.
class annealer {
  public:
    annealer(planning_model const& m, std::span<operation_index const> start, bytes budget, std::uint64_t seed,
             move_rules const& rules = {})
        : moves_(m, start, budget, seed, rules), excess_(moves_.now().excess()) {
        auto const n = std::max<std::size_t>(1, m.operation_count());
        mean_ = std::max(1.0, static_cast<double>(m.time_once) / static_cast<double>(n));
        penalty_ = mean_ / std::max(1.0, static_cast<double>(budget) / 200);
        keep_best();
    }

    /// The fastest sequence within the budget so far, and its time.
    [[nodiscard]] auto best() const noexcept -> std::optional<std::vector<operation_index>> const& { return best_; }
    [[nodiscard]] auto best_time() const noexcept -> std::int64_t { return best_time_; }

    /// From now on only what is faster than the best so far counts, which is forgotten.
    void forget_best() { best_.reset(); }
    /// If nothing counted since, whatever is within the budget does from now on.
    void forget_time() {
        if (!best_) best_time_ = std::numeric_limits<std::int64_t>::max();
    }

    /// Tries as many moves. `share`: how much of all that are to come is done.
    void run(std::size_t moves, temperature_range const& temperatures, double share) {
        constexpr std::size_t window = 256;
        double const temperature = mean_ * temperatures.hot * std::pow(temperatures.cold / temperatures.hot, share);
        for (std::size_t k = 0; k < moves; ++k) {
            move(temperature);
            if (excess_ > 0) ++outside_;
            if (++in_window_ < window) continue;
            if (outside_ > window * 6 / 10) penalty_ *= 1.1;
            if (outside_ < window * 3 / 10) penalty_ /= 1.1;
            in_window_ = outside_ = 0;
        }
        since_copy_ = moves_.now().size();
        keep_best();
    }

  private:
    [[nodiscard]] auto cost(bytes excess) const -> double {
        return static_cast<double>(moves_.now().time()) + penalty_ * static_cast<double>(excess);
    }
    void move(double temperature) {
        // What will be taken is known before the move, so that it can end early.
        double const most = cost(excess_) - temperature * std::log(1 - moves_.random().fraction());
        if (!moves_.make(excess_ > 0, most)) return;
        auto const excess = moves_.now().excess();
        if (cost(excess) > most) {
            moves_.undo();
            return;
        }
        excess_ = excess;
        keep_best();
    }
    void keep_best() {
        ++since_copy_;
        if (excess_ > 0 || moves_.now().time() >= best_time_) return;
        if (since_copy_ * 64 < moves_.now().size() && moves_.now().size() > 4096) return;
        since_copy_ = 0;
        best_time_ = moves_.now().time();
        best_ = moves_.now().operations();
    }

    neighbourhood moves_;
    bytes excess_;  // the budget
    double mean_ = 1, penalty_ = 1;
    std::size_t in_window_ = 0, outside_ = 0;  // moves since the price was looked at, and those that ended excess
    std::size_t since_copy_ = std::numeric_limits<std::uint32_t>::max();  // moves: long sequences are not copied often
    std::optional<std::vector<operation_index>> best_{};
    std::int64_t best_time_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace repebble::inline v0::detail

#endif
