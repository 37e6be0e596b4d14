#ifndef TRAIN_REPORT_HPP
#define TRAIN_REPORT_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <repebble/graph/quantity.hpp>

#include "plan/strategies.hpp"

namespace train {

/// Two runs of the same iterations, one of which keeps everything.
struct comparison {
    bool gradients_equal = false;  ///< bit by bit, and so all parameters that are not trained, and the loss
    std::size_t gradients = 0;
    std::string first_difference{};
    double predicted_overhead = 0;  ///< time of the plan by that of keep_all, less 1, by the replay
    double measured_overhead = 0;   ///< the median over pairs of runs
};

/// What is copied between the pools in an iteration.
struct copies {
    repebble::bytes planned_host = 0;   ///< the size of the arena in the host's memory
    repebble::bytes measured_host = 0;  ///< behind the highest byte that was written there
    repebble::bytes out = 0, in = 0;
};

/// What a training run has to say. Times are nanoseconds.
struct report {
    std::string network;
    std::int64_t batch = 0;
    std::string precision;
    std::string strategy;
    repebble::bytes keep_all_peak = 0;  ///< the size of its arena
    repebble::bytes replayed_peak = 0;  ///< of the pebble game: without what alignment costs
    repebble::bytes planned_peak = 0;   ///< the size of the arena
    repebble::bytes measured_peak = 0;  ///< behind the highest byte that was written
    repebble::bytes resident = 0;       ///< parameters, velocities and inputs, and gradients if not planned
    bool planned_gradients = false;     ///< whether gradients of parameters are results, in the arena
    std::optional<repebble::bytes> budget_of_all{};  ///< for the arena and all that lies beside it
    repebble::bytes of_program = 0;  ///< of that budget, left for the device's library: measured before planning
    /// Most memory in training beyond what there was before tensors and arena, by the system; nothing where it does not
    /// say.
    std::optional<repebble::bytes> system_peak{};
    repebble::bytes process_peak =
        0;                          ///< most memory that the process ever had, by the system; 0 where it does not say
    std::int64_t planned_time = 0;  ///< of one iteration
    std::optional<std::int64_t> measured_time{};  ///< the median; nothing where no iteration was timed
    std::int64_t keep_all_time = 0;               ///< planned
    std::size_t recomputations = 0;
    std::optional<copies> copied{};            ///< where the planner was given a link
    std::optional<plan::certificate> proof{};  ///< of the automatic planner
    repebble::bytes reserve_used =
        0;  ///< of memory that was set aside for what the device's library allocates by itself
    std::optional<std::size_t> allocations{};  ///< during an iteration, the greatest number; where they are counted
    std::optional<bool> captured{};  ///< whether iterations were launched as one, where the device could do that
    std::optional<comparison> compared{};
    std::string reordered{};  ///< a parameter whose gradient is added up in another order than keep_all's, if any
    std::vector<float> losses{};
    std::optional<double> test_accuracy{};
};

void print_text(report const& r);
void print_json(report const& r);

}  // namespace train

#endif
