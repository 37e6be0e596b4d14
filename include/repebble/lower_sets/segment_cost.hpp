#ifndef REPEBBLE_LOWER_SETS_SEGMENT_COST_HPP
#define REPEBBLE_LOWER_SETS_SEGMENT_COST_HPP

#include <cstdint>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// What one segment L → L' of a canonical strategy costs; all that formulas (1) and (2) need of it.
template <quantity Time = std::int64_t>
struct segment_cost {
    Time overhead{};    ///< T(V' ∖ ∂(L')), the term of formula (1)
    bytes working = 0;  ///< 2 M(V') + M(δ⁺(L') ∖ L') + M(δ⁻(δ⁺(L')) ∖ L'): formula (2) without M(U)
    bytes cached = 0;   ///< M(∂(L') ∖ L): what the segment adds to M(U)

    friend auto operator==(segment_cost const&, segment_cost const&) -> bool = default;
};

namespace detail {

/// What a sequence of segments has cost.
template <quantity Time>
struct spent {
    Time overhead{};
    bytes cached = 0;
};

}  // namespace detail

}  // namespace repebble::inline v0

#endif
