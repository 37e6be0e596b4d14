#ifndef REPEBBLE_IO_DOT_NETWORK_HPP
#define REPEBBLE_IO_DOT_NETWORK_HPP

// Networks from DOT files, whose vertices are nodes and whose attributes are the fields of graph files. Each vertex
// becomes the JSON object of a node, which json_network.hpp reads.

#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <repebble/io/gzip.hpp>
#include <repebble/io/network.hpp>

namespace repebble::inline v0::io {

/// Parses a network from DOT, the language of Graphviz: a vertex is a node, its attributes are the fields of a graph
/// file of the same name (`network_node`), an edge u -> v says that v reads u. Ids are 0 … n-1 in the order in which
/// the vertices are first mentioned; the name of a node is that of its vertex, unless the attribute `name` gives
/// another.
///   digraph net { time_unit = us; node [time=1, memory="8MiB"]; a -> b [outputs="0,2"]; a [outputs_memory="1,2,5"] }
/// Sizes may have units, as in `parse_bytes`; flags are true or false; outputs_memory, result and the attribute
/// `outputs` of an edge, the outputs that it reads, have commas between their numbers; `alias_of` and `inplace_src`
/// name a vertex; reads, views, mutates, may_overwrite and lists of what a gradient reads cannot be said. An edge with
/// control=true only orders; one that occurs twice is read twice, even where the graph is `strict`. Defaults (node […],
/// edge […]) hold, as in Graphviz, for what is first mentioned after them within the same braces. Attributes of the
/// graph: `time_unit`, and `name` in place of its own. `unit` is that of the times of a text without one. Other
/// attributes are ignored unless they are nearly called as one of these.  O(characters + (n + m) log (n + m)). Throws
/// bad_file where the text is not DOT or an attribute is not valid, not_a_dag, bad_graph and bad_weight where it is no
/// valid network, or has more edges than 2^22 and bytes; the message begins with `source` and names the line and the
/// vertex.
[[nodiscard]] auto parse_dot_network(std::string_view text, std::string const& source = "graph",
                                     std::string_view unit = {}) -> network;

/// The network in a DOT file, which may be gzip data.  Throws as `read_file` and `parse_dot_network` do.
[[nodiscard]] inline auto read_dot_network(std::filesystem::path const& path, std::string_view unit = {}) -> network {
    return parse_dot_network(read_file(path), path.string(), unit);
}

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/dot_network.ipp>
#endif

#endif
