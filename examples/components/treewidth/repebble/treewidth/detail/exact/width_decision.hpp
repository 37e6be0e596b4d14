#ifndef REPEBBLE_TREEWIDTH_DETAIL_EXACT_WIDTH_DECISION_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_EXACT_WIDTH_DECISION_HPP

// Limits and result of exact decisions on treewidth, shared by `treewidth_at_most` and the lower bounds that call it.

#include <cstddef>
#include <functional>
#include <optional>

#include <repebble/decomposition/elimination.hpp>

namespace repebble::inline v0::detail {

/// Limits of an exact search.
struct width_limits {
    std::optional<double> seconds{};              ///< from the call on
    std::size_t most_states = 500'000;            ///< stored vertex sets, of up to 600 bytes each
    std::function<bool()> const* stop = nullptr;  ///< asked now and then; true ends the search
};

/// The answer to "is the treewidth at most k?".
struct width_decision {
    std::optional<bool> answer{};  ///< nullopt if a limit was reached
    elimination_order order{};     ///< of width at most k, if the answer is yes

    friend auto operator==(width_decision const&, width_decision const&) -> bool = default;
};

}  // namespace repebble::inline v0::detail

#endif
