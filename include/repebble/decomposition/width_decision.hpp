#ifndef REPEBBLE_DECOMPOSITION_WIDTH_DECISION_HPP
#define REPEBBLE_DECOMPOSITION_WIDTH_DECISION_HPP

#include <cstddef>
#include <optional>

#include <repebble/decomposition/elimination.hpp>

namespace repebble::inline v0 {

/// How long a search for a treewidth may go on.
struct width_limits {
    std::optional<double> seconds{};    ///< of CPU time
    std::size_t most_states = 500'000;  ///< sets of vertices that are kept, of up to 600 bytes each
};

/// Whether a treewidth is at most some k.
struct width_decision {
    std::optional<bool> answer{};  ///< none where a limit was reached before it was known
    elimination_order order{};     ///< of that width at most, where the answer is yes

    friend auto operator==(width_decision const&, width_decision const&) -> bool = default;
};

}  // namespace repebble::inline v0

#endif
