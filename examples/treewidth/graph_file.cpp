#include "graph_file.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/dot_graph.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/network.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/networks/roofline.hpp>
#include <repebble/treewidth/pace_graph.hpp>

namespace treewidth_program {

using namespace repebble;

namespace {

auto view_of(io::network const& net, bool moral) -> named_graph {
    named_graph read{.graph = moral ? undirected_graph::moral(net) : undirected_graph::of(net)};
    for (auto const& node : net.nodes()) read.names.push_back(node.name);
    return read;
}

auto view_of(io::dot_graph dot, bool moral) -> named_graph {
    if (!moral) return {{dot.names.size(), dot.edges}, std::move(dot.names)};
    std::ranges::sort(dot.edges);
    auto const [first, last] = std::ranges::unique(dot.edges);
    dot.edges.erase(first, last);
    std::vector<std::vector<undirected_graph::vertex>> successors(dot.names.size());
    for (auto const& [u, v] : dot.edges)
        if (u != v) successors[u].push_back(v);
    return {undirected_graph::moral(successors), std::move(dot.names)};
}

}  // namespace

auto read_graph(arguments const& asked) -> named_graph {
    auto path = std::filesystem::path(asked.graph);
    if (path.extension() == ".gz") path.replace_extension();
    auto const kind = path.extension();
    auto const no_direction = [&] {
        return bad_file(asked.graph, "has edges without a direction, and --moral is for those with one");
    };
    if (kind == ".dot" || kind == ".gv") {
        auto dot = io::read_dot(asked.graph);
        if (asked.moral && !dot.directed) throw no_direction();
        return view_of(std::move(dot), asked.moral);
    }
    if (kind == ".json") return view_of(io::read_network(asked.graph), asked.moral);
    if (kind.empty() && asked.graph.find('/') == asked.graph.npos)
        return view_of(networks::network_of(networks::by_name(asked.graph, {}), networks::roofline{}), asked.moral);
    if (asked.moral) throw no_direction();
    auto graph = io::read_pace_graph(asked.graph);
    std::vector<std::string> names;
    if (asked.dot || asked.svg)
        for (std::size_t v = 1; v <= graph.vertex_count(); ++v) names.push_back(std::to_string(v));
    return {std::move(graph), std::move(names)};
}

}  // namespace treewidth_program
