#ifndef REPEBBLE_TESTS_SUPPORT_COMPUTATIONS_HPP
#define REPEBBLE_TESTS_SUPPORT_COMPUTATIONS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace support {

/// The computations of a schedule with their repetitions, in order.
[[nodiscard]] inline auto computations(repebble::schedule<> const& plan)
    -> std::vector<std::pair<repebble::operation_index, std::uint32_t>> {
    std::vector<std::pair<repebble::operation_index, std::uint32_t>> all;
    for (auto const& s : plan.steps)
        if (s.what == repebble::action::compute) all.emplace_back(s.vertex, s.repetition);
    return all;
}
[[nodiscard]] inline auto in_place_count(repebble::schedule<> const& plan) -> std::ptrdiff_t {
    return std::ranges::count_if(plan.steps, [](auto const& s) { return s.in_place; });
}

}  // namespace support

#endif
