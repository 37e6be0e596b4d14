#ifndef TREEWIDTH_HEURISTICS_HPP
#define TREEWIDTH_HEURISTICS_HPP

#include <string>

#include <repebble/decomposition/treewidth.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

#include "arguments.hpp"

namespace treewidth_program {

/// Whether `--heuristic` may be that.
[[nodiscard]] auto is_heuristic(std::string const& name) -> bool;
[[nodiscard]] auto heuristic_names() -> std::string;

/// What the heuristic that is asked for finds, and a lower bound.
[[nodiscard]] auto find_width(repebble::undirected_graph const& g, arguments const& asked)
    -> repebble::treewidth_bounds;

}  // namespace treewidth_program

#endif
