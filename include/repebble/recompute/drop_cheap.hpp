#ifndef REPEBBLE_RECOMPUTE_DROP_CHEAP_HPP
#define REPEBBLE_RECOMPUTE_DROP_CHEAP_HPP

// Drops the results of cheap operations (batch norm, activations, pooling) and recomputes each once: T. Chen, B. Xu, C.
// Zhang, C. Guestrin 2016, section 4.2. A case of `mirror` with counts 0 and 1; the caller says which operations are
// cheap.

#include <concepts>
#include <functional>
#include <optional>
#include <utility>

#include <repebble/graph/access.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

/// Plan that discards the results of cheap operations and recomputes them once, where gradients read them; all other
/// results are kept. `is_cheap(v)` is asked of forward operations. A view takes the answer of its storage's owner, and
/// an operation that may run only once is kept. For networks from files, `io::is_cheap_in` answers for batch norm,
/// activations and pooling. O((n + m) log n).
template <std::predicate<operation_index> Cheap>
[[nodiscard]] auto drop_cheap(problem const& p, Cheap const& is_cheap) -> recompute_plan<> {
    return mirror(
        p, [&](operation_index v) { return p.flow().recomputable(v) && static_cast<bool>(std::invoke(is_cheap, v)); });
}

}  // namespace repebble::inline v0

#endif
