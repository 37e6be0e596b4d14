#ifndef TREEWIDTH_GRAPH_FILE_HPP
#define TREEWIDTH_GRAPH_FILE_HPP

#include <string>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>

#include "arguments.hpp"

namespace treewidth_program {

/// An undirected view of a graph, and what its vertices are called.
struct named_graph {
    repebble::undirected_graph graph{};
    std::vector<std::string> names{};
};

/// The file, or the network of that name.  Throws repebble::error where it cannot be read.
[[nodiscard]] auto read_graph(arguments const& asked) -> named_graph;

}  // namespace treewidth_program

#endif
