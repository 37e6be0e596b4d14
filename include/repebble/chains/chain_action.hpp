#ifndef REPEBBLE_CHAINS_CHAIN_ACTION_HPP
#define REPEBBLE_CHAINS_CHAIN_ACTION_HPP

#include <cstdint>
#include <vector>

namespace repebble::inline v0 {

/// One run of a stage of a chain.
struct chain_action {
    enum class kind : std::uint8_t {
        forward,   ///< its output only
        save,      ///< forward, keeping what its backward run needs
        backward,  ///< its input's gradient
    };
    kind what = kind::forward;
    std::uint32_t stage = 0;
    std::uint32_t saving = 0;  ///< which of the stage's tapes; of `forward` 0

    friend constexpr auto operator==(chain_action const&, chain_action const&) -> bool = default;
};

using chain_actions = std::vector<chain_action>;

}  // namespace repebble::inline v0

#endif
