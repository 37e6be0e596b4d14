#ifndef REPEBBLE_GRAPH_DATAFLOW_EDIT_HPP
#define REPEBBLE_GRAPH_DATAFLOW_EDIT_HPP

// Changes to a dataflow after it is built: measured times, workspaces of an implementation, what stays to the end, what
// may be written in place, what runs only once, sizes as a device allocates them. Operations, values and reads stay as
// they are.

#include <cstdint>
#include <functional>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// What `edit` changes; members without an entry change nothing.
struct dataflow_changes {
    std::vector<std::int64_t> times{};        ///< of every operation, in time units; 0 of inputs
    std::vector<bytes> workspaces{};          ///< of every operation
    std::vector<value_index> results{};       ///< more values that stay resident to the end
    std::vector<operation_index> run_once{};  ///< operations that are not recomputable
    /// The storages of inputs, which mutations may write over, lie elsewhere: they have 0 bytes in budgets, peaks and
    /// arenas.
    bool inputs_outside = false;
    /// Every storage and workspace is rounded up to a multiple of that, as a device allocates it: then budgets and
    /// peaks are of aligned bytes, and an arena needs no gaps for offsets that are multiples of that. Behind other
    /// changes.
    bytes alignment = 1;
    /// An `overwrite_rule`: more allowed overwrites, of outputs that own their storage over values that their
    /// operations read. Planners count on these; steps in place that `write_in_place` finds come after a plan.
    std::function<bool(operation_index, std::uint32_t, value_index)> may_overwrite{};
};

/// The same dataflow with these changes.  O(n + m), with a rule O(outputs · reads · overwrites of each operation).
/// Throws bad_graph where there is no such operation or value, where times or workspaces are not those of all
/// operations, or where an operation overwrites a result; bad_weight where a weight is negative, naming the operation,
/// a sum overflows, or the alignment is below 1.
[[nodiscard]] auto edit(dataflow flow, dataflow_changes const& changes) -> dataflow;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/graph/dataflow/edit.ipp>
#endif

#endif
