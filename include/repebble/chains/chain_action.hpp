#ifndef REPEBBLE_CHAINS_CHAIN_ACTION_HPP
#define REPEBBLE_CHAINS_CHAIN_ACTION_HPP

// The alphabet of plans for a chain: runs of stages. The solvers of this room return sequences of them, and
// chain_dataflow replays such a sequence. No run discards a value: every value is discarded after its last reader.

#include <cstdint>
#include <vector>

namespace repebble::inline v0 {

/// One run of a stage of a chain.
struct chain_action {
    /// The three ways in which a stage can run.
    enum class kind : std::uint8_t {
        forward,   ///< its output only
        save,      ///< forward, recording a tape for the backward run
        backward,  ///< its input's gradient
    };
    kind what = kind::forward;  ///< how the stage runs
    std::uint32_t stage = 0;    ///< its index in the chain
    std::uint32_t tape = 0;     ///< index into the stage's tapes; of `forward` 0

    friend constexpr auto operator==(chain_action const&, chain_action const&) -> bool = default;
};

/// A plan for a chain: runs of stages, in order.
using chain_actions = std::vector<chain_action>;

}  // namespace repebble::inline v0

#endif
