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
#include <repebble/io/read_account.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/networks/roofline.hpp>
#include <repebble/treewidth/pace_graph.hpp>

namespace treewidth_program {

using namespace repebble;

namespace {

/// Spends for the edges between all that a vertex reads, in a moral graph.
void spend_for_pairs(std::size_t read, io::read_account const& account) {
    auto const pairs = read * read / 2;
    account.spend(pairs, 64 * pairs, [&] { return "a vertex that reads " + std::to_string(read) + " others"; });
}

auto view_of(io::network const& net, bool moral, io::read_account const& account) -> named_graph {
    if (moral)
        for (std::size_t v = 0; v < net.nodes().size(); ++v)
            spend_for_pairs(net.graph().predecessors(v).size(), account);
    named_graph read{.graph = moral ? undirected_graph::moral(net) : undirected_graph::of(net)};
    for (auto const& node : net.nodes()) read.names.push_back(node.name);
    return read;
}

auto view_of(io::dot_graph dot, bool moral, io::read_account const& account) -> named_graph {
    if (!moral) return {{dot.names.size(), dot.edges}, std::move(dot.names)};
    std::ranges::sort(dot.edges);
    auto const [first, last] = std::ranges::unique(dot.edges);
    dot.edges.erase(first, last);
    std::vector<std::vector<undirected_graph::vertex>> successors(dot.names.size());
    std::vector<std::size_t> read(dot.names.size());
    for (auto const& [u, v] : dot.edges) {
        if (u == v) continue;
        successors[u].push_back(v);
        ++read[v];
    }
    for (auto const count : read) spend_for_pairs(count, account);
    return {undirected_graph::moral(successors), std::move(dot.names)};
}

}  // namespace

auto read_graph(arguments const& asked) -> named_graph {
    auto path = std::filesystem::path(asked.graph);
    if (path.extension() == ".gz") path.replace_extension();
    auto const kind = path.extension();
    auto const account = asked.reading.account();
    auto const no_direction = [&] {
        return bad_file(asked.graph, "has edges without a direction, and --moral is for those with one");
    };
    if (kind == ".dot" || kind == ".gv") {
        auto dot = io::read_dot(asked.graph, account);
        if (asked.moral && !dot.directed) throw no_direction();
        return view_of(std::move(dot), asked.moral, account);
    }
    if (kind == ".json") return view_of(io::read_network(asked.graph, {}, account), asked.moral, account);
    if (kind.empty() && asked.graph.find('/') == asked.graph.npos)
        return view_of(networks::network_of(networks::by_name(asked.graph, {}), networks::roofline{}), asked.moral,
                       account);
    if (asked.moral) throw no_direction();
    auto graph = io::read_pace_graph(asked.graph, account);
    std::vector<std::string> names;
    if (asked.dot || asked.svg)
        for (std::size_t v = 1; v <= graph.vertex_count(); ++v) names.push_back(std::to_string(v));
    return {std::move(graph), std::move(names)};
}

}  // namespace treewidth_program
