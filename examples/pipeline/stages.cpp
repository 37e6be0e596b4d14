#include "stages.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <repebble/io/bad_file.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/pipelines/stage_curve.hpp>

#include "command_line/naming.hpp"

namespace pipeline_program {

using namespace repebble;

namespace {

/// Of the planner, for all budgets of a graph: about a second.
constexpr std::size_t work_of_graph = 50'000;

/// The stage that a graph file is.
auto stage_in(std::string const& file, io::pipeline_document const& read, arguments const& asked,
              stage_curve_options const& options) -> pipeline_stage {
    auto const net = io::read_network(file, {}, asked.reading.account());
    if (net.time_unit() != read.time_unit)
        throw bad_file(file, net.time_unit().empty() ? "has no time_unit, and the pipeline has one"
                                                     : "has a time_unit, and the pipeline has none");
    return command_line::naming(file, [&] {
        std::vector const graphs{io::make_training_graph(net, convention::value_grad, {}, asked.reading.account())};
        return make_pipeline_stages(graphs, options).front();
    });
}

}  // namespace

auto read_stages(arguments const& asked) -> io::pipeline_document {
    auto read = io::read_pipeline(asked.file, asked.reading.account());
    std::map<std::string, pipeline_stage> made;
    for (auto const& graph : read.graphs)
        if (graph) made.emplace(*graph, pipeline_stage{});
    stage_curve_options options{.weight_share = read.weight_share, .planner = {.limits = {.work = work_of_graph}}};
    if (asked.time_limit)  // half of it for all graphs
        options.planner.limits.seconds =
            *asked.time_limit / 2 / static_cast<double>(std::max<std::size_t>(made.size(), 1));
    auto const folder = std::filesystem::path(asked.file).parent_path();
    for (auto& [graph, stage] : made) stage = stage_in((folder / graph).string(), read, asked, options);
    for (std::size_t s = 0; s < read.graphs.size(); ++s) {
        if (!read.graphs[s]) continue;
        auto& stage = read.pipeline.stages[s];
        auto const said = std::exchange(stage, made.at(*read.graphs[s]));
        stage.rank = said.rank;
        stage.transfer = said.transfer;
        stage.constant = said.constant;
    }
    return read;
}

}  // namespace pipeline_program
