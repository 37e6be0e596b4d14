#ifndef TREEWIDTH_HEURISTICS_HPP
#define TREEWIDTH_HEURISTICS_HPP

#include <string>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/treewidth/treewidth.hpp>

#include "arguments.hpp"

namespace treewidth_program {

/// Whether `--heuristic` may be that.
[[nodiscard]] auto is_heuristic(std::string const& name) -> bool;
[[nodiscard]] auto heuristic_names() -> std::string;

/// A width and a lower bound, and the CPU seconds of this process that the search took: of `best` with the bound, of a
/// single heuristic without it.
struct timed_bounds {
    repebble::treewidth_bounds found{};
    double seconds = 0;
};

[[nodiscard]] auto find_width(repebble::undirected_graph const& g, arguments const& asked) -> timed_bounds;

}  // namespace treewidth_program

#endif
