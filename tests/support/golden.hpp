#ifndef REPEBBLE_TESTS_SUPPORT_GOLDEN_HPP
#define REPEBBLE_TESTS_SUPPORT_GOLDEN_HPP

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/training_graph.hpp>

#include "support/brute_force.hpp"
#include "support/folders.hpp"

namespace support {

/// A file of the data folder beside the project; empty where the folder is absent.
[[nodiscard]] inline auto data_file(std::string const& name) -> std::optional<std::filesystem::path> {
    auto path = std::filesystem::path(support::source_dir()) / "../shared/data" / name;
    if (!std::filesystem::exists(path)) return std::nullopt;
    return path;
}
[[nodiscard]] inline auto data_json(std::string const& name) -> std::optional<nlohmann::json> {
    auto const path = data_file(name);
    if (!path) return std::nullopt;
    std::ifstream in(*path);
    return nlohmann::json::parse(in);
}

/// The training graphs whose optima are proven (in own/optimal); none where the folder is absent.
[[nodiscard]] inline auto proven_optima() -> std::vector<nlohmann::json> {
    std::vector<nlohmann::json> cases;
    for (auto const* name :
         {"tiny", "small", "inputs_only", "long_chains", "real_googlenet_head17", "real_gpt2_head18",
          "real_lstm_head18", "real_resnet18_chain", "real_resnet18_units20", "real_resnet18_units30",
          "real_resnet50_chain", "real_unet_small_units", "real_vgg19_bn_units"}) {
        auto file = data_json("own/optimal/" + std::string(name) + ".json");
        if (!file) return {};
        if (!file->is_array()) file = nlohmann::json::array({*file});
        for (auto& entry : *file)
            if (!entry.at("forward").is_null()) cases.push_back(std::move(entry));  // two are of inference
    }
    return cases;
}

/// The graph with "time", "mem" and "edges".
[[nodiscard]] inline auto dag_from(nlohmann::json const& from) -> weighted_dag {
    weighted_dag g;
    from.at("time").get_to(g.time);
    from.at("mem").get_to(g.memory);
    g.graph.resize(g.time.size());
    g.pinned.assign(g.time.size(), 0);
    for (auto const& edge : from.at("edges")) g.graph[edge.at(0).get<std::size_t>()].push_back(edge.at(1).get<int>());
    return g;
}

/// The training graph of a case's forward part. Under op_backward every gradient of these files reads its output.
[[nodiscard]] inline auto training_from(nlohmann::json const& entry) -> repebble::training_graph {
    using namespace repebble;
    auto const& forward = entry.at("forward");
    auto const g = dag_from(forward);
    auto const how = entry.at("convention") == "value_grad" ? convention::value_grad : convention::op_backward;
    listed<char> needs_output{std::vector<char>(g.size(), 1)};
    if (how == convention::value_grad && forward.contains("need_out") && !forward.at("need_out").is_null())
        for (std::size_t v = 0; v < g.size(); ++v)
            needs_output.list[v] = forward.at("need_out").at(v).get<bool>() ? 1 : 0;
    std::vector<bytes> gradients;
    if (forward.contains("gmem") && !forward.at("gmem").is_null()) forward.at("gmem").get_to(gradients);
    auto const flow = make_dataflow(g.graph, g.weights());
    return make_training_graph(
        flow, repebble::detail::find_gradient_needs(g.graph, flow, gradient_dependencies{always{}, needs_output}), how,
        gradients);
}

/// The same flow, of owners only, with a backward pass that runs once: the game "once".
[[nodiscard]] inline auto backward_once(repebble::training_graph const& training) -> repebble::dataflow {
    auto const& flow = training.flow;
    repebble::dataflow_builder builder;
    for (std::size_t v = 0; v < flow.operation_count(); ++v)
        builder.add_operation(flow.time(v), flow.workspace(v), training.origin[v].pass == repebble::pass::forward);
    std::vector<repebble::value_index> made(flow.value_count());
    for (repebble::operation_index v = 0; v < flow.operation_count(); ++v)
        for (auto const x : flow.writes(v)) made[x] = builder.add_value(v, flow.size(x));
    for (repebble::operation_index v = 0; v < flow.operation_count(); ++v)
        for (auto const x : flow.reads(v)) builder.add_read(v, made[x]);
    return std::move(builder).build();
}

}  // namespace support

#endif
