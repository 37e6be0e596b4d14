#ifndef REPEBBLE_IO_JSON_NETWORK_HPP
#define REPEBBLE_IO_JSON_NETWORK_HPP

// Networks as JSON graph files: reading and writing, with unknown fields kept. The interchange format between framework
// exporters and the planner.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/detail/json_reader.hpp>
#include <repebble/io/detail/time_unit.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/io/network.hpp>

namespace repebble::inline v0::io {

namespace detail {

/// Removes a field from an object and returns its value.
[[nodiscard]] auto take(nlohmann::json& object, char const* field) -> std::optional<nlohmann::json>;

/// Reads a node without its id, which `in` has in its messages.
[[nodiscard]] auto node_from_json(json_reader const& in, nlohmann::json object, time_unit const& unit) -> network_node;

/// Rethrows the errors of network's constructor with the name of the source before the message in the words of the
/// file.
template <class Make, class Words = std::identity>
[[nodiscard]] auto in_the_name_of(std::string const& source, Make const& make, Words const& words = {})
    -> decltype(make()) {
    using repebble::detail::catching;
    auto const named = [&]<class Error>(Error const& e) -> decltype(make()) {
        repebble::detail::raise(Error(source + ": " + words(e.what())));
    };
    return catching<not_a_dag>(
        [&] { return catching<bad_graph>([&] { return catching<bad_weight>(make, named); }, named); }, named);
}

}  // namespace detail

/// Parses a network from JSON:
///   {"name": …, "time_unit": "ms", "nodes": [{"id": 0, "time": 1, "memory": 8}, …], "edges": [[0, 1], …],
///    "edge_outputs": [[0, 1, k], …], "link": "12GB/s,10us", "host_budget": "4GiB"}
/// Ids are 0 … n-1, each once, in any order; `time`, `memory` (bytes) and all the members of `network_node` are fields
/// of the same name, but `result`: true, or a list
/// of outputs. A node has `id`, `time` (0 for an input) and `memory`;
/// other fields default to the members' values in `network_node`, an `alias_of` or `inplace_src` of null too. `reads`
/// is a list of [node, output] and of names; `views`, `mutates`, `may_overwrite` and `alternative_to` are lists of
/// [own output, node, output]. No `edges`: none beside those of `reads`. An edge without an entry in `edge_outputs`
/// reads every output; with an entry that has none it is a control edge. An edge that occurs twice is read twice. A
/// `link` is a text for `parse_link`, or an object with `bandwidth`, `latency` and `half_duplex`; a `host_budget` is a
/// number of bytes or a text for `parse_bytes`. Times are whole numbers; with a `time_unit` of s, ms, us or ns they may
/// be fractions, and are rounded to nanoseconds. `unit` is that of a file without one. Unknown fields are kept, unless
/// they are nearly called as a known one.  O(characters + (n + m) log (n + m)). Throws bad_file where the text is not
/// JSON or has another form, not_a_dag, bad_graph and bad_weight where it is not a valid network; the message begins
/// with `source` and names the line and byte, the node, the edge or the field at fault. Throws limit_reached where the
/// account is spent.
[[nodiscard]] auto parse_network(std::string_view text, std::string const& source = "graph", std::string_view unit = {},
                                 read_account account = read_account()) -> network;

/// The network in a graph file, which may be gzip data.  Throws as `read_file` and `parse_network` do.
[[nodiscard]] inline auto read_network(std::filesystem::path const& path, std::string_view unit = {},
                                       read_account account = read_account()) -> network {
    return parse_network(read_file(path, account), path.string(), unit, account);
}

/// The JSON text that `parse_network` reads, one node per line; fields with their default value are left out.  O(n +
/// m). Throws bad_file where a name is not UTF-8.
[[nodiscard]] auto to_text(network const& net) -> std::string;

/// Writes a graph file; `read_network` returns the same network.
/// Throws bad_file where the file cannot be written or a name is not UTF-8.
void write_network(std::filesystem::path const& path, network const& net);

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/json_network.ipp>
#endif

#endif
