#ifndef REPEBBLE_IMPL_IO_JSON_NETWORK_IPP
#define REPEBBLE_IMPL_IO_JSON_NETWORK_IPP

#include <repebble/io/json_network.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/io/byte_size.hpp>
#include <repebble/io/write_file.hpp>

namespace repebble::inline v0::io::detail {

REPEBBLE_INLINE auto take(nlohmann::json& object, char const* field) -> std::optional<nlohmann::json> {
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

/// [node, output]
[[nodiscard]] inline auto output_from_json(json_reader const& in, nlohmann::json const& pair, std::string_view field)
    -> node_output {
    if (!pair.is_array() || pair.size() != 2) in.fail(std::string(field) + " must be [node, output]");
    return {in.index(pair[0], std::string(field) + ": a node id"),
            in.index(pair[1], std::string(field) + ": an output")};
}

/// A list of operands: [node, output], or the name of what is no node.
[[nodiscard]] inline auto operands_from_json(json_reader const& in, nlohmann::json const& list)
    -> std::vector<node_operand> {
    std::vector<node_operand> operands;
    for (auto const& entry : in.array(list, "reads")) {
        auto const field = "reads[" + std::to_string(operands.size()) + "]";
        auto& operand = operands.emplace_back();
        if (!entry.is_string()) {
            operand.of = output_from_json(in, entry, field);
        } else if (operand.outside = entry.get<std::string>(); operand.outside.empty()) {
            in.fail(field + " is an empty name");
        }
    }
    return operands;
}

/// A list of [own output, node, output].
[[nodiscard]] inline auto uses_from_json(json_reader const& in, nlohmann::json const& list, std::string const& name)
    -> std::vector<storage_use> {
    std::vector<storage_use> uses;
    for (auto const& entry : in.array(list, name)) {
        auto const field = name + "[" + std::to_string(uses.size()) + "]";
        if (!entry.is_array() || entry.size() != 3) in.fail(field + " must be [own output, node, output]");
        uses.push_back({in.index(entry[0], field + ": an own output"),
                        {in.index(entry[1], field + ": a node id"), in.index(entry[2], field + ": an output")}});
    }
    return uses;
}

/// The outputs of which a field is said: true for all of them, false for none, or a list.
[[nodiscard]] inline auto outputs_from_json(json_reader const& in, nlohmann::json const& value, std::size_t count,
                                            std::string const& field) -> std::vector<std::uint32_t> {
    std::vector<std::uint32_t> outputs;
    if (value.is_array()) {
        for (auto const& output : value) outputs.push_back(in.index(output, field));
        std::ranges::sort(outputs);
    } else if (!value.is_boolean()) {
        in.fail(field + " must be true, false or a list of outputs, not " + shown(value));
    } else if (value.get<bool>()) {
        outputs.resize(count);
        std::iota(outputs.begin(), outputs.end(), std::uint32_t{0});
    }
    return outputs;
}

REPEBBLE_INLINE auto node_from_json(json_reader const& in, nlohmann::json object, time_unit const& unit)
    -> network_node {
    network_node node;
    if (auto const v = take(object, "input")) node.input = in.boolean(*v, "input");
    if (auto const v = take(object, "donated")) node.donated = in.boolean(*v, "donated");
    if (auto const v = take(object, "time"))
        node.time = unit.read(in, *v, "time");
    else if (!node.input)
        in.fail("has no field 'time'");
    node.memory = in.integer(take_required(in, object, "memory"), "memory");
    if (auto const v = take(object, "name")) node.name = in.text(*v, "name");
    if (auto const v = take(object, "op")) node.op = in.text(*v, "op");
    if (auto const v = take(object, "workspace")) node.workspace = in.integer(*v, "workspace");
    if (auto const v = take(object, "recomputable")) node.recomputable = in.boolean(*v, "recomputable");
    if (auto const v = take(object, "mirror")) node.mirror = in.index(*v, "mirror");
    if (auto const v = take(object, "inplace")) node.inplace = in.boolean(*v, "inplace");
    for (auto const& [field, flag, list] : {std::tuple{"bwd_needs_inputs", &node.bwd_needs_inputs, &node.bwd_operands},
                                            std::tuple{"bwd_needs_output", &node.bwd_needs_output, &node.bwd_outputs},
                                            std::tuple{"has_gradient", &node.has_gradient, &node.gradient_outputs}}) {
        auto const v = take(object, field);
        if (v && v->is_array()) {
            list->emplace();
            for (auto const& k : *v) (*list)->push_back(in.index(k, field));
            *flag = !(*list)->empty();
        } else if (v) {
            *flag = in.boolean(*v, field);
        }
    }
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
    if (auto const v = take(object, "reads")) node.reads = operands_from_json(in, *v);
    if (auto const v = take(object, "views")) node.views = uses_from_json(in, *v, "views");
    if (auto const v = take(object, "mutates")) node.mutates = uses_from_json(in, *v, "mutates");
    if (auto const v = take(object, "may_overwrite")) node.may_overwrite = uses_from_json(in, *v, "may_overwrite");
    if (auto const v = take(object, "alternative_to")) node.alternative_to = uses_from_json(in, *v, "alternative_to");
    std::array<std::pair<char const*, std::vector<std::uint32_t>*>, 3> const of_outputs{
        {{"result", &node.results}, {"must_keep", &node.must_keep}, {"must_recompute", &node.must_recompute}}};
    std::array<std::optional<nlohmann::json>, of_outputs.size()> said;
    for (std::size_t k = 0; k < said.size(); ++k) said[k] = take(object, of_outputs[k].first);
    node.extra = std::move(object);  // which has the number of outputs of some views
    for (std::size_t k = 0; k < said.size(); ++k)
        if (said[k]) *of_outputs[k].second = outputs_from_json(in, *said[k], node.output_count(), of_outputs[k].first);
    return node;
}

[[nodiscard]] inline auto nodes_from_json(read_account const& account, nlohmann::json list, time_unit const& unit)
    -> std::vector<network_node> {
    auto const& source = account.source();
    std::size_t const n = json_reader{source, "the graph"}.array(list, "nodes").size();
    account.spend(n, 2 * n * sizeof(network_node), [&] { return std::to_string(n) + " nodes"; });
    std::vector<std::optional<network_node>> by_id(n);
    dismantled const end(list);
    for (std::size_t i = 0; i < n; ++i) {
        json_reader in{source, "nodes[" + std::to_string(i) + "]"};
        if (!list[i].is_object()) in.fail("must be an object, not " + shown(list[i]));
        auto const id = in.index(take_required(in, list[i], "id"), "id");
        if (id >= n)
            in.fail("id " + std::to_string(id) + " is out of range: there are " + std::to_string(n) + " nodes");
        if (by_id[id]) in.fail("id " + std::to_string(id) + " occurs twice");
        in.where = node_name(id);
        by_id[id] = node_from_json(in, std::move(list[i]), unit);
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

/// Adds to `edges` the outputs that they read: the k-th entry of an edge belongs to its k-th occurrence.
/// O((m + entries) log m).
inline void add_edge_outputs(std::string const& source, nlohmann::json const& list, std::vector<network_edge>& edges) {
    json_reader const whole{source, "the graph"};
    if (whole.array(list, "edge_outputs").empty()) return;
    auto const ends_of = [](network_edge const* e) { return csr_graph::edge{e->from, e->to}; };
    std::vector<network_edge*> by_ends;
    for (auto& e : edges) by_ends.push_back(&e);
    std::ranges::stable_sort(by_ends, {}, ends_of);  // equal ones keep their order
    auto const edges_of = [&](csr_graph::edge const& ends) {
        return std::ranges::equal_range(by_ends, ends, {}, ends_of);
    };
    std::map<csr_graph::edge, std::size_t> entries;
    for (std::size_t i = 0; i < list.size(); ++i) {
        json_reader in{source, "edge_outputs[" + std::to_string(i) + "]"};
        auto const& entry = list[i];
        if (!entry.is_array() || entry.size() < 2) in.fail("must be an array of two node ids and the outputs read");
        csr_graph::edge const ends{in.index(entry[0], "a node id"), in.index(entry[1], "a node id")};
        in.where += " (" + edge_name({ends.first, ends.second}) + ")";
        auto const equal = edges_of(ends);
        if (equal.empty()) in.fail("there is no such edge");
        auto const number = entries[ends]++;
        if (number == equal.size())
            in.fail(number == 1 ? "the edge has an entry already" : "the edge has more entries than it occurs");
        auto& e = *equal[static_cast<std::ptrdiff_t>(number)];
        e.control = entry.size() == 2;
        for (std::size_t k = 2; k < entry.size(); ++k) e.outputs.push_back(in.index(entry[k], "an output"));
    }
    for (auto const& [ends, number] : entries)
        if (number != edges_of(ends).size())
            whole.fail(edge_name({ends.first, ends.second}) + " occurs " + std::to_string(edges_of(ends).size()) +
                       " times, and edge_outputs has " + std::to_string(number) + " for it");
}

/// The text of a link that may be an object.
[[nodiscard]] inline auto link_from_json(json_reader const& in, nlohmann::json link) -> std::string {
    if (link.is_string()) return link.get<std::string>();
    if (!link.is_object()) in.fail("link must be a string or an object, not " + shown(link));
    json_reader const within{in.source, in.where + ": link"};
    auto text = within.text(take_required(within, link, "bandwidth"), "bandwidth");
    if (auto const v = take(link, "latency")) text += "," + within.text(*v, "latency");
    if (auto const v = take(link, "half_duplex"); v && within.boolean(*v, "half_duplex")) text += ",half-duplex";
    if (!link.empty()) within.fail("has an unknown field '" + link.begin().key() + "'");
    return text;
}

[[nodiscard]] inline auto copies_from_json(json_reader const& in, nlohmann::json& whole) -> network_copies {
    network_copies copies;
    if (auto v = take(whole, "link")) {
        copies.link = link_from_json(in, std::move(*v));
        if (copies.link.empty()) in.fail("link is empty");
    }
    if (auto const v = take(whole, "host_budget"))
        copies.host_budget = v->is_string() ? parse_bytes(v->get<std::string>()) : in.integer(*v, "host_budget");
    return copies;
}

/// Calls put(field, value) for every field of a node that differs from its default.
template <class Put>
void each_field(network_node const& node, std::size_t id, Put&& put) {
    put("id", nlohmann::json(id));
    if (!node.name.empty()) put("name", nlohmann::json(node.name));
    if (!node.op.empty()) put("op", nlohmann::json(node.op));
    if (node.input) put("input", nlohmann::json(true));
    if (node.donated) put("donated", nlohmann::json(true));
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
    if (node.gradient_outputs || !node.has_gradient)
        put("has_gradient", node.gradient_outputs ? nlohmann::json(*node.gradient_outputs) : nlohmann::json(false));
    if (node.bwd_operands || !node.bwd_needs_inputs)
        put("bwd_needs_inputs", node.bwd_operands ? nlohmann::json(*node.bwd_operands) : nlohmann::json(false));
    if (node.bwd_outputs || !node.bwd_needs_output)
        put("bwd_needs_output", node.bwd_outputs ? nlohmann::json(*node.bwd_outputs) : nlohmann::json(false));
    for (auto const& [field, outputs] : {std::pair{"result", &node.results},
                                         {"must_keep", &node.must_keep},
                                         {"must_recompute", &node.must_recompute}}) {
        if (outputs->size() == node.output_count())
            put(field, nlohmann::json(true));
        else if (!outputs->empty())
            put(field, nlohmann::json(*outputs));
    }
    if (node.reads) {
        auto reads = nlohmann::json::array();
        for (auto const& [of, outside] : *node.reads)
            reads.push_back(outside.empty() ? nlohmann::json::array({of.vertex, of.output}) : nlohmann::json(outside));
        put("reads", std::move(reads));
    }
    for (auto const& [field, uses] :
         {std::pair{"views", &node.views},
          {"mutates", &node.mutates},
          {"may_overwrite", &node.may_overwrite},
          {"alternative_to", &node.alternative_to}}) {
        if (uses->empty()) continue;
        auto list = nlohmann::json::array();
        for (auto const& [output, of] : *uses) list.push_back(nlohmann::json::array({output, of.vertex, of.output}));
        put(field, std::move(list));
    }
    for (auto const& [field, value] : node.extra.items()) put(field, value);
}

/// Calls put(field, value) for every field of a network besides its nodes.
template <class Put>
void each_field(network const& net, Put&& put) {
    if (!net.name().empty()) put("name", nlohmann::json(net.name()));
    if (!net.time_unit().empty()) put("time_unit", nlohmann::json(net.time_unit()));
    if (!net.copies().link.empty()) put("link", nlohmann::json(net.copies().link));
    if (net.copies().host_budget) put("host_budget", nlohmann::json(*net.copies().host_budget));
    for (auto const& [field, value] : net.extra().items()) put(field, value);
    auto edges = nlohmann::json::array();
    auto edge_outputs = nlohmann::json::array();
    for (std::size_t i = 0; i < net.edges().size(); ++i) {
        auto const [u, v] = net.edges()[i];
        edges.push_back(nlohmann::json::array({u, v}));
        if (net.reads_all(i) && !net.outputs_read(i).empty()) continue;
        auto entry = nlohmann::json::array({u, v});
        for (auto const k : net.outputs_read(i)) entry.push_back(k);
        edge_outputs.push_back(std::move(entry));
    }
    put("edges", std::move(edges));
    if (!edge_outputs.empty()) put("edge_outputs", std::move(edge_outputs));
}

}  // namespace repebble::inline v0::io::detail

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto parse_network(std::string_view text, std::string const& source, std::string_view unit,
                                   read_account account) -> network {
    account.open(source, text.size());
    auto whole = detail::parse_json(text, source, account);
    detail::json_reader const in{source, "the graph"};
    if (!whole.is_object()) in.fail("must be an object, not " + detail::shown(whole));
    detail::time_unit const times(in, detail::take(whole, "time_unit"), unit);
    auto nodes = detail::nodes_from_json(account, detail::take_required(in, whole, "nodes"), times);
    std::vector<network_edge> edges;
    if (auto const list = detail::take(whole, "edges")) edges = detail::edges_from_json(source, *list);
    if (auto const list = detail::take(whole, "edge_outputs")) detail::add_edge_outputs(source, *list, edges);
    std::string name;
    if (auto const v = detail::take(whole, "name")) name = in.text(*v, "name");
    return detail::in_the_name_of(source, [&] {
        auto copies = detail::copies_from_json(in, whole);
        return network(std::move(nodes), std::move(edges), std::move(name), std::move(whole),
                       times.is_known() ? "ns" : "", std::move(copies), account);
    });
}

namespace detail {

REPEBBLE_INLINE auto text_of(network const& net, std::string const& source) -> std::string {
    std::string text = "{";
    auto const put = [&](std::string const& field, nlohmann::json const& value) {
        text += nlohmann::json(field).dump() + ":" + value.dump() + ",";
    };
    auto const put_all = [&] {
        each_field(net, [&](auto const&... field) { put(field...), text += '\n'; });
        text += "\"nodes\":[";
        for (std::size_t v = 0; v < net.nodes().size(); ++v) {
            text += v == 0 ? "\n{" : ",\n{";
            each_field(net.node(v), v, put);
            text.back() = '}';
        }
    };
    repebble::detail::catching<nlohmann::json::exception>(put_all, [&](auto const& e) {
        repebble::detail::raise(bad_file(source, std::string("cannot be written: ") + e.what()));
    });
    return text + "\n]}\n";
}

}  // namespace detail

REPEBBLE_INLINE auto to_text(network const& net) -> std::string { return detail::text_of(net, "graph"); }

REPEBBLE_INLINE void write_network(std::filesystem::path const& path, network const& net) {
    write_file(path, detail::text_of(net, path.string()));
}

}  // namespace repebble::inline v0::io

#endif
