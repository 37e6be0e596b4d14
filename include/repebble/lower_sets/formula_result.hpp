#ifndef REPEBBLE_LOWER_SETS_FORMULA_RESULT_HPP
#define REPEBBLE_LOWER_SETS_FORMULA_RESULT_HPP

// The value of formulas (1) and (2).

#include <cstdint>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// Overhead and peak of a sequence of lower sets by formulas (1) and (2).
struct formula_result {
    std::int64_t overhead{};  ///< formula (1): T(V ∖ U_k), without the term of the last segment where `keep_last`
    bytes peak = 0;           ///< formula (2): the maximum of M(i)

    friend auto operator==(formula_result const&, formula_result const&) -> bool = default;
};

}  // namespace repebble::inline v0

#endif
