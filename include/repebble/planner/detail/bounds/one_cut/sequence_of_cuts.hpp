#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_SEQUENCE_OF_CUTS_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_SEQUENCE_OF_CUTS_HPP

// The sequence of operations that a choice of checkpoints at one cut or at several leads to: it follows the model's
// order between cuts and recomputes missing inputs on demand (`demand_driven`). Primal solutions of all cut bounds come
// from it; they need not fit the budget between the cuts.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>

namespace repebble::inline v0::detail {

/// How long a recomputed value stays resident.
enum class recomputed_until : std::uint8_t {
    last_use,  ///< until its last use: one recomputation
    next_use,  ///< until the next operation of the order has run: it may be recomputed many times
};

/// Returns, by operation, whether it first runs before the cut under that choice.
[[nodiscard]] auto runs_early(first_run_cut const& cut, checkpoint_choice const& choice) -> std::vector<bool>;

/// Returns the sequence under one choice for each cut, earliest cut first: before each cut the operations that come
/// before it, in the model's order, then its checkpoints and its operation; in the end the rest. Nothing where it has
/// more than `limit` steps.  O(cuts · (n + m)), or O(limit).
[[nodiscard]] auto sequence_of_cuts(std::span<first_run_cut const> cuts, std::span<checkpoint_choice const> choices,
                                    recomputed_until until = recomputed_until::last_use,
                                    std::size_t limit = std::numeric_limits<std::size_t>::max())
    -> std::optional<std::vector<operation_index>>;
/// The same for one cut.
[[nodiscard]] inline auto sequence_of_cuts(first_run_cut const& cut, checkpoint_choice const& choice,
                                           recomputed_until until = recomputed_until::last_use,
                                           std::size_t limit = std::numeric_limits<std::size_t>::max())
    -> std::optional<std::vector<operation_index>> {
    return sequence_of_cuts(std::span(&cut, 1), std::span(&choice, 1), until, limit);
}

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/one_cut/sequence_of_cuts.ipp>
#endif

#endif
