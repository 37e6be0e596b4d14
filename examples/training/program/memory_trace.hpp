#ifndef TRAIN_MEMORY_TRACE_HPP
#define TRAIN_MEMORY_TRACE_HPP

#include <functional>
#include <string>
#include <string_view>

#include <repebble/execute/executor.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace train {

/// Whether a file is for what an iteration does with memory, and not for a trace viewer.
[[nodiscard]] inline auto names_memory_trace(std::string_view file) -> bool {
    return file.ends_with(".jsonl") || file.ends_with(".jsonl.gz");
}

/// Writes what an iteration did with memory, by the schedule that ran, as a trace file whose computations name their
/// vertices where none ran twice. `record` has their times; null: the times of the graph. `name(operation)` is the
/// kernel.  Throws bad_trace where the schedule copies.
void write_memory_trace(std::string const& file, std::string const& network, repebble::training_graph const& training,
                        repebble::schedule<> const& steps, repebble::execution_record const* record,
                        std::function<std::string(repebble::operation_index)> const& name);

}  // namespace train

#endif
