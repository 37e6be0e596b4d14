#ifndef REPEBBLE_TESTS_SUPPORT_THREE_LANES_HPP
#define REPEBBLE_TESTS_SUPPORT_THREE_LANES_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <repebble/pebbling/clock.hpp>

namespace support {

/// A clock on which computations and the two directions of copies run in parallel. For a step, work is done if it ended
/// before the computations so far have ended.
struct three_lanes {
    std::int64_t time_per_byte = 1;
    std::array<std::int64_t, 3> busy_until{};

    auto run(repebble::lane lane, std::int64_t ready, std::int64_t duration) -> std::int64_t {
        auto& end = busy_until[static_cast<std::size_t>(lane)];
        end = std::max(end, ready) + duration;
        return end;
    }
    [[nodiscard]] auto transfer_time(repebble::bytes size) const -> std::int64_t { return time_per_byte * size; }
    [[nodiscard]] auto in_flight(std::int64_t end) const -> bool { return end > busy_until.front(); }
    [[nodiscard]] auto elapsed() const -> std::int64_t { return *std::ranges::max_element(busy_until); }
};
static_assert(repebble::replay_clock<three_lanes, std::int64_t>);

}  // namespace support

#endif
