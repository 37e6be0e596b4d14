#ifndef PLAN_GRAPH_SOURCE_HPP
#define PLAN_GRAPH_SOURCE_HPP

#include <string>

#include <repebble/graph/training/forward_part.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/io/network.hpp>

#include "arguments.hpp"
#include "strategies.hpp"

namespace plan {

/// A word without a dot or a slash names a network; any other a file.
[[nodiscard]] auto names_file(std::string const& graph) -> bool;

/// The graph in the file, or of the ONNX model, that the arguments name, or the network of that name.  Throws
/// repebble::error, also where the limit is over before the file is read.
[[nodiscard]] auto graph_of(arguments const& asked, time_limit const& limit) -> repebble::io::network;

/// A forward graph in the form of a training graph without gradients.
[[nodiscard]] auto without_gradients(repebble::forward_dataflow const& forward) -> repebble::training_graph;

}  // namespace plan

#endif
