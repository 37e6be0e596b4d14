#ifndef REPEBBLE_GRAPH_DATAFLOW_OVERWRITE_RULE_HPP
#define REPEBBLE_GRAPH_DATAFLOW_OVERWRITE_RULE_HPP

// Which steps may run in place, as a predicate: what `edit` takes before planning, and `write_in_place` after it.

#include <concepts>
#include <cstdint>

#include <repebble/graph/dataflow/dataflow.hpp>

namespace repebble::inline v0 {

/// A predicate: may operation v write its output number `output` over the value `over`, which it reads, as far as the
/// operation itself is concerned? Later readers of the value are checked separately. `always` allows everything.
template <class F>
concept overwrite_rule = requires(F const& may_overwrite, operation_index v, std::uint32_t output, value_index over) {
    { may_overwrite(v, output, over) } -> std::convertible_to<bool>;
};

}  // namespace repebble::inline v0

#endif
