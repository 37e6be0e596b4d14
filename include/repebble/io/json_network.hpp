#ifndef REPEBBLE_IO_JSON_NETWORK_HPP
#define REPEBBLE_IO_JSON_NETWORK_HPP

// Networks as JSON graph files: reading and writing, with unknown fields kept. The interchange format between framework
// exporters and the planner.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/detail/json_reader.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/io/network.hpp>
#include <repebble/io/write_file.hpp>

namespace repebble::inline v0::io {

namespace detail {

/// Removes a field from an object and returns its value.
[[nodiscard]] inline auto take(nlohmann::json& object, char const* field) -> std::optional<nlohmann::json> {
    auto const found = object.find(field);
    if (found == object.end()) return std::nullopt;
    std::optional<nlohmann::json> value(std::in_place, std::move(*found));
    object.erase(found);
    return value;
}

/// As `take`; null counts as absent.
[[nodiscard]] inline auto take_unless_null(nlohmann::json& object, char const* field) -> std::optional<nlohmann::json> {
    auto value = take(object, field);
    if (value && value->is_null()) value.reset();
    return value;
}

[[nodiscard]] inline auto take_required(json_reader const& in, nlohmann::json& object, char const* field)
    -> nlohmann::json {
    auto value = take(object, field);
    if (!value) in.fail("has no field '" + std::string(field) + "'");
    return std::move(*value);
}

/// Reads a node without its id, which `in` has in its messages.
[[nodiscard]] inline auto node_from_json(json_reader const& in, nlohmann::json object) -> network_node {
    network_node node;
    node.time = in.whole_number(take_required(in, object, "time"), "time");
    node.memory = in.integer(take_required(in, object, "memory"), "memory");
    if (auto const v = take(object, "name")) node.name = in.text(*v, "name");
    if (auto const v = take(object, "op")) node.op = in.text(*v, "op");
    if (auto const v = take(object, "workspace")) node.workspace = in.integer(*v, "workspace");
    if (auto const v = take(object, "recomputable")) node.recomputable = in.boolean(*v, "recomputable");
    if (auto const v = take(object, "mirror")) node.mirror = in.index(*v, "mirror");
    if (auto const v = take(object, "inplace")) node.inplace = in.boolean(*v, "inplace");
    if (auto const v = take(object, "bwd_needs_inputs")) node.bwd_needs_inputs = in.boolean(*v, "bwd_needs_inputs");
    if (auto const v = take(object, "bwd_needs_output")) node.bwd_needs_output = in.boolean(*v, "bwd_needs_output");
    if (auto const v = take_unless_null(object, "alias_of")) node.alias_of = in.index(*v, "alias_of");
    if (auto const v = take_unless_null(object, "inplace_src")) node.inplace_src = in.index(*v, "inplace_src");
    if (auto const v = take(object, "phase")) {
        auto const& phase = in.text(*v, "phase");
        if (phase != "forward" && phase != "backward") in.fail("phase must be forward or backward, not " + shown(*v));
        node.phase = phase == "forward" ? pass::forward : pass::backward;
    }
    if (auto const v = take(object, "outputs_memory")) {
        for (auto const& size : in.array(*v, "outputs_memory"))
            node.outputs_memory.push_back(in.integer(size, "outputs_memory"));
        if (v->empty()) in.fail("outputs_memory is empty");
    }
    node.extra = std::move(object);
    return node;
}

[[nodiscard]] inline auto nodes_from_json(std::string const& source, nlohmann::json list) -> std::vector<network_node> {
    std::size_t const n = json_reader{source, "the graph"}.array(list, "nodes").size();
    std::vector<std::optional<network_node>> by_id(n);
    for (std::size_t i = 0; i < n; ++i) {
        json_reader in{source, "nodes[" + std::to_string(i) + "]"};
        if (!list[i].is_object()) in.fail("must be an object, not " + shown(list[i]));
        auto const id = in.index(take_required(in, list[i], "id"), "id");
        if (id >= n)
            in.fail("id " + std::to_string(id) + " is out of range: there are " + std::to_string(n) + " nodes");
        if (by_id[id]) in.fail("id " + std::to_string(id) + " occurs twice");
        in.where = node_name(id);
        by_id[id] = node_from_json(in, std::move(list[i]));
    }
    std::vector<network_node> nodes;
    nodes.reserve(n);
    for (auto& node : by_id) nodes.push_back(std::move(*node));
    return nodes;
}

[[nodiscard]] inline auto edges_from_json(std::string const& source, nlohmann::json const& list)
    -> std::vector<network_edge> {
    std::vector<network_edge> edges;
    for (auto const& pair : json_reader{source, "the graph"}.array(list, "edges")) {
        json_reader const in{source, "edges[" + std::to_string(edges.size()) + "]"};
        if (!pair.is_array() || pair.size() != 2) in.fail("must be a pair of node ids");
        edges.push_back({.from = in.index(pair[0], "a node id"), .to = in.index(pair[1], "a node id")});
    }
    return edges;
}

/// Adds to `edges` the outputs that they read.  O((m + entries) log m).
inline void add_edge_outputs(std::string const& source, nlohmann::json const& list, std::vector<network_edge>& edges) {
    json_reader const whole{source, "the graph"};
    if (whole.array(list, "edge_outputs").empty()) return;
    std::map<csr_graph::edge, network_edge*> edge_of;
    for (auto& e : edges) edge_of.emplace(csr_graph::edge{e.from, e.to}, &e);
    for (std::size_t i = 0; i < list.size(); ++i) {
        json_reader in{source, "edge_outputs[" + std::to_string(i) + "]"};
        auto const& entry = list[i];
        if (!entry.is_array() || entry.size() < 3) in.fail("must be an array of two node ids and at least one output");
        network_edge const named{.from = in.index(entry[0], "a node id"), .to = in.index(entry[1], "a node id")};
        in.where += " (" + edge_name(named) + ")";
        auto const found = edge_of.find({named.from, named.to});
        if (found == edge_of.end()) in.fail("there is no such edge");
        auto& outputs = found->second->outputs;
        if (!outputs.empty()) in.fail("the edge has an entry already");
        for (std::size_t k = 2; k < entry.size(); ++k) outputs.push_back(in.index(entry[k], "an output"));
    }
}

/// Rethrows the errors of network's constructor with the name of the source before the message.
template <class Make>
[[nodiscard]] auto in_the_name_of(std::string const& source, Make const& make) -> decltype(make()) {
    using repebble::detail::catching;
    auto const named = [&]<class Error>(Error const& e) -> decltype(make()) {
        repebble::detail::raise(Error(source + ": " + e.what()));
    };
    return catching<not_a_dag>(
        [&] { return catching<bad_graph>([&] { return catching<bad_weight>(make, named); }, named); }, named);
}

/// Calls put(field, value) for every field of a node that differs from its default.
template <class Put>
void each_field(network_node const& node, std::size_t id, Put&& put) {
    put("id", nlohmann::json(id));
    if (!node.name.empty()) put("name", nlohmann::json(node.name));
    if (!node.op.empty()) put("op", nlohmann::json(node.op));
    put("time", nlohmann::json(node.time));
    put("memory", nlohmann::json(node.memory));
    if (!node.outputs_memory.empty()) put("outputs_memory", nlohmann::json(node.outputs_memory));
    if (node.workspace != 0) put("workspace", nlohmann::json(node.workspace));
    if (!node.recomputable) put("recomputable", nlohmann::json(false));
    if (node.mirror != 0) put("mirror", nlohmann::json(node.mirror));
    if (node.inplace) put("inplace", nlohmann::json(true));
    if (node.inplace_src) put("inplace_src", nlohmann::json(*node.inplace_src));
    if (node.alias_of) put("alias_of", nlohmann::json(*node.alias_of));
    if (node.phase != pass::forward) put("phase", nlohmann::json(to_string(node.phase)));
    if (!node.bwd_needs_inputs) put("bwd_needs_inputs", nlohmann::json(false));
    if (!node.bwd_needs_output) put("bwd_needs_output", nlohmann::json(false));
    for (auto const& [field, value] : node.extra.items()) put(field, value);
}

/// Calls put(field, value) for every field of a network besides its nodes.
template <class Put>
void each_field(network const& net, Put&& put) {
    if (!net.name().empty()) put("name", nlohmann::json(net.name()));
    for (auto const& [field, value] : net.extra().items()) put(field, value);
    auto edges = nlohmann::json::array();
    auto edge_outputs = nlohmann::json::array();
    for (std::size_t i = 0; i < net.edges().size(); ++i) {
        auto const [u, v] = net.edges()[i];
        edges.push_back(nlohmann::json::array({u, v}));
        if (net.reads_all(i)) continue;
        auto entry = nlohmann::json::array({u, v});
        for (auto const k : net.outputs_read(i)) entry.push_back(k);
        edge_outputs.push_back(std::move(entry));
    }
    put("edges", std::move(edges));
    if (!edge_outputs.empty()) put("edge_outputs", std::move(edge_outputs));
}

}  // namespace detail

/// Parses a network from JSON:
///   {"name": …, "nodes": [{"id": 0, "time": 1, "memory": 8}, …], "edges": [[0, 1], …], "edge_outputs": [[0, 1, k], …]}
/// Ids are 0 … n-1, each once, in any order; `time`, `memory` (bytes) and all the members of `network_node` are fields
/// of the same name. A node has `id`, `time` and `memory`; other fields default to the members' values in
/// `network_node`, an `alias_of` or `inplace_src` of null too. No `edges`: none. An edge without an entry in
/// `edge_outputs` reads every output. Unknown fields are kept.  O(characters + (n + m) log (n + m)).
/// Throws bad_file where the text is not JSON or has another form, not_a_dag, bad_graph and bad_weight where it is not
/// a valid network; the message begins with `source` and names the line and byte, the node, the edge or the field at
/// fault.
[[nodiscard]] inline auto parse_network(std::string_view text, std::string const& source = "graph") -> network {
    auto whole = detail::parse_json(text, source);
    detail::json_reader const in{source, "the graph"};
    if (!whole.is_object()) in.fail("must be an object, not " + detail::shown(whole));
    auto nodes = detail::nodes_from_json(source, detail::take_required(in, whole, "nodes"));
    std::vector<network_edge> edges;
    if (auto const list = detail::take(whole, "edges")) edges = detail::edges_from_json(source, *list);
    if (auto const list = detail::take(whole, "edge_outputs")) detail::add_edge_outputs(source, *list, edges);
    std::string name;
    if (auto const v = detail::take(whole, "name")) name = in.text(*v, "name");
    return detail::in_the_name_of(
        source, [&] { return network(std::move(nodes), std::move(edges), std::move(name), std::move(whole)); });
}

/// The network in a graph file, which may be gzip data.  Throws as `read_file` and `parse_network` do.
[[nodiscard]] inline auto read_network(std::filesystem::path const& path) -> network {
    return parse_network(read_file(path), path.string());
}

/// The JSON of a network, as `parse_network` reads it; fields with their default value are left out.  O(n + m).
[[nodiscard]] inline auto to_json(network const& net) -> nlohmann::json {
    auto whole = nlohmann::json::object();
    detail::each_field(net, [&](std::string const& field, auto&& value) { whole[field] = value; });
    auto& nodes = whole["nodes"] = nlohmann::json::array();
    for (std::size_t v = 0; v < net.nodes().size(); ++v) {
        auto& node = nodes.emplace_back(nlohmann::json::object());
        detail::each_field(net.node(v), v, [&](std::string const& field, auto&& value) { node[field] = value; });
    }
    return whole;
}

/// Writes a graph file, one node per line; `read_network` returns the same network.
/// Throws bad_file where the file cannot be written or a name is not UTF-8.
inline void write_network(std::filesystem::path const& path, network const& net) {
    std::string text = "{";
    auto const put = [&](std::string const& field, nlohmann::json const& value) {
        text += nlohmann::json(field).dump() + ":" + value.dump() + ",";
    };
    auto const put_all = [&] {
        detail::each_field(net, [&](auto const&... field) { put(field...), text += '\n'; });
        text += "\"nodes\":[";
        for (std::size_t v = 0; v < net.nodes().size(); ++v) {
            text += v == 0 ? "\n{" : ",\n{";
            detail::each_field(net.node(v), v, put);
            text.back() = '}';
        }
    };
    repebble::detail::catching<nlohmann::json::exception>(put_all, [&](auto const& e) {
        repebble::detail::raise(bad_file(path.string(), std::string("cannot be written: ") + e.what()));
    });
    write_file(path, text + "\n]}\n");
}

}  // namespace repebble::inline v0::io

#endif
