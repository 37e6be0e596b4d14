#ifndef REPEBBLE_PEBBLING_MAKE_SCHEDULE_HPP
#define REPEBBLE_PEBBLING_MAKE_SCHEDULE_HPP

// Liveness analysis: from a sequence of operations to a schedule with the earliest discards. Every strategy that
// decides on a sequence only ends with it.

#include <optional>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

namespace detail {

[[nodiscard]] auto inputs_first(dataflow const& flow, std::span<operation_index const> given)
    -> std::vector<operation_index>;

/// `make_schedule`; nothing where stop() returns true before it is made.
[[nodiscard]] auto make_schedule_until(dataflow const& flow, std::span<operation_index const> given,
                                       std::span<value_index const> kept, stop_test stop) -> std::optional<schedule<>>;

}  // namespace detail

/// Turns a sequence of operations, with repetitions, into a schedule with the earliest legal discards: every value is
/// discarded right after its last use before it is recomputed; results stay. An output takes over the storage of a
/// value that ends with its operation where the dataflow allows that and their sizes are equal. Inputs come first,
/// wherever the sequence has them, and are discarded when all of them are present. Without a sequence: every operation
/// once, in index order.  O(sum of reads and writes of the steps). Does not check that the sequence is legal: `replay`
/// does.
/// `kept`: values that stay resident at the end, beside the results.
[[nodiscard]] auto make_schedule(dataflow const& flow, std::span<operation_index const> given,
                                 std::span<value_index const> kept = {}) -> schedule<>;
/// The same.
[[nodiscard]] inline auto make_schedule(dataflow const& flow) -> schedule<> {
    return make_schedule(flow, flow.order());
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pebbling/make_schedule.ipp>
#endif

#endif
