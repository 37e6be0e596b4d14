// Covers io/json_network.hpp.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/io/json_network.hpp>

#include "support/catch.hpp"
#include "support/folders.hpp"

using namespace repebble;

namespace {

/// The graph files in a folder beside the project, by name; none where it is absent.
auto graphs_in(std::string const& folder) -> std::vector<std::filesystem::path> {
    std::filesystem::path const path = support::source_dir() + "/../shared/data/" + folder;
    std::vector<std::filesystem::path> files;
    if (!std::filesystem::is_directory(path)) return files;
    for (auto const& entry : std::filesystem::directory_iterator(path))
        if (entry.path().string().find(".json") != std::string::npos) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

auto own(std::string const& name) -> std::filesystem::path {
    return support::source_dir() + "/../shared/data/own/graphs/" + name;
}

}  // namespace

TEST_CASE("every graph of the data folder loads and makes a dataflow", "[io][data]") {
    for (auto const* folder : {"own/graphs", "public/pfnet/graphs"}) {
        auto const files = graphs_in(folder);
        if (files.empty()) WARN("skipped: there is no data folder " << folder);
        for (auto const& file : files) {
            INFO(file.filename().string());
            auto const net = io::read_network(file);
            auto const flow = make_dataflow(net, net.weights());
            CHECK(flow.operation_count() == net.nodes().size());
            CHECK(flow.time_once() > 0);
            bytes in_nodes = 0;
            bytes in_values = 0;
            for (auto const& node : net.nodes()) in_nodes += node.memory;
            for (std::size_t value = 0; value < flow.value_count(); ++value) in_values += flow.size(value);
            CHECK(in_values == in_nodes);
        }
    }
}

TEST_CASE("every graph of the data folder is read again as the same after it was written", "[io][data][long]") {
    auto const files = graphs_in("own/graphs");
    if (files.empty()) SKIP("there is no data folder own/graphs");
    for (auto const& file : files) {
        if (std::filesystem::file_size(file) > 200'000) continue;
        INFO(file.filename().string());
        auto const net = io::read_network(file);
        CHECK(io::parse_network(io::to_text(net)) == net);
    }
}

TEST_CASE("the views of every real network refer to the storage of the node that alias_of names", "[io][data][long]") {
    auto const files = graphs_in("own/graphs");
    if (files.empty()) SKIP("there is no data folder own/graphs");
    for (auto const& file : files) {
        INFO(file.filename().string());
        auto const net = io::read_network(file);
        auto const flow = make_dataflow(net, net.weights());
        std::size_t wrong = 0;
        for (std::uint32_t v = 0; v < net.nodes().size(); ++v)
            if (auto const owner = net.node(v).alias_of)
                for (auto const value : flow.writes(v))
                    for (auto const owned : flow.owners(value)) wrong += flow.producers(owned).front() != *owner;
        CHECK(wrong == 0);
    }
}

TEST_CASE("the largest graph, gzip data, has 10949 nodes", "[io][data]") {
    auto const file = own("lstm_4x64_joint.json.gz");
    if (!std::filesystem::exists(file)) SKIP("there is no data folder own/graphs");
    auto const net = io::read_network(file);
    CHECK(net.nodes().size() == 10'949);
    CHECK(net.edges().size() == 17'677);
    CHECK(net.node(10'948).phase == pass::backward);
}
