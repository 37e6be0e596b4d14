#ifndef REPEBBLE_PEBBLING_MAKE_UNROLLED_HPP
#define REPEBBLE_PEBBLING_MAKE_UNROLLED_HPP

// Unrolling: the computations of a schedule as a dataflow of its own, without recomputation. For frameworks that
// execute graphs instead of schedules.

#include <cstdint>
#include <span>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// A dataflow in which every computation of a schedule is an operation of its own, which reads and writes instances of
/// the original's values. No operation runs twice; index order is the order of the schedule, inputs first.
struct unrolled_dataflow {
    dataflow flow;                            ///< an operation for each input and each computation
    std::vector<operation_index> origin{};    ///< of every operation: the original one
    std::vector<std::uint32_t> repetition{};  ///< of every operation: the run of the original, from 0

    friend auto operator==(unrolled_dataflow const&, unrolled_dataflow const&) -> bool = default;
};

/// The computations of a schedule, or of a sequence, as a dataflow of its own: each reads the latest instance of each
/// value, by its operands. Inputs come first, wherever the sequence has them. Results are the last instances of
/// results; mutations and allowed overwrites name the instances that are read; a control edge leads from the first copy
/// of an operation to each copy of the other. Only computations count: `make_schedule` of the result adds the earliest
/// discards, and where the schedule is one of `make_schedule`, too, both replay to the same peak; but a copy may take
/// over the storage of an instance without views where another instance of the value has views, which can lower the
/// peak. O(steps · log steps).  Throws bad_graph where a computation reads a value that was never computed or was
/// overwritten since, where it runs before what a control edge asks for, or where a result is not there at the end.
[[nodiscard]] auto make_unrolled(dataflow const& flow, std::span<operation_index const> computations)
    -> unrolled_dataflow;
/// The same.
[[nodiscard]] auto make_unrolled(dataflow const& flow, schedule<> const& plan) -> unrolled_dataflow;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pebbling/make_unrolled.ipp>
#endif

#endif
