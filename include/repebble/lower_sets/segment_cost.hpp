#ifndef REPEBBLE_LOWER_SETS_SEGMENT_COST_HPP
#define REPEBBLE_LOWER_SETS_SEGMENT_COST_HPP

// The cost of one segment of a canonical strategy (Kusumoto et al. 2019, section 3), additive along a sequence. The
// dynamic programs of this room read nothing else of a segment.

#include <cstdint>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// The cost of a segment L → L' with members V' = L' ∖ L, as formulas (1) and (2) count it.
struct segment_cost {
    std::int64_t overhead{};  ///< T(V' ∖ ∂(L')), the term of formula (1)
    bytes working = 0;  ///< 2 M(V') + M(δ⁺(L') ∖ L') + M(δ⁻(δ⁺(L')) ∖ L'): formula (2) without M(U)
    bytes cached = 0;   ///< M(∂(L') ∖ L): the segment's addition to M(U)

    friend auto operator==(segment_cost const&, segment_cost const&) -> bool = default;
};

namespace detail {

/// Overhead and cached bytes of a prefix of a sequence.
struct spent {
    std::int64_t overhead{};
    bytes cached = 0;
};

}  // namespace detail

}  // namespace repebble::inline v0

#endif
