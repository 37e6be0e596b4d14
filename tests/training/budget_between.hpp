#ifndef REPEBBLE_TESTS_TRAINING_BUDGET_BETWEEN_HPP
#define REPEBBLE_TESTS_TRAINING_BUDGET_BETWEEN_HPP

#include <repebble/graph/quantity.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/keep_all.hpp>

namespace support {

/// So many hundredths of the way from what every plan needs to the peak of keep_all: whatever a device's workspaces
/// are, a plan has to compute again.
[[nodiscard]] inline auto budget_between(repebble::training_graph const& weighed, repebble::bytes hundredths)
    -> repebble::bytes {
    auto const most = repebble::keep_all(weighed).cost.peak;
    auto const least = repebble::plan(weighed, most).floor.size;
    return least + (most - least) * hundredths / 100;
}

}  // namespace support

#endif
