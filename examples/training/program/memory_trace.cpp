#include "memory_trace.hpp"

#include <algorithm>

#include <repebble/traces/trace_file.hpp>
#include <repebble/traces/trace_of.hpp>

namespace train {

using namespace repebble;

void write_memory_trace(std::string const& file, std::string const& network, training_graph const& training,
                        schedule<> const& steps, execution_record const* record,
                        std::function<std::string(operation_index)> const& name) {
    io::trace_document d{
        .name = network,
        .convention = to_string(training.made_by),
        .trace = record != nullptr ? trace_of(training.flow, steps, *record) : trace_of(training.flow, steps)};
    bool const runs_again = std::ranges::any_of(steps.steps, [](auto const& s) { return s.repetition > 0; });
    for (auto const v : traced_operations(training.flow, steps)) {
        d.kernels.push_back(name(v));
        if (!runs_again) d.vertices.push_back(training.origin[v]);
    }
    io::write_trace(file, d);
}

}  // namespace train
