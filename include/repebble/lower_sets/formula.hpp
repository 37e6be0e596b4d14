#ifndef REPEBBLE_LOWER_SETS_FORMULA_HPP
#define REPEBBLE_LOWER_SETS_FORMULA_HPP

// Formulas (1) and (2) of Kusumoto et al. 2019: overhead and peak of a sequence of lower sets, without a schedule. The
// checker of all searches in this room: their results are compared with it.

#include <algorithm>
#include <cstddef>

#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>

namespace repebble::inline v0 {

/// Overhead and peak of a sequence of lower sets by formulas (1) and (2).
template <quantity Time = std::int64_t>
struct formula_result {
    Time overhead{};  ///< formula (1): T(V ∖ U_k), without the term of the last segment where `keep_last`
    bytes peak = 0;   ///< formula (2): the maximum of M(i)

    friend auto operator==(formula_result const&, formula_result const&) -> bool = default;
};

namespace detail {

struct evaluate_formula_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(lower_set_problem<Time> const& problem, lower_set_sequence const& sequence,
                                  bool keep_last = false) const -> formula_result<Time> {
        lower_set_family<Time> const family(problem, lower_sets_of(sequence));
        formula_result<Time> result;
        bytes cached = 0;
        for (std::size_t i = 0; i + 1 < family.size(); ++i) {
            auto const segment = family.cost(i, i + 1, keep_last);
            result.overhead += segment.overhead;
            result.peak = std::max(result.peak, cached + segment.working);
            cached += segment.cached;
        }
        return result;
    }
};

}  // namespace detail

/// Evaluates formulas (1) and (2) of Kusumoto et al. 2019 on a sequence of k lower sets. `keep_last`: the last segment
/// is kept, not recomputed.  Requires: the sets are lower sets of the problem's graph.  O(k m).
inline constexpr detail::evaluate_formula_fn evaluate_formula{};

}  // namespace repebble::inline v0

#endif
