#ifndef REPEBBLE_IMPL_LOWER_SETS_EVALUATE_FORMULA_IPP
#define REPEBBLE_IMPL_LOWER_SETS_EVALUATE_FORMULA_IPP

#include <repebble/lower_sets/evaluate_formula.hpp>

#include <algorithm>
#include <cstddef>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto evaluate_formula(lower_set_problem const& problem, lower_set_sequence const& sequence,
                                      bool keep_last) -> formula_result {
    lower_set_family const family(problem, sequence.lower_sets());
    formula_result result;
    bytes cached = 0;
    for (std::size_t i = 0; i + 1 < family.size(); ++i) {
        auto const segment = family.cost(i, i + 1, keep_last);
        result.overhead += segment.overhead;
        result.peak = std::max(result.peak, cached + segment.working);
        cached += segment.cached;
    }
    return result;
}

}  // namespace repebble::inline v0

#endif
