#ifndef REPEBBLE_ORDERS_DETAIL_TYPICAL_SEQUENCE_HPP
#define REPEBBLE_ORDERS_DETAIL_TYPICAL_SEQUENCE_HPP

// Bytes along a stretch of an order, of which only the points remain that can matter: the typical sequence. H. L.
// Bodlaender, T. Kloks: Efficient and constructive algorithms for the pathwidth and treewidth of graphs (1996), section
// 3.1. What lies between two points and within their sizes goes: whatever is put there can as well be put at the lower
// of the two, and what is added to all of the stretch keeps that. `path_program` has one for each stretch.

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Bytes at one place of an order.
struct profile_point {
    static constexpr auto at_a_step = std::numeric_limits<operation_index>::max();

    bytes size = 0;
    operation_index after = at_a_step;  ///< behind which operation it is, so that others can be put there
};

/// Appends a point to the typical sequence that begins at `first`, which stays one.  O(length²).
void append_typical(std::vector<profile_point>& points, std::size_t first, profile_point point);

/// Whether two sequences can be stretched, by repeating points, to one length at which none of the first has more bytes
/// than that of the second.  O(product of the lengths).
[[nodiscard]] auto is_at_most(std::span<profile_point const> a, std::span<profile_point const> b) -> bool;

/// Whether neither neighbour has fewer bytes. Of typical sequences these are the places for another operation: each
/// other place has such a one beside it.
[[nodiscard]] inline auto is_valley(std::span<profile_point const> points, std::size_t k) -> bool {
    return (k == 0 || points[k].size <= points[k - 1].size) &&
           (k + 1 == points.size() || points[k].size <= points[k + 1].size);
}

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/orders/typical_sequence.ipp>
#endif

#endif
