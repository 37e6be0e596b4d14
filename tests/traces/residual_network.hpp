#ifndef REPEBBLE_TESTS_TRACES_RESIDUAL_NETWORK_HPP
#define REPEBBLE_TESTS_TRACES_RESIDUAL_NETWORK_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/traces/swap_problem.hpp>
#include <repebble/traces/trace_of.hpp>

#include "support/generators.hpp"

namespace support {

/// A residual network: a stem, and blocks of two layers and an addition, which also reads what the block reads.
struct residual_network {
    explicit residual_network(int count) {
        adjacency g(static_cast<std::size_t>(3 * count + 1));
        for (int b = 0; b < count; ++b) {
            auto const in = static_cast<std::size_t>(3 * b);
            g[in] = {3 * b + 1, 3 * b + 3};
            g[in + 1] = {3 * b + 2};
            g[in + 2] = {3 * b + 3};
        }
        auto const time = [](int v) { return v % 3 == 0 ? 2 : 20; };
        auto const size = [](int) { return 10; };
        training = repebble::make_training_graph(g, repebble::weights{time, size});
        problem.emplace(repebble::trace_of(training.flow, repebble::make_schedule(training.flow)));
    }
    /// The computations of the layers of blocks, forward and backward; the additions remain.
    [[nodiscard]] auto dropped(std::uint32_t subset) const -> std::vector<bool> {
        std::vector<bool> is_dropped;
        for (auto const& s : repebble::make_schedule(training.flow).steps) {
            if (s.what != repebble::action::compute) continue;
            auto const v = training.origin[s.vertex].vertex;
            is_dropped.push_back(v % 3 != 0 && (subset >> (v / 3) & 1U) != 0);
        }
        return is_dropped;
    }

    repebble::training_graph training{};
    std::optional<repebble::swap_problem> problem{};
};

}  // namespace support

#endif
