#ifndef REPEBBLE_PEBBLING_VIOLATION_HPP
#define REPEBBLE_PEBBLING_VIOLATION_HPP

// The rules of the pebble game, and the report of a violation. The judge, its tests and its users share these names.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// The rules of the pebble game that a schedule can break.
enum class rule : std::uint8_t {
    names_exist,        ///< a step names an existing vertex and output
    repetition_counts,  ///< the step's repetition is the number of earlier runs of its vertex, or computations of its
                        ///< value
    reads_resident,     ///< an operation runs only while all values that it reads are in the device pool
    runs_once,          ///< an operation that is not recomputable runs once
    inputs_first,       ///< inputs are present before anything else happens
    control_order,      ///< an operation runs only after those from which a control edge leads to it have run
    discards_resident,  ///< only a value in a pool can be discarded from it
    copies_resident,    ///< only a value in the source pool, and not in the other, can be copied between them
    copies_owner,       ///< only a value that owns its storage can be copied between pools
    overwrites_last,    ///< only a value in its last use, with no view of its storage alive, can be written over
    overwrite_fits,     ///< an output written in place fits the storage that it is written over
    complete,           ///< every sink has run, or the values named by the caller are resident at the end; and so are
                        ///< the results of the dataflow
};

[[nodiscard]] constexpr auto to_string(rule r) -> char const* {
    switch (r) {
        case rule::names_exist:
            return "names exist";
        case rule::repetition_counts:
            return "repetition counts";
        case rule::reads_resident:
            return "reads resident";
        case rule::runs_once:
            return "runs once";
        case rule::inputs_first:
            return "inputs first";
        case rule::control_order:
            return "control order";
        case rule::discards_resident:
            return "discards resident";
        case rule::copies_resident:
            return "copies resident";
        case rule::copies_owner:
            return "copies owner";
        case rule::overwrites_last:
            return "overwrites last";
        case rule::overwrite_fits:
            return "overwrite fits";
        case rule::complete:
            return "complete";
    }
    return "unknown";
}

/// A step that breaks a rule, and on which vertex.
struct violation {
    std::size_t step = 0;             ///< the number of steps where the schedule as a whole is incomplete
    rule broken = rule::names_exist;  ///< the rule that the step breaks
    std::size_t vertex = 0;           ///< index of the operation
    std::string message;              ///< the whole violation in one sentence

    friend auto operator==(violation const&, violation const&) -> bool = default;
};

/// Thrown by `replay` for a schedule that cannot be executed.
struct illegal_schedule : error {
    /// With the message of the violation.
    explicit illegal_schedule(violation v) : error(v.message), what_broke(std::move(v)) {}
    violation what_broke;  ///< step, rule and vertex
};

}  // namespace repebble::inline v0

#endif
