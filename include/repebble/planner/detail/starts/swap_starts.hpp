#ifndef REPEBBLE_PLANNER_DETAIL_STARTS_SWAP_STARTS_HPP
#define REPEBBLE_PLANNER_DETAIL_STARTS_SWAP_STARTS_HPP

// Where the search of plans that swap begins: with the relaxed choice of a bound, or with some of the gaps of an order
// remade and the others copied where they do not fit. The orders are those of a plan without copies, and of the prices
// at which a relaxation recomputes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/bounds/one_cut/swap_bound.hpp>
#include <repebble/planner/detail/swapping/swap_gaps.hpp>

namespace repebble::inline v0::detail {

/// Whether the gap reaches across the cut, a position in the order.
[[nodiscard]] inline auto lies_across(swap_gaps const& p, std::size_t gap, std::uint32_t cut) -> bool {
    return p.begin_of(gap) < cut && (p.is_last(gap) || p.end_of(gap) > cut);
}
/// The position of an operation in the order.  O(operations).
[[nodiscard]] inline auto position_of(swap_gaps const& p, operation_index v) -> std::uint32_t {
    return static_cast<std::uint32_t>(std::ranges::find(p.order(), v) - p.order().begin());
}

/// What the relaxed choice recomputes is recomputed; what it copies is copied, or held where `copies` is false: its
/// multipliers often copy either all values of a window or none.  O(gaps + maximum flow).
[[nodiscard]] auto relaxed_start(swap_gaps const& p, swap_bound& b, bool copies) -> swap_decisions;

/// The gaps that are remade before a later use, the last that begin first: there is the least time to copy these.
/// O(gaps log gaps).
[[nodiscard]] auto remade_gaps(swap_gaps const& p, swap_decisions const& d) -> std::vector<std::uint32_t>;
/// The gaps across the cut that the relaxation remakes, by the price of memory at which it begins to; those of one
/// price as above.  O(prices · (gaps log gaps + maximum flow)).
[[nodiscard]] auto remade_by_price(swap_gaps const& p, swap_bound& b, function_ref<bool()> stop)
    -> std::vector<std::uint32_t>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/starts/swap_starts.ipp>
#endif

#endif
