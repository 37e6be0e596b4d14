#include "model_buffers.hpp"

#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/write_in_place.hpp>
#include <repebble/io/network_in_place.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/onnx/onnx_network.hpp>
#include <repebble/recompute/keep_all.hpp>

namespace allocate {

using namespace repebble;

auto buffers_of_model(arguments const& asked) -> io::buffer_table {
    auto const net =
        io::read_onnx(asked.file, {.dimensions = asked.dimensions, .batch = asked.batch, .training = false},
                      asked.reading.account(asked.time_limit));
    auto const forward = io::make_forward_dataflow(net);
    auto const& flow = forward.flow;
    auto const schedule = write_in_place(flow, keep_all(flow).schedule, io::find_overwrites(net, forward));
    auto const found = find_lifetimes(flow, schedule);
    io::buffer_table table;
    for (std::size_t i = 0; i < found.buffers.size(); ++i) {  // all are storages: the operations have no workspaces
        auto const [v, output] = flow.as_output(found.uses[i].storage.value);
        bool const result = found.buffers[i].lifetime.upper == static_cast<std::int64_t>(schedule.steps.size());
        if (result) continue;
        table.buffers.push_back(found.buffers[i]);
        table.names.push_back(fmt::format("{} output {}", net.node(v).name, output));
    }
    return table;
}

}  // namespace allocate
