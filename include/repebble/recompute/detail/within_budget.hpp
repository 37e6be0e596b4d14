#ifndef REPEBBLE_RECOMPUTE_DETAIL_WITHIN_BUDGET_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_WITHIN_BUDGET_HPP

// Options of a strategy together with its budget: what the parts of a strategy hand down.

#include <optional>

#include <repebble/graph/dataflow/dataflow.hpp>

namespace repebble::inline v0::detail {

/// The options, and the budget: bytes of values and gradients; none: the least attainable.
template <class Options>
struct within_budget : Options {
    std::optional<bytes> budget{};
};
template <class Options>
within_budget(Options, std::optional<bytes>) -> within_budget<Options>;

}  // namespace repebble::inline v0::detail

#endif
