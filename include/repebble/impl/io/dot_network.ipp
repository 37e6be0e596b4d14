#ifndef REPEBBLE_IMPL_IO_DOT_NETWORK_IPP
#define REPEBBLE_IMPL_IO_DOT_NETWORK_IPP

#include <repebble/io/dot_network.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/find_cycle.hpp>
#include <repebble/io/detail/dot_statements.hpp>
#include <repebble/io/detail/dot_values.hpp>
#include <repebble/io/detail/extra_fields.hpp>
#include <repebble/io/detail/json_reader.hpp>
#include <repebble/io/detail/time_unit.hpp>
#include <repebble/io/json_network.hpp>

namespace repebble::inline v0::io::detail {

/// The fields of a graph file that are attributes in DOT, by what has them.
struct dot_fields {
    std::string_view owner;
    std::span<std::string_view const> known;
    extra_fields others{known};

    [[nodiscard]] auto contain(std::string_view field) const -> bool {
        return std::ranges::find(known, field) != known.end();
    }
};

inline constexpr std::span dot_vertex_fields{node_fields.begin() + 1, node_fields.end()};  // without id

inline constexpr std::array<std::string_view, 2> dot_edge_fields{"outputs", "control"};

inline constexpr std::array<std::string_view, 2> dot_graph_fields{"name", "time_unit"};

/// Collects the vertices and edges of a DOT text with their attributes, and makes a network of them.
class dot_network_listener {
  public:
    /// Refers to the text and to the name of its source.
    dot_network_listener(std::string_view text, std::string const& source) : values_(text, source) {}

    void begin(bool directed, std::string_view name, std::size_t place) {
        if (!directed) values_.fail(place, "the edges of a network have a direction: it begins with 'digraph'");
        name_ = values_.text({"the name of the graph", name, place});
    }
    void open() { scopes_.push_back(scopes_.empty() ? scope{} : scopes_.back()); }
    void close() { scopes_.pop_back(); }
    void vertex(std::string_view name, std::size_t place) {
        vertices_.push_back({name, place, scopes_.back().vertices});
    }
    void edge(std::uint32_t from, std::uint32_t to) {
        auto& made = edges_.emplace_back(scopes_.back().edges);
        made.from = from;
        made.to = to;
    }
    void attributes(dot_subject subject, std::size_t first, std::size_t last, std::span<dot_attribute const> list) {
        std::optional<std::vector<std::uint32_t>> outputs;
        std::optional<bool> control;
        for (auto const& given : list) {
            if (subject == dot_subject::graph || subject == dot_subject::braces) {
                if (is_field(given, of_graphs_)) read_graph(given);
            } else if (subject == dot_subject::vertex || subject == dot_subject::later_vertices) {
                if (is_field(given, of_vertices_))
                    put(subject == dot_subject::vertex ? vertices_[first].given : scopes_.back().vertices, given);
            } else if (is_field(given, of_edges_)) {
                if (given.key == "outputs")
                    outputs = values_.outputs(given);
                else
                    control = values_.flag(given);
            }
        }
        auto const change = [&](network_edge& e) {
            if (outputs) e.outputs = *outputs;
            if (control) e.control = *control;
        };
        if (subject == dot_subject::later_edges) change(scopes_.back().edges);
        if (subject == dot_subject::edges)
            for (auto k = first; k < last; ++k) change(edges_[k]);
    }

    /// The network. find(name): the number of a vertex, if there is one; unit: that of the times where the text has
    /// none.
    template <class Find>
    [[nodiscard]] auto make(Find const& find, std::string_view unit) && -> network {
        auto const times = unit_.value.empty() ? time_unit({values_.source(), ""}, std::nullopt, unit)
                                               : time_unit({values_.source(), values_.line(unit_.place)},
                                                           nlohmann::json(values_.text(unit_)), unit);
        std::vector<network_node> nodes;
        nodes.reserve(vertices_.size());
        std::size_t lines = 1;
        std::size_t counted = 0;
        for (auto const& v : vertices_) {  // in the order of the text
            lines += values_.line_ends(std::exchange(counted, v.place), v.place);
            json_reader const in{values_.source(), "line " + std::to_string(lines) + ": " + name_of(v)};
            auto object = object_of(v, find);
            auto const require = [&](std::string const& field) {
                if (!object.contains(field))
                    in.fail("has no attribute '" + field + "', and no default, node [" + field + "=…], before it");
            };
            require("memory");
            if (!object.value("input", false)) require("time");
            nodes.push_back(node_from_json(in, std::move(object), times));
        }
        require_no_cycle();
        return in_the_name_of(
            values_.source(),
            [&] {
                return network(std::move(nodes), std::move(edges_), std::move(name_), nlohmann::json::object(),
                               times.is_known() ? "ns" : "");
            },
            [&](std::string_view message) { return with_names(message); });
    }

  private:
    struct named_vertex {
        std::string_view name;
        std::size_t place = 0;               // where it is first mentioned
        std::vector<dot_attribute> given{};  // those that are fields, each once
    };
    /// Defaults within braces.
    struct scope {
        std::vector<dot_attribute> vertices{};
        network_edge edges{};
    };

    [[nodiscard]] static auto name_of(named_vertex const& v) -> std::string {
        return "vertex " + dot_values::quoted(v.name);
    }

    /// Whether an attribute is a field of what has it.  Throws where it is a field of something else, or misspelt.
    [[nodiscard]] auto is_field(dot_attribute const& given, dot_fields& own) -> bool {
        if (own.contain(given.key)) return true;
        auto const key = "'" + std::string(given.key) + "'";
        for (auto const* other : {&of_vertices_, &of_edges_, &of_graphs_})
            if (other->contain(given.key))
                values_.fail(given.place, key + " is an attribute of " + std::string(other->owner) + ", not of " +
                                              std::string(own.owner));
        if (auto const known = own.others.meant_by(std::string(given.key)); !known.empty())
            values_.fail(given.place, "unknown attribute " + key + "; is '" + std::string(known) + "' meant?");
        return false;
    }
    void read_graph(dot_attribute const& given) {
        if (scopes_.size() != 1) values_.fail(given, "is an attribute of the whole graph");
        if (given.key == "name")
            name_ = values_.text(given);
        else
            unit_ = given;
    }
    static void put(std::vector<dot_attribute>& list, dot_attribute const& given) {
        auto const found = std::ranges::find(list, given.key, &dot_attribute::key);
        (found == list.end() ? list.emplace_back() : *found) = given;
    }

    /// The JSON of a node without its id.
    template <class Find>
    [[nodiscard]] auto object_of(named_vertex const& v, Find const& find) const -> nlohmann::json {
        nlohmann::json object{{"name", values_.text({"the name of a vertex", v.name, v.place})}};
        for (auto const& given : v.given) object[std::string(given.key)] = value_of(given, find);
        return object;
    }
    template <class Find>
    [[nodiscard]] auto value_of(dot_attribute const& given, Find const& find) const -> nlohmann::json {
        auto const is_one_of = [&](auto const&... keys) { return ((given.key == keys) || ...); };
        if (is_one_of("name", "op", "phase")) return values_.text(given);
        if (is_one_of("time", "mirror")) return values_.number(given);
        if (is_one_of("memory", "workspace")) return values_.size(given);
        if (is_one_of("outputs_memory")) return values_.sizes(given);
        if (is_one_of("alias_of", "inplace_src")) {
            auto const found = find(given.value);
            if (!found) values_.fail(given, "names no vertex: " + dot_values::quoted(given.value));
            return *found;
        }
        if (is_one_of("reads", "views", "mutates", "may_overwrite"))
            values_.fail(given, "is a field of graph files in JSON only");
        if (is_one_of("result") && !is_flag(given)) return values_.outputs(given);
        return values_.flag(given);
    }
    [[nodiscard]] static auto is_flag(dot_attribute const& given) -> bool {
        return given.value == "true" || given.value == "false";
    }

    [[nodiscard]] auto name_and_line(std::size_t v) const -> std::string {
        return dot_values::quoted(vertices_[v].name) + " (" + values_.line(vertices_[v].place) + ")";
    }
    void require_no_cycle() const {
        constexpr std::size_t most_shown = 10;
        std::vector<csr_graph::edge> ends;
        for (auto const& e : edges_) ends.emplace_back(e.from, e.to);
        auto const cycle = find_cycle(csr_graph(vertices_.size(), ends));
        if (cycle.empty()) return;
        std::string circle;
        for (std::size_t k = 0; k < std::min(cycle.size(), most_shown); ++k) circle += name_and_line(cycle[k]) + " -> ";
        if (cycle.size() > most_shown) circle += "… (" + std::to_string(cycle.size() - most_shown) + " more) -> ";
        repebble::detail::raise(not_a_dag(values_.source() + ": the graph has a cycle: " + circle +
                                          dot_values::quoted(vertices_[cycle.front()].name)));
    }
    /// A message on a network, with names and lines of vertices in place of their ids.
    [[nodiscard]] auto with_names(std::string_view message) const -> std::string {
        std::string made;
        while (!message.empty()) {
            auto const digits = std::min(message.find_first_not_of("0123456789"), message.size());
            bool const is_id = digits > 0 && (made.ends_with("node ") || made.ends_with("edge ") ||
                                              made.ends_with("-> ") || made.ends_with("alias_of "));
            if (is_id) {
                made += name_and_line(std::stoul(std::string(message.substr(0, digits))));
            } else {
                made += message.substr(0, std::max<std::size_t>(digits, 1));
            }
            message.remove_prefix(std::max<std::size_t>(digits, 1));
        }
        return made;
    }

    dot_values values_;
    dot_fields of_vertices_{"vertices", dot_vertex_fields};
    dot_fields of_edges_{"edges", dot_edge_fields};
    dot_fields of_graphs_{"the graph", dot_graph_fields};
    std::vector<scope> scopes_;  // from the outermost
    std::vector<named_vertex> vertices_;
    std::vector<network_edge> edges_;
    std::string name_;
    dot_attribute unit_{};
};

}  // namespace repebble::inline v0::io::detail

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto parse_dot_network(std::string_view text, std::string const& source,
                                            std::string_view unit) -> network {
    detail::dot_network_listener listener(text, source);
    detail::dot_statements statements(text, source, listener);
    statements.read();
    return std::move(listener).make([&](std::string_view name) { return statements.find(name); }, unit);
}

}  // namespace repebble::inline v0::io

#endif
