#include "written_files.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

#include <repebble/io/json_schedule.hpp>

namespace swap_program {

using namespace repebble;

namespace {

auto output_of(dataflow const& flow, value_index value) -> io::node_output {
    auto const [v, j] = flow.as_output(value);
    return {v, j};
}

auto node_of(dataflow const& flow, operation_index v, std::string name) -> io::network_node {
    io::network_node node{.name = std::move(name),
                          .time = flow.time(v),
                          .workspace = flow.workspace(v),
                          .recomputable = flow.recomputable(v),
                          .input = flow.is_input(v)};
    auto const outputs = flow.writes(v);
    for (std::uint32_t j = 0; j < outputs.size(); ++j) {
        node.memory += flow.size(outputs[j]);
        node.outputs_memory.push_back(flow.size(outputs[j]));
        if (flow.is_result(outputs[j])) node.results.push_back(j);
    }
    node.donated = node.input && node.results.empty();
    for (auto const& m : flow.mutations(v)) node.mutates.push_back({m.output, output_of(flow, m.over)});
    auto& reads = node.reads.emplace();
    for (auto const value : flow.operands(v)) reads.push_back({output_of(flow, value), {}});
    return node;
}

/// Operations of the dataflow as those of its network.
auto itself(operation_index v) -> training_vertex<std::uint32_t> { return {v, pass::forward, 0}; }

/// Without what is no operation of the training graph: idle time, and memory whose content is unknown.
auto in_terms_of_training(schedule<> const& steps, traced_dataflow const& traced,
                          std::vector<training_vertex<std::uint32_t>> const& vertices) -> io::training_schedule {
    std::vector<std::size_t> number(traced.flow.operation_count(), vertices.size());
    for (std::size_t c = 0; c < vertices.size(); ++c) number[traced.operations[c]] = c;
    schedule<> known;
    std::ranges::copy_if(steps.steps, std::back_inserter(known.steps),
                         [&](auto const& s) { return number[s.vertex] < vertices.size(); });
    return map_vertices(known, [&](operation_index v) { return vertices[number[v]]; });
}

}  // namespace

auto network_of(subject const& about, std::vector<std::string> const& kernels, arguments const& asked) -> io::network {
    auto const& flow = about.traced.flow;
    std::vector<std::string> names(flow.operation_count());
    for (std::size_t c = 0; c < kernels.size(); ++c) names[about.traced.operations[c]] = kernels[c];
    std::vector<io::network_node> nodes;
    std::vector<io::network_edge> edges;
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        nodes.push_back(node_of(flow, v, std::move(names[v])));
        for (auto const u : flow.control_predecessors(v)) edges.push_back({u, v, {}, true});
    }
    return io::network(std::move(nodes), std::move(edges), about.name, nlohmann::json::object(), "ns",
                       {.link = asked.link});
}

void write_schedule(std::string const& path, outcome const& row, subject const& about, io::trace_document const& read,
                    arguments const& asked) {
    auto const& plan = *row.plan;
    nlohmann::json const promised{{"peak", plan.cost.peak}, {"time", plan.cost.time}, {"link", asked.link}};
    bool const trains = !read.vertices.empty();
    io::write_schedule(path, {about.name, trains ? read.convention : "inference", row.method, promised},
                       trains ? in_terms_of_training(plan.schedule, about.traced, read.vertices)
                              : map_vertices(plan.schedule, itself));
}

}  // namespace swap_program
