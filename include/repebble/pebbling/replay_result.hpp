#ifndef REPEBBLE_PEBBLING_REPLAY_RESULT_HPP
#define REPEBBLE_PEBBLING_REPLAY_RESULT_HPP

// The figures of a legal schedule, as the judge (`replay.hpp`) measures them; every plan has them.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// How long computations waited for copies: time = time of the computations + the three sums.
struct lane_stalls {
    std::int64_t for_data{};    ///< until values that they read had been copied in
    std::int64_t for_memory{};  ///< longer than that, until memory that had been let go was free: copies out had ended
    std::int64_t at_end{};      ///< after the last computation, until the last copy had ended

    friend auto operator==(lane_stalls const&, lane_stalls const&) -> bool = default;
};

/// Time and memory of a legal schedule.
struct replay_result {
    std::int64_t time{};             ///< time units until the last step ends
    std::int64_t overhead{};         ///< time above computing each value once (dataflow::time_once)
    bytes peak = 0;                  ///< most bytes in the device pool during any step
    std::size_t peak_step = 0;       ///< the first step with that many
    bytes host_peak = 0;             ///< most bytes in the host pool
    std::size_t recomputations = 0;  ///< computations of an operation after its first
    bytes bytes_out = 0;             ///< copied from the device pool to the host pool
    bytes bytes_in = 0;              ///< copied back
    lane_stalls stalls{};            ///< on a clock whose lanes overlap: how long computations waited for copies
    std::vector<bytes>
        profile;  ///< on request: bytes in the device pool during every step, its outputs and workspace too

    friend auto operator==(replay_result const&, replay_result const&) -> bool = default;
};

}  // namespace repebble::inline v0

#endif
